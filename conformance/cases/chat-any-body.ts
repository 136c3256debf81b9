// Every request is answered, whatever its body: no server error, no hang, no broken connection (CHAT-9).
import fc from 'fast-check'
import { type Case, type CaseContext, defineCase } from '../case.ts'
import type { Exchange } from '../probe.ts'
import { property } from '../property.ts'
import { TransportError } from '../signals.ts'
import { type Verifier, completeAnswer, showBody } from '../verify.ts'
import { HALVES, PROMPT, messagesOf, postRaw, validBody } from './chat-requests.ts'

/** A body that a service may refuse by its size, in bytes. */
const LARGE_BODY_BYTES = 8 * 1024 * 1024

/** A connection that is closed while a large body goes out may take the answer with it: so often it is tried. */
const LARGE_BODY_ATTEMPTS = 3

/** Examples of a property on a model that does not echo: what is valid by chance costs it a whole answer. */
const FEW_RUNS = 20

/** Levels of arrays or objects in one another. */
const NESTING = 100_000

/** No 5xx but the 503 of overload. */
export function notServerError(): Verifier {
  return (exchange) => {
    const { status } = exchange.response
    if (status < 500 || status === 503) return undefined
    return { expected: 'an answer below 500, or 503', actual: `status ${status}, ${showBody(exchange)}` }
  }
}

/** An answer that is no server error and comes to its end. */
const answered: readonly Verifier[] = [notServerError(), completeAnswer()]

interface OddBody {
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

const oddBodies: readonly OddBody[] = [
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
        JSON.stringify({
          ...validBody(t),
          ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${i}`, i])),
        }),
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

/** Members that JSON values of every kind are tried for; messages among them. */
const members = [
  'model',
  'messages',
  'stream',
  'temperature',
  'stop',
  'max_tokens',
  'tools',
  'tool_choice',
  'response_format',
  'logit_bias',
  'metadata',
  'stream_options',
] as const

/** Holds what a property sends to be answered. */
async function everyAnswered(t: CaseContext, bodies: fc.Arbitrary<string | Uint8Array>): Promise<void> {
  const runs = (await t.target.echoes()) ? t.runs : Math.min(t.runs, FEW_RUNS)
  await property(t, bodies, async (body) => t.expect(await postRaw(t, body), ...answered), { runs })
}

export const anyBodyCases: readonly Case[] = [
  ...oddBodies.map(({ slug, title, requests }) =>
    defineCase({
      id: `chat.${slug}`,
      requirement: 'CHAT-9',
      title,
      async run(t) {
        for (const [body, headers] of requests(t)) t.expect(await postRaw(t, body, headers), ...answered)
      },
    }),
  ),
  defineCase({
    id: 'chat.random-bytes',
    requirement: 'CHAT-9',
    title: 'random bytes',
    run: (t) => everyAnswered(t, fc.uint8Array({ maxLength: 512 })),
  }),
  defineCase({
    id: 'chat.damaged-body',
    requirement: 'CHAT-9',
    title: 'a valid body with one byte changed, anywhere',
    async run(t) {
      const valid = Buffer.from(JSON.stringify(validBody(t)))
      const change = fc.tuple(fc.nat(valid.length - 1), fc.nat(255))
      await everyAnswered(
        t,
        change.map(([at, byte]) => valid.with(at, byte)),
      )
    },
  }),
  defineCase({
    id: 'chat.any-json',
    requirement: 'CHAT-9',
    title: 'any JSON value for any member',
    async run(t) {
      const member = fc.tuple(fc.constantFrom(...members), fc.jsonValue({ maxDepth: 3 }))
      await everyAnswered(
        t,
        member.map(([name, value]) => JSON.stringify({ ...validBody(t), [name]: value })),
      )
    },
  }),
  defineCase({
    id: 'chat.any-message',
    requirement: 'CHAT-9',
    title: 'any JSON value in a message',
    async run(t) {
      const message = fc.dictionary(
        fc.constantFrom('role', 'content', 'name', 'tool_calls', 'tool_call_id'),
        fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('system', 'user', 'assistant', 'tool')),
      )
      await everyAnswered(
        t,
        message.map((value) => JSON.stringify({ ...validBody(t), messages: [value] })),
      )
    },
  }),
  defineCase({
    id: 'chat.large-body',
    requirement: 'CHAT-9',
    title: `a body of ${LARGE_BODY_BYTES / 1024 / 1024} MiB`,
    async run(t) {
      // Not valid either, so that no model is given so much to read.
      const { messages: _, ...others } = validBody(t)
      const body = `${JSON.stringify(others).slice(0, -1)},"messages":"${'a'.repeat(LARGE_BODY_BYTES)}"}`
      t.expect(await largeBodyAnswer(t, body), ...answered)
    },
  }),
]

async function largeBodyAnswer(t: CaseContext, body: string): Promise<Exchange> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await postRaw(t, body)
    } catch (error) {
      if (!(error instanceof TransportError) || attempt === LARGE_BODY_ATTEMPTS) throw error
    }
  }
}
