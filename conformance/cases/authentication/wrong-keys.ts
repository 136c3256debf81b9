// Keys that are no keys: malformed, made up, revoked (AUTH-4), and good ones changed in one thing (AUTH-8).
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { refused, status } from '../../../harness/verify/verify.ts'
import { modelList, requiredEndpoints } from '../requests/endpoints.ts'
import { requireAcceptedKey } from './header-forms.ts'
import { madeUpKey, madeUpText } from '../requests/fake.ts'

interface WrongKey {
  readonly slug: string
  readonly title: string
  key(t: CaseContext): string | Promise<string>
}

const invalid = { type: 'authentication_error', code: 'invalid_api_key' }

const wrongKeys: readonly WrongKey[] = [
  { slug: 'unknown-key', title: 'a key that nobody has', key: (t) => madeUpKey(t.seed, 'unknown key') },
  { slug: 'revoked-key', title: 'a revoked key', key: (t) => t.target.revokedKey() },
  { slug: 'prefix-alone', title: 'the prefix alone', key: () => KEY_PREFIX },
  { slug: 'other-prefix', title: 'another prefix', key: (t) => `sk-${madeUpText(t.seed, 'other prefix')}` },
  { slug: 'any-word', title: 'a word that is no key', key: () => 'anything' },
  { slug: 'bracketed-key', title: 'a key in angle brackets', key: (t) => `<${t.target.key}>` },
  { slug: 'null-word', title: 'the word `null`', key: () => 'null' },
  { slug: 'wildcard-key', title: 'a wildcard for the key', key: () => `${KEY_PREFIX}%` },
  { slug: 'injected-key', title: 'a piece of SQL', key: () => `'OR'1'='1` },
  // A table of keys that is a plain object knows this one.
  { slug: 'property-name', title: "the name of every object's property", key: () => 'constructor' },
  { slug: 'long-key', title: 'a key of 2048 characters', key: () => KEY_PREFIX.padEnd(2048, 'A') },
]

const wrong: readonly Case[] = wrongKeys.map(({ slug, title, key }) =>
  defineCase({
    id: `auth.${slug}`,
    requirement: 'AUTH-4',
    title,
    async run(t) {
      const authorization = `Bearer ${await key(t)}`
      for (const endpoint of requiredEndpoints)
        t.expect(await t.send({ ...endpoint.request(t), authorization }), refused(401, invalid))
    },
  }),
)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A key in two parts: the prefix, which a changed key keeps, and the secret rest. */
function parts(key: string): { readonly prefix: string; readonly rest: string } {
  const prefix = key.startsWith(KEY_PREFIX) ? KEY_PREFIX : ''
  return { prefix, rest: key.slice(prefix.length) }
}

function replaceAt(text: string, index: number, character: string): string {
  return text.slice(0, index) + character + text.slice(index + 1)
}

/** The next character of the alphabet, or its first one: never the same. */
function another(character: string): string {
  return ALPHABET[(ALPHABET.indexOf(character) + 1) % ALPHABET.length] ?? 'A'
}

function changedAt(rest: string, index: number): string {
  return replaceAt(rest, index, another(rest.charAt(index)))
}

/**
 * The last character of 43 in base64url stands for four bits, so that four characters decode to the same bytes:
 * this is another one of those four.
 */
function sameBytes(rest: string): string {
  const last = rest.length - 1
  return replaceAt(rest, last, ALPHABET.charAt(ALPHABET.indexOf(rest.charAt(last)) ^ 1))
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

interface Tampering {
  readonly slug: string
  readonly title: string
  /** What becomes of the part behind the prefix. */
  tamper(rest: string): string
}

const tamperings: readonly Tampering[] = [
  { slug: 'first-character', title: 'its first character changed', tamper: (rest) => changedAt(rest, 0) },
  {
    slug: 'middle-character',
    title: 'a character in its middle changed',
    tamper: (rest) => changedAt(rest, Math.floor(rest.length / 2)),
  },
  {
    slug: 'last-character',
    title: 'its last character changed',
    tamper: (rest) => changedAt(rest, rest.length - 1),
  },
  { slug: 'same-bytes', title: 'its last character changed to one that decodes alike', tamper: sameBytes },
  { slug: 'other-case', title: 'small and capital letters swapped', tamper: swapCase },
  { slug: 'reversed', title: 'its characters reversed', tamper: (rest) => [...rest].toReversed().join('') },
  { slug: 'truncated-by-one', title: 'its last character missing', tamper: (rest) => rest.slice(0, -1) },
  {
    slug: 'truncated-in-half',
    title: 'its second half missing',
    tamper: (rest) => rest.slice(0, rest.length / 2),
  },
  { slug: 'first-character-missing', title: 'its first character missing', tamper: (rest) => rest.slice(1) },
  { slug: 'extended-by-one', title: 'one character more', tamper: (rest) => `${rest}A` },
  { slug: 'extended-by-padding', title: 'an equals sign more', tamper: (rest) => `${rest}=` },
  { slug: 'extended-by-a-dot', title: 'a dot and a word more', tamper: (rest) => `${rest}.admin` },
  { slug: 'doubled', title: 'itself twice', tamper: (rest) => rest + rest },
]

const tampered: readonly Case[] = tamperings.map(({ slug, title, tamper }) =>
  defineCase({
    id: `auth.key-${slug}`,
    requirement: 'AUTH-8',
    title: `a good key, ${title}`,
    async run(t) {
      const { prefix, rest } = parts(t.target.key)
      const changed = tamper(rest)
      if (changed === rest) t.notApplicable('this change leaves the key as it is')
      for (const endpoint of requiredEndpoints) {
        const authorization = `Bearer ${prefix}${changed}`
        t.expect(await t.send({ ...endpoint.request(t), authorization }), status(401))
      }
      await requireAcceptedKey(t)
    },
  }),
)

/** Every place of a key is tried; of a longer one so many, spread over its length. */
const MAX_PLACES = 64

const everyCharacter = defineCase({
  id: 'auth.key-every-character',
  requirement: 'AUTH-8',
  title: 'a good key, any one of its characters changed',
  async run(t) {
    const { prefix, rest } = parts(t.target.key)
    if (rest === '') t.notApplicable('there is nothing in the key to change')
    await requireAcceptedKey(t)
    const random = Buffer.from(madeUpText(t.seed, 'characters'))
    const tried = Math.min(rest.length, MAX_PLACES)
    for (let nth = 0; nth < tried; nth++) {
      const index = Math.floor((nth * rest.length) / tried)
      const others = ALPHABET.replace(rest.charAt(index), '')
      const character = others.charAt((random[nth % random.length] ?? 0) % others.length)
      const authorization = `Bearer ${prefix}${replaceAt(rest, index, character)}`
      t.expect(await t.send({ ...modelList.request(t), authorization }), status(401))
    }
  },
})

export const wrongKeyCases: readonly Case[] = [...wrong, ...tampered, everyCharacter]
