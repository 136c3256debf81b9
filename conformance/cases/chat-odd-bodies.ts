// Bodies that trip parsers, validators and engines up: each is to be answered, with whatever status (CHAT-9).
import type { CaseContext } from '../case.ts'
import { HALVES, PROMPT, messagesOf, validBody } from './chat-requests.ts'

/** Levels of arrays or objects in one another. */
const NESTING = 100_000

export interface OddBody {
  readonly slug: string
  readonly title: string
  /** The bodies, each sent once, with the headers that go with it. */
  requests(
    t: CaseContext,
  ): readonly (readonly [body: string | Uint8Array, headers?: Readonly<Record<string, string>>])[]
}

/** A valid body as text, with a raw JSON value for one more member. */
function withMember(t: CaseContext, name: string, literal: string): string {
  return `${JSON.stringify(validBody(t)).slice(0, -1)},${JSON.stringify(name)}:${literal}}`
}

/** A valid body in bytes, with these bytes in place of the text of its message. */
function withContentBytes(t: CaseContext, ...bytes: readonly number[]): Uint8Array {
  const [before = '', behind = ''] = JSON.stringify(validBody(t)).split(PROMPT)
  return Buffer.concat([Buffer.from(before), Uint8Array.from(bytes), Buffer.from(behind)])
}

export const oddBodies: readonly OddBody[] = [
  {
    slug: 'invalid-utf8',
    title: 'text that is no UTF-8',
    requests: (t) => [
      [withContentBytes(t, 0xff, 0xfe)],
      [withContentBytes(t, 0xe4, 0xb8)],
      [withContentBytes(t, 0xc0, 0x80)],
      [withContentBytes(t, 0xed, 0xa0, 0x80)],
    ],
  },
  {
    slug: 'utf16-body',
    title: 'a body in UTF-16',
    requests: (t) => [[Buffer.from(`\uFEFF${JSON.stringify(validBody(t))}`, 'utf16le')]],
  },
  {
    slug: 'byte-order-mark',
    title: 'a body behind a byte order mark',
    requests: (t) => [[`\uFEFF${JSON.stringify(validBody(t))}`]],
  },
  {
    slug: 'deep-arrays',
    title: `${NESTING} arrays in one another`,
    requests: (t) => [
      ['['.repeat(NESTING) + ']'.repeat(NESTING)],
      [withMember(t, 'metadata', '['.repeat(NESTING) + ']'.repeat(NESTING))],
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
    requests: (t) =>
      ['temperature', 'max_tokens', 'seed'].flatMap((name) =>
        ['1e400', '-1e400', `1${'0'.repeat(5000)}`, '1e-400'].map(
          (literal) => [withMember(t, name, literal)] as const,
        ),
      ),
  },
  {
    slug: 'repeated-names',
    title: 'a name twice in one object',
    requests: (t) => [[withMember(t, 'model', '"other"')], [withMember(t, 'messages', '[]')]],
  },
  {
    slug: 'prototype-names',
    title: "names of an object's own machinery",
    requests: (t) =>
      ['__proto__', 'constructor', 'toString', ''].map(
        (name) => [withMember(t, name, '{"toString":1,"then":{}}')] as const,
      ),
  },
  {
    slug: 'many-members',
    title: '20000 members that no service knows',
    requests: (t) => [
      [
        `${JSON.stringify(validBody(t)).slice(0, -1)},${Array.from({ length: 20_000 }, (_, i) => `"m${i}":${i}`).join()}}`,
      ],
    ],
  },
  {
    slug: 'half-characters',
    title: 'halves of surrogate pairs',
    requests: (t) =>
      HALVES.map((half) => [JSON.stringify({ ...validBody(t), messages: messagesOf(half) })] as const),
  },
  { slug: 'no-bytes', title: 'a body of no bytes', requests: () => [['']] },
  { slug: 'nul-body', title: 'a body of NUL bytes', requests: () => [[new Uint8Array(64)]] },
  {
    slug: 'empty-text',
    title: 'a message without text',
    requests: (t) => [[JSON.stringify({ ...validBody(t), messages: messagesOf('') })]],
  },
  {
    slug: 'odd-content-types',
    title: 'other content types, and none',
    requests: (t) =>
      [
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/json; charset=x',
        'a/',
      ].map((type) => [JSON.stringify(validBody(t)), { 'content-type': type }] as const),
  },
  {
    slug: 'odd-content-encodings',
    title: 'content encodings that the body does not have',
    requests: (t) =>
      ['gzip', 'deflate', 'br', 'x-unknown'].map(
        (encoding) => [JSON.stringify(validBody(t)), { 'content-encoding': encoding }] as const,
      ),
  },
  {
    slug: 'chunked-body',
    title: 'a body of unannounced length',
    requests: (t) => [
      [JSON.stringify(validBody(t)), { 'content-length': '', 'transfer-encoding': 'chunked' }],
    ],
  },
]
