// An exchange in a report: redacted first, then cut; and the curl line that sends its request again.
import {
  type Exchange,
  type Headers,
  type SentRequest,
  headerValues,
  utf8,
} from '../../harness/http/exchange.ts'
import { isOrdinary, type Redactor } from '../../harness/secrets/redact.ts'
import { CREDENTIAL_HEADER, IN_ADDRESS } from '../../spec/protocol/credential-places.ts'
import type { HopExchange } from '../contract/result.ts'
import type { ReportExchange } from '../contract/report.ts'

/** The longest body that is shown, in characters: of evidence, and of a check that passed. */
export const EVIDENCE_CHARS = 64 * 1024
export const PASSED_CHARS = 2 * 1024

export interface ShowOptions {
  readonly redactor: Redactor
  readonly maxBodyChars: number
  /** The judge did not send the request: it may have credentials that the judge does not know. */
  readonly isOfOthers?: boolean
}

export function showExchange(exchange: Exchange, options: ShowOptions): ReportExchange {
  const { response, timings } = exchange
  const { end } = response
  return {
    request: showRequest(exchange.request, options),
    response: {
      status: response.status,
      headers: showHeaders(response.headers, options),
      ...showBody(response.body, options, response.bodyBytes),
      ...(end === 'complete' ? {} : { ended: end }),
    },
    timings: { firstByteMs: round(timings.firstByteMs), totalMs: round(timings.totalMs) },
  }
}

/** One side of an exchange that crossed a gateway, in the form of a report. */
export function showHop({ hop, request, exchange }: HopExchange, options: ShowOptions): ReportExchange {
  const own = { ...options, isOfOthers: hop === 'upstream' }
  const shown = exchange === undefined ? showUnanswered(request, own) : showExchange(exchange, own)
  return { ...shown, hop }
}

export function showUnanswered(request: SentRequest, options: ShowOptions): ReportExchange {
  return { request: showRequest(request, options), response: null, timings: null }
}

function showRequest(request: SentRequest, options: ShowOptions): ReportExchange['request'] {
  return {
    method: request.method,
    url: showAddress(request.url, options),
    headers: showHeaders(request.headers, options),
    ...(request.body === undefined ? {} : showBody(request.body, options)),
  }
}

function showHeaders(headers: Headers, options: ShowOptions): [string, string][] {
  const { redactor, isOfOthers = false } = options
  return headers.map(([name, value]) => {
    const shown = redactor.header(name, value)
    // The cookie's attributes stay.
    if (/^set-cookie2?$/i.test(name)) return [name, shown.replace(/(?<=^[^=;]*=)[^;]+/, '[redacted]')]
    return [name, isOfOthers && CREDENTIAL_HEADER.test(name) ? withoutCredential(shown) : shown]
  })
}

/** The value of a header without credentials; a scheme and the names of a list stay. */
function withoutCredential(value: string): string {
  const [, scheme = '', rest = ''] = /^(\s*[A-Za-z][\w-]*\s+)?(.*)$/s.exec(value) ?? []
  return scheme + rest.replace(/(?<![^\s"',;=])[^\s"',;=[\]]{6,}(?![^\s"',;=[\]]|=[^=])/g, '[redacted]')
}

function showAddress(url: string, { redactor, isOfOthers = false }: ShowOptions): string {
  const shown = redactor.text(url)
  return isOfOthers ? shown.replace(IN_ADDRESS, '[redacted]') : shown
}

/** The end of a body that is cut, in bytes: the end of a stream shows its finish reason and its `[DONE]`. */
const END_BYTES = 500

type ShownBody = Pick<ReportExchange['request'], 'body' | 'bodyBase64' | 'bodyCutFromBytes' | 'bodyEnd'>

function showBody(
  bytes: Uint8Array,
  { redactor, maxBodyChars }: ShowOptions,
  length = bytes.length,
): ShownBody {
  if (bytes.length === 0) return {}
  // Twice the shown length is redacted, because a secret may begin in the shown part and end behind it.
  const redacted = redactor.bytes(bytes.subarray(0, maxBodyChars * 2))
  const isCut = length > maxBodyChars
  const shown = isCut ? wholeCharacters(redacted.subarray(0, maxBodyChars)) : redacted
  const end =
    isCut && bytes.length === length ? endOf(redactor.bytes(bytes.subarray(-maxBodyChars * 2))) : undefined
  const cut = isCut ? { bodyCutFromBytes: length, ...(end === undefined ? {} : { bodyEnd: end }) } : {}
  const text = utf8(shown)
  return text === undefined
    ? { bodyBase64: Buffer.from(shown).toString('base64'), ...cut }
    : { body: text, ...cut }
}

/** The end of a body, from a whole character on; undefined if it is not text. */
function endOf(bytes: Uint8Array): string | undefined {
  const end = bytes.subarray(-END_BYTES)
  return utf8(
    end.subarray(
      Math.max(
        0,
        end.findIndex((byte) => (byte & 0xc0) !== 0x80),
      ),
    ),
  )
}

/** The bytes without an incomplete character at their end. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let dropped = 0; dropped < 4; dropped++) {
    const shorter = bytes.subarray(0, bytes.length - dropped)
    if (utf8(shorter) !== undefined) return shorter
  }
  return bytes
}

/** Headers that curl computes. */
const OWN_TO_CURL = /^(host|content-length)$/i

