// Bodies that are hard for parsers, validators and engines: each gets an answer, of any status (CHAT-9).
import type { Variants } from '../../case.ts'
import { HALVES, PROMPT, messagesOf, type shortBody } from '../requests/chat-calls.ts'

/** Levels of arrays or objects in one another. */
const NESTING = 100_000

type Valid = Awaited<ReturnType<typeof shortBody>>

/** The bodies, each sent once, with the headers that go with it. */
type Requests = readonly (readonly [body: string | Uint8Array, headers?: Readonly<Record<string, string>>])[]

/** A valid body as text, with a raw JSON value for one more member. */
function withMember(valid: Valid, name: string, literal: string): string {
  return `${JSON.stringify(valid).slice(0, -1)},${JSON.stringify(name)}:${literal}}`
}

/** A valid body in bytes, with these bytes in place of the text of its message. */
function withContentBytes(valid: Valid, ...bytes: readonly number[]): Uint8Array {
  const [before = '', behind = ''] = JSON.stringify(valid).split(PROMPT)
  return Buffer.concat([Buffer.from(before), Uint8Array.from(bytes), Buffer.from(behind)])
}

export const oddBodies: Variants<[requests: (valid: Valid) => Requests]> = {
  'invalid-utf8': [
    'text that is not UTF-8',
    (valid) => [
      [withContentBytes(valid, 0xff, 0xfe)],
      [withContentBytes(valid, 0xe4, 0xb8)],
      [withContentBytes(valid, 0xc0, 0x80)],
      [withContentBytes(valid, 0xed, 0xa0, 0x80)],
    ],
  ],
  'utf16-body': ['a body in UTF-16', (valid) => [[Buffer.from(`\uFEFF${JSON.stringify(valid)}`, 'utf16le')]]],
  'byte-order-mark': ['a body behind a byte order mark', (valid) => [[`\uFEFF${JSON.stringify(valid)}`]]],
  'deep-arrays': [
    `${NESTING} arrays in one another`,
    (valid) => [
      ['['.repeat(NESTING) + ']'.repeat(NESTING)],
      [withMember(valid, 'metadata', '['.repeat(NESTING) + ']'.repeat(NESTING))],
    ],
  ],
  'deep-objects': [
    `${NESTING} objects in one another`,
    () => [[`${'{"messages":'.repeat(NESTING)}1${'}'.repeat(NESTING)}`]],
  ],
  'unclosed-arrays': [`${NESTING} arrays that are never closed`, () => [['['.repeat(NESTING)]]],
  'huge-numbers': [
    'numbers beyond every type',
    (valid) =>
      ['temperature', 'max_tokens', 'seed'].flatMap((name) =>
        ['1e400', '-1e400', `1${'0'.repeat(5000)}`, '1e-400'].map(
          (literal) => [withMember(valid, name, literal)] as const,
        ),
      ),
  ],
  'repeated-names': [
    'a name twice in one object',
    (valid) => [[withMember(valid, 'model', '"other"')], [withMember(valid, 'messages', '[]')]],
  ],
  'prototype-names': [
    "names of an object's own machinery",
    (valid) =>
      ['__proto__', 'constructor', 'toString', ''].map(
        (name) => [withMember(valid, name, '{"toString":1,"then":{}}')] as const,
      ),
  ],
  'many-members': [
    '20000 members that no service knows',
    (valid) => [
      [
        `${JSON.stringify(valid).slice(0, -1)},${Array.from({ length: 20_000 }, (_, i) => `"m${i}":${i}`).join()}}`,
      ],
    ],
  ],
  'half-characters': [
    'halves of surrogate pairs',
    (valid) => HALVES.map((half) => [JSON.stringify({ ...valid, messages: messagesOf(half) })] as const),
  ],
  'no-bytes': ['a body of no bytes', () => [['']]],
  'nul-body': ['a body of NUL bytes', () => [[new Uint8Array(64)]]],
  'empty-text': [
    'a message without text',
    (valid) => [[JSON.stringify({ ...valid, messages: messagesOf('') })]],
  ],
  'odd-content-types': [
    'other content types, and none',
    (valid) =>
      [
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/json; charset=x',
        'a/',
      ].map((type) => [JSON.stringify(valid), { 'content-type': type }] as const),
  ],
  'odd-content-encodings': [
    'content encodings that the body does not have',
    (valid) =>
      ['gzip', 'deflate', 'br', 'x-unknown'].map(
        (encoding) => [JSON.stringify(valid), { 'content-encoding': encoding }] as const,
      ),
  ],
  'chunked-body': [
    'a body of unannounced length',
    (valid) => [[JSON.stringify(valid), { 'content-length': '', 'transfer-encoding': 'chunked' }]],
  ],
}
