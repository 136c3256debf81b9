// Replaces each credential of a recording by a mark of its own, everywhere and in every coding. The scheme, spaces and quotes
// around it stay, so that rows about keys can still be judged: `Bearer "svc_sk_abc…"` becomes `Bearer "key-1------"`.
import { LRUCache } from 'lru-cache'
import {
  CREDENTIAL_HEADER,
  HAS_NAME,
  IN_ADDRESS,
  IN_TEXT,
  IN_USER_INFO,
  KEY_FORM,
} from '../../spec/protocol/credential-places.ts'
import { type Found, redact, withoutEscapes } from '../../spec/protocol/codings.ts'
import { KEY_PREFIX, findKeys } from '../../spec/protocol/key.ts'
import { isOrdinary } from '../../harness/secrets/redact.ts'
import { type Secret, createSecretFinder } from '../../harness/secrets/secret-finder.ts'
import type { Headers } from '../../harness/http/exchange.ts'
import type { RecordedExchange } from './recorded-exchange.ts'

/** Whether a recording replaces a part of this text because it has the form of a key. */
export const looksLikeKey = (text: string): boolean => text.search(KEY_FORM) >= 0

/** Length from which a key of this service is one although it is in another case. */
const LEAST_KEY_CHARS = KEY_PREFIX.length + 12

/** Length of the pieces of a credential that are replaced wherever they stand. */
const PIECE_CHARS = 8

/** The most characters of credentials that are looked for in every text; the oldest are forgotten. */
const MOST_KNOWN_CHARS = 64 * 1024

/** The credentials that one body may add; the others that it has get one mark. */
const MOST_ADDED = 200

/** The owner of credentials that were not added. */
const REST = 0

/** The most that is remembered of bodies, in characters. */
const MOST_REMEMBERED_CHARS = 8 * 1024 * 1024

/** A cookie in a list: its name with the separators before its value, and the value. The name may be empty. */
const COOKIE = /((?:^|;)\s*(?:[^;=]*=\s*)?)([^;]*)/g

/** The places and forms that are searched in every coding. */
const PLACES = [IN_ADDRESS, IN_USER_INFO, IN_TEXT]

export type CredentialMarks = ReturnType<typeof createCredentialMarks>

