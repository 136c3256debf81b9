// Finds the parts of a text that a public record must not contain: credentials, addresses of machines, home folders. It
// refuses a harmless word rather than publish a key, because a harmless word can be written in another way.
import { IN_ADDRESS, IN_USER_INFO, KEY_FORMS, NAMED } from '../../../../spec/protocol/credential-places.ts'
import { isOrdinary } from '../../../../harness/secrets/redact.ts'

/** The length from which the beginning of a key is one, in characters behind its prefix: a public text has no cut keys either. */
const CUT_KEY_CHARS = 5

/** The kind of each pattern, in the words of the message. A group of the pattern is the value that may be a placeholder. */
const PATTERNS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a key of this service', /svc_sk_\w/gi],
  ...KEY_FORMS.map(([what, start, char, least]): [string, RegExp] => [
    what,
    new RegExp(
      `(?<![a-z0-9])(${start}${char}{${Math.min(least, what === 'a key' ? CUT_KEY_CHARS : Infinity)},})`,
      'gi',
    ),
  ]),
  ['a credential', /\b(?:bearer|basic)\s+([^\s"'`,;]+)/gi],
  [
    'a credential',
    new RegExp(
      `(?:${NAMED}|(?:\\b|_|-)keys?|token)["']?(?:\\s*[:=]\\s*|\\s+(?=\\S*\\d))["']?(?:(?:bearer|basic)\\s+)?([^\\s"'\`,;)]+)`,
      'gi',
    ),
  ],
  ['a credential', new RegExp(`(${IN_ADDRESS.source})`, 'gi')],
  ['credentials in an address', new RegExp(`(${IN_USER_INFO.source})`, 'g')],
  ['a UUID', /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi],
  ['a home folder', /(?<![\w.])(?:\/home\/|\/Users\/|\/root\b|[A-Z]:\\+Users\\)/gi],
]

/** A hash that names a version of public code or of an image. */
const PUBLIC_HASH = /(?<=sha(?:1|256|512)[:-]|@|#|\/|commit[ =]|checkout )[0-9a-f]{40,64}\b/g

/** Places from which public software is installed: their addresses may be written. */
const DOWNLOADS =
  /^(?:(?:www\.|raw\.)?github(?:usercontent)?\.com|huggingface\.co|pypi\.org|download\.pytorch\.org|registry\.npmjs\.org|ghcr\.io|docker\.io|quay\.io)$/

/** Returns the kind of what must not be public in a text, for example "a key"; undefined if nothing is found. */
export function leakIn(text: string): string | undefined {
  for (const [what, pattern] of PATTERNS)
    for (const [, value] of text.matchAll(pattern))
      if (value === undefined || !isPlaceholder(value)) return what
  const words = text.replaceAll(PUBLIC_HASH, '').match(/[A-Za-z0-9+]{16,}/g) ?? []
  if (words.some(isRandom)) return 'a random word, as keys are'
  return addressesIn(text).every(isOpenAddress) ? undefined : 'an address other than loopback'
}

/** `$KEY`, `<key>`, `{api_key}`, `KEY`, `…` and the keys that the documentation of local servers shows. */
function isPlaceholder(value: string): boolean {
  return /^(?:[$<{%`…*.[]|[A-Z_]+$)/.test(value) || isOrdinary(value.replace(/[.:]+$/, ''))
}

/** Whether letters and digits alternate as no name does: names have their digits together, at the end. */
function isRandom(word: string): boolean {
  if (!/\d/.test(word) || !/[a-z]/i.test(word)) return false
  const changes = word.match(/\d(?=[a-z])|[a-z](?=\d)/gi)?.length ?? 0
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word)
  return word.length >= 20 ? changes >= 3 || (isMixed && changes >= 2) : isMixed && changes >= 4
}

/** Hosts of addresses, IP addresses, and names with a port. */
function addressesIn(text: string): readonly string[] {
  const urls = [...text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/(?:[^/\s"'@]*@)?(\[[^\]]*\]|[^\s/:"'`)>,]*)/gi)]
  const rest = text.replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/\S*/gi, ' ')
  const numbers = [...rest.matchAll(/(?<![\w.]|[=~]=)(\d{1,3}(?:\.\d{1,3}){3})(?![\w.]*\d)/g)]
  const six = [
    ...rest.matchAll(
      /(?<![\w:])((?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})+|[0-9a-f]{0,4}::[0-9a-f:]*)(?![\w:])/gi,
    ),
  ]
  const names = [...rest.matchAll(/(?<![\w./-])([a-z][\w-]*(?:\.[\w-]+)*)(?=:\d{4,5}\b)/gi)]
  const local = [...rest.matchAll(/\b([\w-]+(?:\.[\w-]+)*\.(?:local|internal|lan|corp|intranet))\b/gi)]
  return [...urls, ...numbers, ...six, ...names, ...local].map(([, host = '']) => host.toLowerCase())
}

/** Loopback, every interface of the own machine, a placeholder, or a place of downloads. */
function isOpenAddress(host: string): boolean {
  return (
    /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1?\]?|)$/.test(host) ||
    /^[$<{%…*]/.test(host) ||
    /(?:^|\.)example(?:\.com|\.org|\.net)?$/.test(host) ||
    DOWNLOADS.test(host)
  )
}
