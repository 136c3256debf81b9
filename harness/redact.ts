// Removes secrets from all output of the judge (KEY-10): known secrets, their variants (cut, reversed, with a changed
// character, in any case, in base64), and everything that looks like a key of the service. A key that is an ordinary word,
// as local servers take them, is hidden only in the places of credentials: elsewhere the same letters mean something else.
const REDACTED = '[redacted]'

/** Length below which a secret is ordinary: other words contain it. */
const SHORTEST_SECRET_CHARS = 8

/** Ordinary keys of at least that length: those that the documentation of local servers shows, in lower case. */
const ORDINARY = new Set([
  'anything',
  'api-key-here',
  'changeme',
  'lm-studio',
  'localhost',
  'no-key-required',
  'not-needed',
  'not-required',
  'password',
  'placeholder',
  'sk-no-key-required',
  'token-abc123',
  'your-api-key',
])

/** The name of a header or of a member that holds a credential. */
const CREDENTIAL_NAME = /auth|(?:\b|_|api)keys?\b|token|secret|passw|cookie|credential|session|signature/i

/** A header's value that holds a credential whatever the header's name: a named member, an address, or a random word. */
const CREDENTIAL_VALUE =
  /(?:(?:\b|_|api)key|token|secret|passw\w*)["']?\s*[:=]|bearer |basic |:\/\/[^/\s]*@|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{20,}/i

/** The words before a credential: a scheme, or the name of a header, a parameter or a member. */
const BEFORE_CREDENTIAL = String.raw`(?:bearer|basic)\s+|(?:authorization|(?:\b|_|api)key|secret|password|cookie|(?:access|auth|api)[-_]?token)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?`

/** The length of the pieces that are searched: a changed secret still contains some of them. */
const PIECE_CHARS = 8

/** The rest of the word around a piece is hidden too: it is the changed part of the secret. */
const WORD = /[\w~+-]/

const KEY_FORM = /svc_sk_[A-Za-z0-9_-]+/gi

/** Possible base64, in either alphabet, long enough to contain a piece of a secret. */
const BASE64 = /[A-Za-z0-9+/_-]{11,}={0,2}/g

export type Redactor = ReturnType<typeof createRedactor>

/** Creates a redactor for these secrets (in printable ASCII, as all header values are). */
export function createRedactor(secrets: Iterable<string> = []) {
  const ordinary = new Map<string, RegExp>()
  const secretHeaders = new Set<string>()
  const kept: string[] = []
  const pieces = new Map<number, Set<string>>()

  /** Hides this value from now on. Empty values are ignored. */
  function add(secret: string): void {
    if (secret === '') return
    if (isOrdinary(secret)) return void ordinary.set(secret, inPlaceOfCredential(secret))
    for (const text of [secret, [...secret].toReversed().join('')]) {
      const inJson = JSON.stringify(text).slice(1, -1)
      for (const form of [text, inJson, encodeURIComponent(text)]) addForm(form.toLowerCase())
    }
  }

  function addForm(lower: string): void {
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
    for (const pattern of [KEY_FORM, ...ordinary.values()])
      for (const match of text.matchAll(pattern)) hidden.fill(1, match.index, match.index + match[0].length)
    for (const shown of kept)
      for (let at = text.indexOf(shown); at !== -1; at = text.indexOf(shown, at + 1))
        hidden.fill(0, at, at + shown.length)
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

  /** Hides the value of this header from now on, if its name or its form says that it is a credential. */
  function addHeader(name: string, value: string): void {
    if (!CREDENTIAL_NAME.test(name) && !CREDENTIAL_VALUE.test(value)) return
    secretHeaders.add(name.toLowerCase())
    // A credential does not include the scheme before it.
    for (const word of value.split(/\s+/)) if (word.length >= SHORTEST_SECRET_CHARS) add(word)
  }

  function header(name: string, value: string): string {
    if (secretHeaders.has(name.toLowerCase())) return REDACTED
    const isWhole = CREDENTIAL_NAME.test(name) && ordinary.has(value)
    return isWhole ? REDACTED : text(value)
  }

  for (const secret of secrets) add(secret)
  return {
    add,
    addHeader,
    /** Shows this text wherever it stands. */
    keep: (shown: string) => void kept.push(shown),
    text,
    bytes: (bytes: Uint8Array): Uint8Array =>
      Buffer.from(text(Buffer.from(bytes).toString('latin1')), 'latin1'),
    header,
  }
}

/** Whether a key is an ordinary word, which other text contains too. */
export const isOrdinary = (secret: string): boolean =>
  secret.length < SHORTEST_SECRET_CHARS || ORDINARY.has(secret.toLowerCase())

/** Matches an ordinary key only if it is used as a credential. */
const inPlaceOfCredential = (secret: string): RegExp =>
  new RegExp(`(?<=${BEFORE_CREDENTIAL})${RegExp.escape(secret)}(?![\\w-])`, 'gi')

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
