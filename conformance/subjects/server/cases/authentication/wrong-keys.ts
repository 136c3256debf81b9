// Invalid keys: malformed, fake and revoked ones (AUTH-4), and valid keys with one change (AUTH-8).
import { KEY_PREFIX } from '../../../../../spec/protocol/key.ts'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { refused, status } from '../../../../../harness/verify/verify.ts'
import { expectEverywhere, requireAcceptedKey } from './every-endpoint.ts'
import { fakeKey, fakeText, swapCase } from '../requests/failing.ts'

const invalid = { type: 'authentication_error', code: 'invalid_api_key' }

const wrongKeys: Variants<[key: (t: CaseContext) => string | Promise<string>]> = {
  'unknown-key': ['an unknown key', (t) => fakeKey(t.seed, 'unknown key')],
  'revoked-key': ['a revoked key', (t) => t.target.revokedKey()],
  'prefix-alone': ['the prefix alone', () => KEY_PREFIX],
  'other-prefix': ['another prefix', (t) => `sk-${fakeText(t.seed, 'other prefix')}`],
  'any-word': ['a word that is not a key', () => 'anything'],
  'bracketed-key': ['a key in angle brackets', (t) => `<${t.target.key}>`],
  'null-word': ['the word `null`', () => 'null'],
  'wildcard-key': ['a wildcard for the key', () => `${KEY_PREFIX}%`],
  'injected-key': ['a piece of SQL', () => `'OR'1'='1`],
  // A plain object used as a table of keys contains this name.
  'property-name': ["the name of every object's property", () => 'constructor'],
  'long-key': ['a key of 2048 characters', () => KEY_PREFIX.padEnd(2048, 'A')],
}

const wrong = checkEach('auth.*', 'AUTH-4', '*', wrongKeys).run(async (t, key) =>
  expectEverywhere(t, `Bearer ${await key(t)}`, refused(401, invalid)),
)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Splits a key into its prefix, if it has one, and the secret rest. */
function parts(key: string) {
  const prefix = key.startsWith(KEY_PREFIX) ? KEY_PREFIX : ''
  return { prefix, rest: key.slice(prefix.length) }
}

function replaceAt(text: string, index: number, character: string): string {
  return text.slice(0, index) + character + text.slice(index + 1)
}

/** The next character of the alphabet; the first one after the last. */
const another = (character: string) => ALPHABET[(ALPHABET.indexOf(character) + 1) % ALPHABET.length] ?? 'A'

const changedAt = (rest: string, index: number): string => replaceAt(rest, index, another(rest.charAt(index)))

/**
 * The last character of 43 in base64url stands for four bits, so that four characters decode to the same bytes:
 * this returns another one of those four.
 */
function sameBytes(rest: string): string {
  const last = rest.length - 1
  return replaceAt(rest, last, ALPHABET.charAt(ALPHABET.indexOf(rest.charAt(last)) ^ 1))
}

/** Changes of the part of a key after its prefix. */
const tamperings: Variants<[tamper: (rest: string) => string]> = {
  'first-character': ['its first character changed', (rest) => changedAt(rest, 0)],
  'middle-character': [
    'a character in its middle changed',
    (rest) => changedAt(rest, Math.floor(rest.length / 2)),
  ],
  'last-character': ['its last character changed', (rest) => changedAt(rest, rest.length - 1)],
  'same-bytes': ['its last character changed to one that decodes alike', sameBytes],
  'other-case': ['small and capital letters swapped', swapCase],
  reversed: ['its characters reversed', (rest) => [...rest].toReversed().join('')],
  'truncated-by-one': ['its last character missing', (rest) => rest.slice(0, -1)],
  'truncated-in-half': ['its second half missing', (rest) => rest.slice(0, rest.length / 2)],
  'first-character-missing': ['its first character missing', (rest) => rest.slice(1)],
  'extended-by-one': ['one character more', (rest) => `${rest}A`],
  'extended-by-padding': ['an equals sign more', (rest) => `${rest}=`],
  'extended-by-a-dot': ['a dot and a word more', (rest) => `${rest}.admin`],
  doubled: ['itself twice', (rest) => rest + rest],
}

const prefixes: Variants<[prefix: string]> = {
  'without-prefix': ['its prefix missing', ''],
  'without-first-word': ['the first word of its prefix missing', KEY_PREFIX.replace(/^[^_]*_/, '')],
  'prefix-in-capitals': ['its prefix in capital letters', KEY_PREFIX.toUpperCase()],
  'prefix-twice': ['its prefix twice', KEY_PREFIX + KEY_PREFIX],
}

/** A changed key is refused; a change that leaves the key as it is does not apply. */
async function expectTampered(t: CaseContext, changed: string): Promise<void> {
  if (changed === t.target.key) t.notApplicable('this change leaves the key as it is')
  await expectEverywhere(t, `Bearer ${changed}`, status(401))
  await requireAcceptedKey(t)
}

const tampered: readonly Case[] = [
  ...checkEach('auth.key-*', 'AUTH-8', 'a valid key, *', tamperings).run((t, tamper) => {
    const { prefix, rest } = parts(t.target.key)
    return expectTampered(t, prefix + tamper(rest))
  }),
  ...checkEach('auth.key-*', 'AUTH-8', 'a valid key, *', prefixes).run((t, other) => {
    const { prefix, rest } = parts(t.target.key)
    return expectTampered(t, prefix === '' ? rest : other + rest)
  }),
]

/** The most characters of a key that are changed in turn, spread over its length. */
const MAX_PLACES = 64

const everyCharacter = check(
  'auth.key-every-character',
  'AUTH-8',
  'a valid key, any one of its characters changed',
).run(async (t) => {
  const { prefix, rest } = parts(t.target.key)
  if (rest === '') t.notApplicable('the key has no characters after its prefix')
  await requireAcceptedKey(t)
  const random = Buffer.from(fakeText(t.seed, 'characters'))
  const tried = Math.min(rest.length, MAX_PLACES)
  for (let nth = 0; nth < tried; nth++) {
    const index = Math.floor((nth * rest.length) / tried)
    const others = ALPHABET.replace(rest.charAt(index), '')
    const character = others.charAt((random[nth % random.length] ?? 0) % others.length)
    const authorization = `Bearer ${prefix}${replaceAt(rest, index, character)}`
    await expectEverywhere(t, authorization, status(401))
  }
})

export const wrongKeyCases: readonly Case[] = [...wrong, ...tampered, everyCharacter]
