// Hostile bodies of chat completion requests: derived from the schema, or long, numerous and deep.
import * as fc from 'fast-check'
import { openApiDocument } from '../../generate/request-schema.ts'
import { ChatRequests, bodyText } from '../../generate/chat-requests.ts'
import { hostileSchema } from '../../generate/hostile-schemas.ts'
import type { Json } from '../../../spec/openapi/schema-walk.ts'
import type { Piece } from './attack.ts'
import { bodyOf, costs } from './costly-bodies.ts'

/** The largest body that the specification promises to read, in bytes. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024

/** The room below the size limit, in bytes, for the rest of a body around its long part. */
const ROOM_BYTES = 4096

export interface Body {
  readonly kind: string
  readonly pieces: readonly Piece[]
}

type Pieces = fc.Arbitrary<readonly Piece[]>

/** How much more often than the others a kind occurs. */
const WEIGHTS: Readonly<Record<string, number>> = { costly: 4, schema: 3, tools: 2 }

export function hostileBody(model: string): fc.Arbitrary<Body> {
  const kinds = Object.entries(kindsOf(model)).map(([kind, body]) => ({
    weight: WEIGHTS[kind] ?? 1,
    arbitrary: body.map((pieces): Body => ({ kind, pieces })),
  }))
  return fc.oneof(...kinds)
}

function kindsOf(model: string): Readonly<Record<string, Pieces>> {
  const asked = JSON.stringify(model)
  const stream = fc.constantFrom(
    '',
    ',"stream":true',
    ',"stream":true,"stream_options":{"include_usage":true}',
  )
  const whole = (body: fc.Arbitrary<Json>): Pieces => body.map((value) => [{ text: bodyText(value) }])
  /** A body with these members beside the model and a message. */
  const members = (pieces: Pieces, content = 'hello'): Pieces =>
    fc.tuple(pieces, stream).map(([middle, streamed]) => {
      const messages = JSON.stringify([{ role: 'user', content }])
      return wrap(`{"model":${asked},"messages":${messages}${streamed},`, middle, '}')
    })
  /** A body with a long last message, and these members. */
  const asking = (content: Pieces, more: fc.Arbitrary<string>): Pieces =>
    fc.tuple(content, more, stream).map(([long, after, streamed]) => {
      const before = `{"model":${asked}${streamed}${after},"messages":[{"role":"user","content":"`
      return wrap(before, long, '"}]}')
    })
  const requests = new ChatRequests(openApiDocument(), { unknownMembers: true })
  return {
    valid: whole(requests.valid(model)),
    mutated: whole(
      fc
        .constantFrom(...requests.places)
        .chain((place) => requests.random(place, model))
        .map(({ body }) => body),
    ),
    costly: costs.map((chosen) => bodyOf(model, chosen)),
    schema: asking(tediousText, responseFormat),
    tools: members(tools, '#call t0\n#call t1 {"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}'),
    stop: members(repeated('a', 400_000).map((pieces) => wrap('"stop":["', pieces, '","b","c","d"]'))),
    metadata: members(
      numbered('"k{n}":"{n}",', 100_000).map((piece) => wrap('"metadata":{', [piece], '"z":""}')),
    ),
    logit_bias: members(
      numbered('"{n}":-1,', 300_000).map((piece) => wrap('"logit_bias":{', [piece], '"0":1}')),
    ),
    'duplicate keys': members(
      repeated('"temperature":1,', 200_000).map(([piece]) => [piece, { text: '"temperature":2' }]),
    ),
    'unknown members': members(numbered('"x{n}":{},', 200_000).map((piece) => [piece, { text: '"y":1' }])),
    deep: members(deep),
    number: members(
      fc
        .tuple(fc.constantFrom('seed', 'n', 'max_tokens', 'temperature'), number)
        .map(([name, value]) => wrap(`"${name}":`, [value], '')),
    ),
    messages: messages(asked),
    surrogates: asking(repeated('\\ud800', 100_000), fc.constant('')),
    'not JSON': notJson,
  }
}

const wrap = (before: string, pieces: readonly Piece[], after: string): readonly Piece[] => [
  { text: before },
  ...pieces,
  { text: after },
]

