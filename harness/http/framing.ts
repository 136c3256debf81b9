// The framing of an answer by its head: HTTP has one way to say where a body ends (RFC 9112, 6.1 to 6.3).
import { type Headers, headerValues } from './exchange.ts'

/**
 * Returns why readers may disagree on where the body of an answer ends, naming the header; undefined if they cannot.
 * `identity`, which older versions of HTTP have, means no coding.
 */
export function framingFault(headers: Headers): string | undefined {
  const codings = headerValues(headers, 'transfer-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const lengths = headerValues(headers, 'content-length')
  const shown = `Transfer-Encoding: ${codings.join(', ')}`
  if (codings.length > 1 && codings.every((coding) => coding === 'chunked'))
    return `Transfer-Encoding: chunked ${codings.length} times`
  if (codings.some((coding) => coding !== 'chunked')) return `${shown}, which the request does not allow`
  if (codings.length > 0 && lengths.length > 0) return `${shown} beside Content-Length: ${lengths.join(', ')}`
  if (new Set(lengths).size > 1) return `Content-Length: ${lengths.join(' and ')}`
  return undefined
}
