// Removes secrets from all output of the judge (KEY-10): known secrets, their variants (cut, reversed, with a changed
// character, in any case, in base64), and everything that looks like a key of the service.
const REDACTED = '[redacted]'

/** The length of the pieces that are searched: a changed secret still contains some of them. */
const PIECE_CHARS = 8
const SHORTEST_PIECE_CHARS = 4

/** The rest of the word around a piece is hidden too: it is the changed part of the secret. */
const WORD = /[\w~+-]/

const KEY_FORM = /svc_sk_[A-Za-z0-9_-]+/gi

/** Possible base64, in either alphabet, long enough to contain a piece of a secret. */
const BASE64 = /[A-Za-z0-9+/_-]{11,}={0,2}/g

export interface Redactor {
  /** Hides this value from now on. Empty values are ignored. */
  add(secret: string): void
  text(text: string): string
  bytes(bytes: Uint8Array): Uint8Array
}

/** Creates a redactor for these secrets (in printable ASCII, as all header values are). */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const short = new Set<string>()
  /** Pieces of secrets by their length. */
  const pieces = new Map<number, Set<string>>()

  function add(secret: string): void {
    if (secret === '') return
    for (const text of [secret, [...secret].toReversed().join('')]) {
      const inJson = JSON.stringify(text).slice(1, -1)
      for (const form of [text, inJson, encodeURIComponent(text)]) addForm(form.toLowerCase())
    }
  }

  function addForm(lower: string): void {
    if (lower.length < 2 * SHORTEST_PIECE_CHARS) return void short.add(lower)
    // If one character is changed, one half of a short secret is unchanged.
    const size = Math.min(PIECE_CHARS, Math.floor(lower.length / 2))
    const known = pieces.get(size) ?? new Set()
    pieces.set(size, known)
    for (let at = 0; at + size <= lower.length; at++) known.add(lower.slice(at, at + size))
  }

  /** Marks the characters that belong to a secret, then replaces each run of them with one mark. */
  function plain(text: string): string {
    const lower = asciiLower(text)
    const hidden = new Uint8Array(text.length)
    for (const [size, known] of pieces)
      for (let at = 0; at + size <= lower.length; at++)
        if (known.has(lower.slice(at, at + size))) hideWord(lower, hidden, at, at + size)
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

/** Hides a piece and the word around it. */
function hideWord(text: string, hidden: Uint8Array, from: number, to: number): void {
  let [start, end] = [from, to]
  while (start > 0 && WORD.test(text.charAt(start - 1)) && hidden[start - 1] !== 1) start--
  while (end < text.length && WORD.test(text.charAt(end)) && hidden[end] !== 1) end++
  hidden.fill(1, start, end)
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
