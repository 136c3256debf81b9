// Bodies that are hard for parsers, validators and engines: each gets an answer, of any status (CHAT-9).
import { HALVES, PROMPT, messagesOf, type shortBody } from '../requests/chat.ts'

/** Levels of arrays or objects in one another. */
const NESTING = 100_000

export interface OddBody {
  readonly slug: string
  readonly title: string
  /** The bodies, each sent once, with the headers that go with it. */
  requests(
    valid: Valid,
  ): readonly (readonly [body: string | Uint8Array, headers?: Readonly<Record<string, string>>])[]
}

type Valid = Awaited<ReturnType<typeof shortBody>>

/** A valid body as text, with a raw JSON value for one more member. */
function withMember(valid: Valid, name: string, literal: string): string {
  return `${JSON.stringify(valid).slice(0, -1)},${JSON.stringify(name)}:${literal}}`
}

/** A valid body in bytes, with these bytes in place of the text of its message. */
function withContentBytes(valid: Valid, ...bytes: readonly number[]): Uint8Array {
  const [before = '', behind = ''] = JSON.stringify(valid).split(PROMPT)
  return Buffer.concat([Buffer.from(before), Uint8Array.from(bytes), Buffer.from(behind)])
}

export const oddBodies: readonly OddBody[] = [
  {
    slug: 'invalid-utf8',
    title: 'text that is not UTF-8',
    requests: (valid) => [
      [withContentBytes(valid, 0xff, 0xfe)],
      [withContentBytes(valid, 0xe4, 0xb8)],
      [withContentBytes(valid, 0xc0, 0x80)],
      [withContentBytes(valid, 0xed, 0xa0, 0x80)],
    ],
  },
  {
    slug: 'utf16-body',
    title: 'a body in UTF-16',
    requests: (valid) => [[Buffer.from(`\uFEFF${JSON.stringify(valid)}`, 'utf16le')]],
  },
  {
    slug: 'byte-order-mark',
    title: 'a body behind a byte order mark',
    requests: (valid) => [[`\uFEFF${JSON.stringify(valid)}`]],
  },
  {
    slug: 'deep-arrays',
    title: `${NESTING} arrays in one another`,
    requests: (valid) => [
      ['['.repeat(NESTING) + ']'.repeat(NESTING)],
      [withMember(valid, 'metadata', '['.repeat(NESTING) + ']'.repeat(NESTING))],
    ],
  },
  {
    slug: 'deep-objects',
    title: `${NESTING} objects in one another`,
    requests: () => [[`${'{"messages":'.repeat(NESTING)}1${'}'.repeat(NESTING)}`]],
  },
  {
    slug: 'unclosed-arrays',
    title: `${NESTING} arrays that are never closed`,
    requests: () => [['['.repeat(NESTING)]],
  },
  {
    slug: 'huge-numbers',
    title: 'numbers beyond every type',
    requests: (valid) =>
      ['temperature', 'max_tokens', 'seed'].flatMap((name) =>
        ['1e400', '-1e400', `1${'0'.repeat(5000)}`, '1e-400'].map(
          (literal) => [withMember(valid, name, literal)] as const,
        ),
      ),
  },
  {
    slug: 'repeated-names',
    title: 'a name twice in one object',
    requests: (valid) => [[withMember(valid, 'model', '"other"')], [withMember(valid, 'messages', '[]')]],
  },
  {
    slug: 'prototype-names',
    title: "names of an object's own machinery",
    requests: (valid) =>
      ['__proto__', 'constructor', 'toString', ''].map(
        (name) => [withMember(valid, name, '{"toString":1,"then":{}}')] as const,
      ),
  },
  {
    slug: 'many-members',
    title: '20000 members that no service knows',
    requests: (valid) => [
      [
        `${JSON.stringify(valid).slice(0, -1)},${Array.from({ length: 20_000 }, (_, i) => `"m${i}":${i}`).join()}}`,
      ],
    ],
  },
  {
    slug: 'half-characters',
    title: 'halves of surrogate pairs',
    requests: (valid) =>
      HALVES.map((half) => [JSON.stringify({ ...valid, messages: messagesOf(half) })] as const),
  },
  { slug: 'no-bytes', title: 'a body of no bytes', requests: () => [['']] },
  { slug: 'nul-body', title: 'a body of NUL bytes', requests: () => [[new Uint8Array(64)]] },
  {
    slug: 'empty-text',
    title: 'a message without text',
    requests: (valid) => [[JSON.stringify({ ...valid, messages: messagesOf('') })]],
  },
  {
    slug: 'odd-content-types',
    title: 'other content types, and none',
    requests: (valid) =>
      [
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/json; charset=x',
        'a/',
      ].map((type) => [JSON.stringify(valid), { 'content-type': type }] as const),
  },
  {
    slug: 'odd-content-encodings',
    title: 'content encodings that the body does not have',
    requests: (valid) =>
      ['gzip', 'deflate', 'br', 'x-unknown'].map(
        (encoding) => [JSON.stringify(valid), { 'content-encoding': encoding }] as const,
      ),
  },
  {
    slug: 'chunked-body',
    title: 'a body of unannounced length',
    requests: (valid) => [[JSON.stringify(valid), { 'content-length': '', 'transfer-encoding': 'chunked' }]],
  },
]