/** Makes the marks of one recording. `mark` returns the mark of this length of a credential, by its number. */
export function createCredentialMarks(secrets: Iterable<string> = [], mark: MakeMark = dashed) {
  const known = new Map<string, Secret>()
  const finder = createSecretFinder()
  /** The credentials that the operator gave: they are never forgotten, and never shown. */
  const given = new Set<number>()
  const secretNames = new Set<string>()
  const shownNames = new Set<string>()
  let [count, chars, room] = [0, 0, Infinity]

  function ownerOf(credential: string): number {
    const text = withoutEscapes(credential)
    const secret = known.get(text)
    if (secret !== undefined) return secret.owner
    if (room === 0) return REST
    room -= 1
    return learn(text).owner
  }

  function learn(text: string): Secret {
    count += 1
    const isKey = text.search(KEY_FORM) === 0
    const secret = { text, owner: count, pieceChars: PIECE_CHARS, isTelling: isKey ? () => true : isMixed }
    known.set(text, secret)
    bodies.clear()
    chars += text.length
    if (!isOrdinary(text)) finder.add(secret)
    for (const oldest of known.values()) {
      if (chars <= MOST_KNOWN_CHARS || oldest === secret) break
      if (given.has(oldest.owner)) continue
      known.delete(oldest.text)
      chars -= oldest.text.length
      finder.remove(oldest)
    }
    return secret
  }

  /** Whether a value is the mark of a credential. */
  function isMark(value: string): boolean {
    const owner = /^key-(\d+)-/.exec(value)?.[1]
    return owner !== undefined && value === mark(Number(owner), value.length)
  }

  const markOf = (credential: string): string =>
    isMark(credential) ? credential : mark(ownerOf(credential), credential.length)

  function find(plain: string): readonly Found[] {
    const placed: Found[] = []
    if (HAS_NAME.test(plain))
      for (const place of PLACES)
        for (const { 0: value, index } of plain.matchAll(place))
          if (!isHidden(value)) placed.push({ from: index, to: index + value.length, owner: ownerOf(value) })
    return [...findKnown(plain), ...placed]
  }

  function findKnown(plain: string): readonly Found[] {
    const keys = [...plain.matchAll(KEY_FORM)].map(({ 0: key, index }) => {
      return { from: index, to: index + key.length, owner: ownerOf(key) }
    })
    return [...keys, ...finder.find(plain), ...otherKeys(plain)]
  }

  /** Whether the value of a place is a mark, or has a credential in it that gets the mark of its own. */
  const isHidden = (value: string): boolean =>
    isMark(value) || redact(value, { find: findKnown, mark, shortest: PIECE_CHARS }) !== value

  const findGiven = (plain: string): readonly Found[] =>
    finder.find(plain).filter(({ owner }) => given.has(owner))

  /** Keys of this service that are not known, in any case. */
  function otherKeys(plain: string): readonly Found[] {
    return findKeys(plain).flatMap(({ from, to }) => {
      const key = plain.slice(from, to)
      if (key.length < LEAST_KEY_CHARS || finder.find(key).length > 0) return []
      return [{ from, to, owner: ownerOf(key) }]
    })
  }

  const text = (value: string): string => redact(value, { find, mark, shortest: PIECE_CHARS })

  /** Bodies that were seen: many come again, and most cross a gateway as they are. A new credential may be in any. */
  const bodies = new LRUCache<string, string>({
    maxSize: MOST_REMEMBERED_CHARS,
    sizeCalculation: (after, before) => 1 + before.length + (after === before ? 0 : after.length),
  })
  function body(before: string): string {
    const known = bodies.get(before)
    if (known !== undefined) return known
    room = MOST_ADDED
    const after = text(before.replace(IN_TEXT, (value) => (isHidden(value) ? value : markOf(value))))
    room = Infinity
    bodies.set(before, after)
    return after
  }

  function header(name: string, value: string): string {
    if (shownNames.has(name.toLowerCase()))
      return redact(value, { find: findGiven, mark, shortest: PIECE_CHARS })
    if (/^cookie2?$/i.test(name)) return value.replace(COOKIE, hidden)
    // The rest of it are attributes.
    if (/^set-cookie2?$/i.test(name)) return value.replace(new RegExp(COOKIE.source), hidden)
    if (/^(?:referer|location|content-location)$/i.test(name)) return address(value)
    if (!CREDENTIAL_HEADER.test(name) && !secretNames.has(name.toLowerCase())) return text(value)
    // A list of parameters behind a scheme: `Digest`, `OAuth`, `Token token=`, signatures of AWS.
    if (/^\s*[\w-]+\s+[\w-]+\s*=\s*"?[^"=\s]/.test(value))
      return value.replace(/(?<==\s*"?)[^",\s]+/g, markOf)
    const credential = /^(\s*(?:[A-Za-z][\w-]*\s+)?["']?)([^\s"']+)(.*)$/s.exec(value)
    if (credential === null) return text(value)
    const [, before = '', secret = '', after = ''] = credential
    return before + markOf(secret) + text(after).replace(/[^\s"',;]+/g, markOf)
  }

  const hidden = (_: string, before: string, value: string): string =>
    before + (value === '' ? '' : markOf(value))

  function address(value: string): string {
    return text(value.replace(IN_ADDRESS, markOf).replace(IN_USER_INFO, markOf))
  }
  const headers = (list: Headers): Headers => list.map(([name, value]) => [name, header(name, value)])

  function bytes(own: Uint8Array): Uint8Array {
    const before = Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString('latin1')
    const after = body(before)
    return after === before ? own : Buffer.from(after, 'latin1')
  }

  /** Hides these texts wherever they stand, from now on. */
  function addSecrets(texts: Iterable<string>): void {
    for (const secret of texts) {
      const owner = ownerOf(secret)
      if (!given.has(owner)) chars -= withoutEscapes(secret).length
      given.add(owner)
    }
  }

  addSecrets(secrets)
  return {
    addSecrets,
    /** Shows the values of these headers, but for what the operator gave as a secret. */
    keepHeaders(names: Iterable<string>): void {
      for (const name of names) shownNames.add(name.toLowerCase())
    },
    /** Replaces the values of these headers from now on, and their words wherever they stand: the operator gave them. */
    addHeaders(headersGiven: Readonly<Record<string, string>>): void {
      for (const [name, value] of Object.entries(headersGiven)) {
        if (shownNames.has(name.toLowerCase())) continue
        secretNames.add(name.toLowerCase())
        addSecrets(value.split(/\s+/).filter((word) => !isOrdinary(word)))
      }
    },
    of: markOf,
    /** The text of an address. */
    text: address,
    headers,
    /** The exchange with marks instead of its credentials, and of all that were seen before. */
    apply({ request, response, ...rest }: RecordedExchange): RecordedExchange {
      // First, so that the key of a request is known in its own address.
      const sent = headers(request.headers)
      return {
        ...rest,
        request: {
          ...request,
          headers: sent,
          url: address(request.url),
          path: address(request.path),
          ...(request.body === undefined ? {} : { body: bytes(request.body) }),
        },
        response: response && { ...response, headers: headers(response.headers), body: bytes(response.body) },
      }
    },
  }
}

/** The mark of a credential begins with `key-` and its number. Its length stays, so that lengths and pieces of bodies do. */
export type MakeMark = (owner: number, length: number) => string

const dashed: MakeMark = (owner, length) => `key-${owner}`.padEnd(length, '-')

/** Whether letters mix with digits or with the other case: words and numbers of other text do not. */
const isMixed = (piece: string): boolean => /[a-z][A-Z]|[A-Za-z].*\d|\d.*[A-Za-z]/.test(piece)