/** Headers of the judge for which curl sends the same or an equivalent value. */
const AS_CURL_SENDS: Readonly<Record<string, string>> = {
  accept: '*/*',
  connection: 'keep-alive',
  'user-agent': 'touchstone',
}

/** curl sends `Expect: 100-continue` before a body of this size, in bytes. */
const UNASKED_BYTES = 1024 * 1024

/** Headers that curl would add to this request. */
function unsentHeaders({ headers, body }: SentRequest): readonly string[] {
  const added = [
    'Accept',
    ...(body === undefined ? [] : ['Content-Type']),
    ...(body !== undefined && body.length >= UNASKED_BYTES ? ['Expect'] : []),
  ]
  return added.filter((name) => headerValues(headers, name).length === 0)
}

/** The flags without which curl would change the request: its protocol, its address, or the length of an empty body. */
function faithfulFlags(request: SentRequest): readonly string[] {
  const { url, headers, body } = request
  return [
    ...(url.startsWith('https:') ? ['--http1.1'] : []),
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(/\/\.{1,2}(\/|$|\?)/.test(url) ? ['--path-as-is'] : []),
    ...unsentHeaders(request).map((name) => `-H '${name}:'`),
    ...(body === undefined && headerValues(headers, 'content-length').length > 0
      ? ["-H 'Content-Length: 0'"]
      : []),
  ]
}

/**
 * A line for a POSIX shell that sends a request again. A known key is written as its environment variable, in any header;
 * a key that was created for the run, as the variable `$KEY`. Undefined if the body is too long for a line, or if curl cannot send it in the same packets.
 */
export function curlLine(
  request: SentRequest,
  variableOf: ReadonlyMap<string, string>,
  options: ShowOptions,
): string | undefined {
  if (request.splitAt !== undefined) return undefined
  const words = ['curl', '-sS', '-i']
  if (request.method === 'HEAD') words.push('-I')
  else if (request.method !== (request.body === undefined ? 'GET' : 'POST')) words.push('-X', request.method)
  words.push(quote(showAddress(request.url, options)))
  for (const [name, value] of request.headers) {
    if (OWN_TO_CURL.test(name) || AS_CURL_SENDS[name.toLowerCase()] === value) continue
    words.push('-H', headerWord(name, value, variableOf, options))
  }
  words.push(...faithfulFlags(request))
  if (request.body === undefined) return words.join(' ')
  const { body, bodyBase64, bodyCutFromBytes } = showBody(request.body, options)
  if (bodyCutFromBytes !== undefined) return undefined
  // A word of a shell cannot contain NUL, so such a body is piped, as bytes that are not text are.
  const base64 = body?.includes('\0') === true ? Buffer.from(body).toString('base64') : bodyBase64
  if (base64 !== undefined) return `printf %s ${base64} | base64 -d | ${words.join(' ')} --data-binary @-`
  // curl reads a file if the value begins with an @.
  return [...words, body?.startsWith('@') === true ? '--data-raw' : '--data-binary', quote(body ?? '')].join(
    ' ',
  )
}

/** Returns whether a value contains a key. A key that is an ordinary word counts only as a whole word. */
function carries(value: string, key: string): boolean {
  return isOrdinary(key) ? value.split(/\s+/).includes(key) : value.includes(key)
}

function headerWord(
  name: string,
  value: string,
  variableOf: ReadonlyMap<string, string>,
  { redactor }: ShowOptions,
): string {
  // The longest first: a key may be a prefix of another.
  const known = [...variableOf.keys()].toSorted((a, b) => b.length - a.length)
  const secret = known.find((key) => carries(value, key) && redactor.header(name, value) !== value)
  // curl leaves out a header without a value, unless it ends in a semicolon.
  if (value.trim() === '') return quote(`${name};`)
  if (secret === undefined) return quote(`${name}: ${redactor.header(name, value)}`)
  const at = value.lastIndexOf(secret)
  const [before, after] = [value.slice(0, at), value.slice(at + secret.length)]
  const around = (text: string): string => redactor.text(text).replace(/["$`\\]/g, '\\$&')
  return `"${name}: ${around(before)}$${variableOf.get(secret) ?? 'KEY'}${around(after)}"`
}

/** A quoted word for a shell; control characters are escaped in a form that bash and zsh read. */
function quote(text: string): string {
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
}

/** A word of a command line for a shell, quoted only if it needs to be; `{name}` is a placeholder of the judge. */
export function shellWord(text: string): string {
  return /^(?:[\w./:@%+=,-]|\{[a-z_]+\})+$/.test(text) ? text : quote(text)
}

/** These flags as words of a command line; those without a value are left out. */
export function flagWords(flags: Readonly<Record<string, string | number | undefined>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellWord(String(value))}`],
  )
}

/** The flags of these headers, without the values that no report shows. */
export function headerFlags(headers: Readonly<Record<string, string>>, redactor: Redactor) {
  return Object.entries(headers).map(
    ([name, value]) => `--header ${shellWord(`${name}: ${redactor.header(name, value)}`)}`,
  )
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
