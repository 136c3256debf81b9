// Removes secrets from all output of the judge (KEY-10): known secrets and their pieces in every coding, and everything
// that looks like a key of the service. Local servers accept ordinary words as keys; such a key is hidden only in the
// places of credentials, because other text contains the same word.
import { escapePattern } from '../../spec/escape-pattern.ts'
import { requirements } from '../../spec/catalogue/requirements.ts'
import { type Found, type Redaction, redact, withoutEscapes } from '../../spec/protocol/codings.ts'
import { findKeys } from '../../spec/protocol/key.ts'
import { CREDENTIAL_HEADER, NAMED } from '../../spec/protocol/credential-places.ts'
import { addressSecrets, environmentSecrets } from './known-secrets.ts'
import { createSecretFinder } from './secret-finder.ts'

const REDACTED = '[redacted]'

/** A shorter secret is ordinary, because other words contain it. */
const SHORTEST_SECRET_CHARS = 8

/** Longer ordinary keys, from the documentation of local servers; in lower case. */
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

/** Matches a value that has a credential whatever the name of its header: a named member, an address, or a random word. */
const CREDENTIAL_VALUE = new RegExp(
  String.raw`(?:${NAMED})["']?\s*[:=]|bearer |basic |:\/\/[^/\s]*@|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{20,}`,
  'i',
)

/** The words before a credential: a scheme, or the name of a header, a parameter or a member. */
const BEFORE_CREDENTIAL = String.raw`(?:bearer|basic)\s+|(?:${NAMED}|(?:\b|_)key)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?`

/** The length of the pieces by which a changed secret is still found. */
const PIECE_CHARS = 8
const LEAST_PIECE_CHARS = 4

/** The text of the requirements, which reports quote: a piece of a key that occurs there does not identify the key. */
const OWN_WORDS = requirements.map(({ text }) => text.toLowerCase()).join('\n')

/** The length of the pieces of a key that consists of words; longer, because other texts contain the words. */
const WORDY_PIECE_CHARS = 12

/** A word in a key that a person chose, perhaps with a number behind it. */
const WORD_OF_KEY = /^(?:[A-Z]?[a-z]+\d{0,4}|[A-Z]{2,}\d{0,4}|\d{1,4})$/

/** Sequences that words do not have: five consonants, four at the beginning, four vowels, or the same letter three times. */
const NO_WORD = /[^aeiouy\d]{5}|^[^aeiouy\d]{4}|[aeiouy]{4}|([a-z])\1\1/i

/** Returns whether a text consists of words, as a key that a person chose: `test-key`, `my-secret-api-key-1`. */
function readsAsWords(text: string): boolean {
  const isWord = (word: string): boolean => WORD_OF_KEY.test(word) && !NO_WORD.test(word)
  return /[a-z]{3}/i.test(text) && text.split(/[-_.]/).every(isWord)
}

/** Returns whether a piece of a key identifies it. Shorter pieces than `PIECE_CHARS` always do. */
const isTelling = (piece: string): boolean =>
  piece.length < PIECE_CHARS || !/^[a-z]+$/i.test(piece) || !OWN_WORDS.includes(piece.toLowerCase())

/** A character of a word: the rest of the word around a piece is hidden too, because the secret may be changed there. */
const WORD = /[\w~+-]/

/** The texts that a redactor remembers. */
const MOST_REMEMBERED = 4_096
const LONGEST_REMEMBERED_CHARS = 128

export type Redactor = ReturnType<typeof createRedactor>

