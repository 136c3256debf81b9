// The body of a message as an HTTP archive has it: decoded text, base64, or still compressed. Tools label text as base64, and
// write the bytes of a compressed body as characters.
import { decodeWhole, decoderFor } from '../../../harness/http/content-coding.ts'
import { utf8 } from '../../../harness/http/exchange.ts'
import { bounds } from '../../../harness/bounds/bounds.ts'

/** The bytes of a body without its content coding, or the reason why they are unknown. */
export type HarBody = { readonly bytes: Uint8Array } | { readonly unread: string }

/** Control characters that no JSON, no event stream and no page contains. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\0-\x08\x0E-\x1F]/

/** The first bytes of every gzip stream, as characters. */
const GZIP = '\u001F\u008B'

/**
 * Reads a body from its text and its `encoding` in the archive.
 *
 * @param coding the value of `Content-Encoding`: it is undone if the body is not text already, up to the bound of an answer
 */
export async function readHarBody(
  text: string,
  encoding: string | null | undefined,
  coding: string | undefined,
): Promise<HarBody> {
  const base64 = encoding === 'base64' ? fromBase64(text) : undefined
  if (base64 === undefined && !BINARY.test(text)) return { bytes: Buffer.from(text) }
  const bytes = base64 ?? Buffer.from(text, 'latin1')
  if (base64 === undefined && bytes.toString('latin1') !== text)
    return { unread: 'a body was written as characters that lost its bytes' }
  if (utf8(bytes) !== undefined) return { bytes }
  const named = coding ?? (base64 === undefined && text.startsWith(GZIP) ? 'gzip' : 'identity')
  if (named.trim().toLowerCase() === 'identity') return { bytes }
  const decoder = decoderFor(named)?.(bytes)
  const plain = decoder && (await decodeWhole(bytes, decoder, bounds().answerBytes))
  return plain === undefined ? { unread: `a compressed body (${named}) cannot be read` } : { bytes: plain }
}

/** The bytes of a base64 text; undefined for any other text. */
function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text.replace(/[\r\n]/g, '') ? bytes : undefined
}
