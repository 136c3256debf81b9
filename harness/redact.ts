// No secret leaves the judge (KEY-10): known ones, what is left of them when a case has changed or cut them, in any
// case and in base64, and everything that looks like a key of the service.
const REDACTED = '[redacted]'

/** A piece of a secret of this length gives away as much as the whole: a changed key still holds such pieces. */
const PIECE_CHARS = 8

const KEY_FORM = /svc_sk_[A-Za-z0-9_-]+/gi

/** What may be base64, in either alphabet, and is long enough to hold a piece of a secret. */
const BASE64 = /[A-Za-z0-9+/_-]{11,}={0,2}/g

export interface Redactor {
  /** From now on nothing of this value is shown. Empty values are ignored. */
  add(secret: string): void
  text(text: string): string
  bytes(bytes: Uint8Array): Uint8Array
}

/** Makes a redactor that knows these secrets (in printable ASCII, as every value of a header is). */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const short = new Set<string>()
  const pieces = new Set<string>()

  function add(secret: string): void {
    if (secret === '') return
    const inJson = JSON.stringify(secret).slice(1, -1)
    for (const form of [secret, inJson, encodeURIComponent(secret)]) {
      const lower = form.toLowerCase()
      if (lower.length < PIECE_CHARS) short.add(lower)
      for (let at = 0; at + PIECE_CHARS <= lower.length; at++) pieces.add(lower.slice(at, at + PIECE_CHARS))
    }
  }

  /** Marks every place of the text that belongs to a secret, then writes each run of them as one word. */
  function plain(text: string): string {
    const lower = asciiLower(text)
    const hidden = new Uint8Array(text.length)
    for (let at = 0; at + PIECE_CHARS <= lower.length; at++)
      if (pieces.has(lower.slice(at, at + PIECE_CHARS))) hidden.fill(1, at, at + PIECE_CHARS)
    for (const secret of short)
      for (let at = lower.indexOf(secret); at !== -1; at = lower.indexOf(secret, at + 1))
        hidden.fill(1, at, at + secret.length)
    for (const match of text.matchAll(KEY_FORM)) hidden.fill(1, match.index, match.index + match[0].length)
    return withoutHidden(text, hidden)
  }

  function holdsSecret(token: string): boolean {
    // A token may begin before the base64 does, as in a path: every alignment is tried.
    return [0, 1, 2, 3].some((start) => {
      const decoded = Buffer.from(token.slice(start), 'base64').toString('latin1')
      return plain(decoded) !== decoded
    })
  }

  function text(value: string): string {
    return plain(value.replace(BASE64, (token) => (holdsSecret(token) ? REDACTED : token)))
  }

  for (const secret of secrets) add(secret)
  return {
    add,
    text,
    bytes: (bytes) => Buffer.from(text(Buffer.from(bytes).toString('latin1')), 'latin1'),
  }
}

/** Lower case of ASCII letters alone: every character keeps its place. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function withoutHidden(text: string, hidden: Uint8Array): string {
  let shown = ''
  for (let at = 0; at < text.length;) {
    const end = hidden.indexOf(hidden[at] === 1 ? 0 : 1, at)
    const next = end === -1 ? text.length : end
    shown += hidden[at] === 1 ? REDACTED : text.slice(at, next)
    at = next
  }
  return shown
}