/** Creates a redactor for these secrets (in printable ASCII, as all header values are). */
export function createRedactor(secrets: Iterable<string> = []) {
  const ordinary = new Map<string, RegExp>()
  const secretHeaders = new Set<string>()
  const kept: string[] = []
  const finder = createSecretFinder()
  /** A cache of short texts, because the headers of a run repeat. */
  const redacted = new Map<string, string>()
  const redaction: Redaction = {
    find: (plain) => [
      ...findKeys(plain),
      ...finder.find(plain),
      ...[...ordinary.values()].flatMap((pattern) => findOrdinary(plain, pattern)),
    ],
    shortest: PIECE_CHARS,
    mark: () => REDACTED,
    around: WORD,
    kept,
  }

  /** Hides this value from now on. Empty values are ignored. */
  function add(secret: string): void {
    if (secret === '') return
    redacted.clear()
    const plain = withoutEscapes(secret)
    const { length } = plain
    if (isOrdinary(secret) || length < LEAST_PIECE_CHARS)
      return void ordinary.set(secret, inPlaceOfCredential(secret))
    // A change of one character leaves one half of a short secret unchanged. An escape in a secret is several characters.
    const most = length === secret.length ? PIECE_CHARS : LEAST_PIECE_CHARS
    const pieceChars = readsAsWords(plain)
      ? Math.min(WORDY_PIECE_CHARS, length - 1)
      : Math.max(LEAST_PIECE_CHARS, Math.min(most, Math.floor(length / 2)))
    finder.add({ text: secret, owner: 1, pieceChars, isTelling })
  }

  function text(value: string): string {
    if (value.length > LONGEST_REMEMBERED_CHARS) return redact(value, redaction)
    const known = redacted.get(value)
    if (known !== undefined) return known
    const shown = redact(value, redaction)
    if (redacted.size >= MOST_REMEMBERED) redacted.clear()
    redacted.set(value, shown)
    return shown
  }

  /** Hides the value of this header from now on, if its name or its form says that it is a credential. */
  function addHeader(name: string, value: string): void {
    if (!isSecretHeader(name, value)) return
    secretHeaders.add(name.toLowerCase())
    // A credential does not include the scheme before it.
    for (const word of value.split(/\s+/)) if (word.length >= SHORTEST_SECRET_CHARS) add(word)
  }

  function header(name: string, value: string): string {
    if (secretHeaders.has(name.toLowerCase())) return REDACTED
    const isWhole = CREDENTIAL_HEADER.test(name) && ordinary.has(value)
    return isWhole ? REDACTED : text(value)
  }

  /** Hides the secret parameters of the addresses in a text, and the passwords before their hosts. */
  function addAddresses(text: string): void {
    for (const [name, value] of addressSecrets(text)) {
      add(value)
      // An ordinary value is hidden behind the name of its parameter, too.
      if (name !== '' && isOrdinary(value))
        ordinary.set(
          `${name}=${value}`,
          new RegExp(
            `(?<=[?&;#]${escapePattern(withoutEscapes(name))}=)${escapePattern(withoutEscapes(value))}(?![^&;#\\s"'])`,
            'g',
          ),
        )
    }
  }

  for (const secret of secrets) add(secret)
  return {
    add,
    addHeader,
    addAddresses,
    /** Hides the values of variables that are credentials, unless they are ordinary words. */
    addEnvironment(env: Readonly<Record<string, string | undefined>>): void {
      for (const secret of environmentSecrets(env))
        if (!isOrdinary(secret) && !OWN_WORDS.includes(secret.toLowerCase())) add(secret)
    },
    /** Never hides this text. */
    keep(shown: string): void {
      kept.push(shown)
      redacted.clear()
    },
    text,
    bytes: (bytes: Uint8Array): Uint8Array =>
      Buffer.from(text(Buffer.from(bytes).toString('latin1')), 'latin1'),
    header,
  }
}

/** Whether a header that an operator gives is a credential, by its name or by the form of its value. */
const isSecretHeader = (name: string, value: string): boolean =>
  CREDENTIAL_HEADER.test(name) || CREDENTIAL_VALUE.test(value)

/** Those of these headers that are credentials. */
export function secretHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => isSecretHeader(name, value)))
}

/** Whether a key is an ordinary word, which other text contains too. */
export const isOrdinary = (secret: string): boolean =>
  secret.length < SHORTEST_SECRET_CHARS || ORDINARY.has(secret.toLowerCase())

/** Matches an ordinary key only if it is used as a credential. */
const inPlaceOfCredential = (secret: string): RegExp =>
  new RegExp(`(?<=${BEFORE_CREDENTIAL})${escapePattern(withoutEscapes(secret))}(?![\\w-])`, 'gi')

function findOrdinary(plain: string, pattern: RegExp): readonly Found[] {
  return [...plain.matchAll(pattern)].map(({ 0: key, index }) => ({
    from: index,
    to: index + key.length,
    owner: 1,
  }))
}