/** A repetition count up to `most`; small counts are as likely as those that fill a body. */
function count(text: string, most: number): fc.Arbitrary<number> {
  const room = Math.min(most, Math.floor((BODY_LIMIT_BYTES - ROOM_BYTES) / Buffer.byteLength(text)))
  return fc.oneof(
    fc.integer({ min: 1, max: Math.min(50, room) }),
    fc.integer({ min: 1, max: Math.ceil(room / 20) }),
    fc.integer({ min: Math.ceil(room / 2), max: room }),
  )
}

const repeated = (text: string, most: number): fc.Arbitrary<readonly [Piece]> =>
  count(text, most).map((times) => [{ text, times }] as const)

/** Room for six digits in each repetition. */
const numbered = (text: string, most: number): fc.Arbitrary<Piece> =>
  count(text.replaceAll('{n}', '100000'), most).map((times) => ({ text, times, numbered: true as const }))

/** Texts that are expensive to match against a schema. */
const tediousText: Pieces = fc.oneof(
  fc.constantFrom('{}', 'null', '\\"a\\"', '{\\"a\\":1}', 'no JSON').map((text) => [{ text }]),
  repeated('a', 100_000).map((piece) => wrap('\\"', piece, '!\\"')),
  repeated('[', 100_000),
  numbered('[{n}],', 20_000).map((piece) => wrap('[', [piece], '0]')),
)

const responseFormat = hostileSchema.map(
  (schema) =>
    `,"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${JSON.stringify(schema)}}}`,
)

const tools: Pieces = fc
  .tuple(
    fc.array(hostileSchema, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 200 }),
    fc.boolean(),
  )
  .map(([schemas, count, strict]) => {
    const tool = (place: number): string =>
      `{"type":"function","function":{"name":"t${place}","strict":${strict},"parameters":${JSON.stringify(schemas[place % schemas.length])}}}`
    // Some schemas are large: tools are added while they fit.
    let text = tool(0)
    for (let place = 1; place < count && text.length < BODY_LIMIT_BYTES / 4; place += 1)
      text += `,${tool(place)}`
    return wrap('"tool_choice":"required","tools":[', [{ text }], ']')
  })

const deep: Pieces = fc
  .tuple(
    fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const),
    fc.boolean(),
    fc.integer({ min: 1, max: 400_000 }),
  )
  .map(([[open, close], isClosed, times]) =>
    wrap(
      '"metadata":',
      [{ text: open, times }, { text: '1' }, { text: close, times: isClosed ? times : 0 }],
      '',
    ),
  )

const number: fc.Arbitrary<Piece> = fc.oneof(
  fc
    .constantFrom('1e999', '-0', '1E+2', '9007199254740993', '0.1e-400', '01', '+1', 'NaN', '1.')
    .map((text) => ({ text })),
  repeated('9', 1_000_000).map(([piece]) => piece),
)

function messages(model: string): Pieces {
  const one = fc.constantFrom(
    '{"role":"user","content":"a"},',
    '{"role":"user","content":[]},',
    '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},',
    '{"role":"assistant","content":null,"tool_calls":[{"id":"{n}","type":"function","function":{"name":"f","arguments":"{}"}}]},',
    '{"role":"tool","tool_call_id":"{n}","content":"a"},',
  )
  return one
    .chain((text) => numbered(text, 100_000))
    .map((piece) => wrap(`{"model":${model},"messages":[`, [piece], '{"role":"user","content":"z"}]}'))
}

const notJson: Pieces = fc.oneof(
  fc.string({ maxLength: 100 }).map((text) => [{ text }]),
  fc
    .constantFrom('', '{', '[]', 'null', '"', '\u{feff}{}', '{"model":', '{} {}', '\0')
    .map((text) => [{ text }]),
  repeated('{', BODY_LIMIT_BYTES),
  repeated('\\', BODY_LIMIT_BYTES),
  repeated(' ', BODY_LIMIT_BYTES),
  repeated('0,', BODY_LIMIT_BYTES).map((zeros) => wrap('[', zeros, '0]')),
)
