// The alphabet of hard values in every place where text or numbers cross a gateway: requests (GATE-1), answers (GATE-2), streams
// (GATE-3) and members that the format does not know (GATE-13).
// Whole, because it is one table of places, each with the same values.
import {
  type Members,
  ROLE,
  chunk,
  chunkHead,
  chunksWith,
  dataOf,
  deltasOf,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Asked, inPieces } from '../../../../harness/scripted-service/scripted-reply.ts'
import { tools } from '../../../../harness/scripted-service/prompt-words.ts'
import { isHeldExactly } from '../../../../harness/json-text.ts'
import {
  everyHardText,
  hardNames,
  hardNumbers,
  hardObjectText,
  hardOthers,
  hardTexts,
  nulTexts,
} from '../../../generate/hard-values.ts'
import type { GatewayScenario, RequestBody } from '../crossing.ts'
import { answer, answering } from './unchanged-answers.ts'
import { crossing } from './requests/unchanged-requests.ts'
import { stream } from './unchanged-streams.ts'
import { vendorAnswer, vendorRequest } from './vendor-members.ts'

const sent = (place: string, request: RequestBody): GatewayScenario =>
  crossing(`hard-${place}`, `each hard value in ${place.replace('-', ' ')}`, request)

const raw = (text: string): object => JSON.rawJSON(text)

/** Numbers that are different values, so that a list of them has no value twice. */
const { 'minus-zero': _, 'whole-fraction': __, ...different } = hardNumbers

/** A schema with hard texts and names. */
const TEXTS_IN_SCHEMA = {
  type: 'object',
  title: everyHardText,
  description: everyHardText,
  properties: Object.fromEntries(
    hardNames.map((name) => [name, { type: 'string', const: name, description: name, default: '' }]),
  ),
  required: [...hardNames],
  $defs: {
    texts: { enum: [...Object.values(hardTexts), null, false] },
    others: { examples: Object.values(hardOthers) },
  },
} as const

const NUMBERS_IN_SCHEMA = {
  type: 'object',
  properties: {
    any: { enum: Object.values(different).map(raw) },
    id: { const: raw(hardNumbers['beyond-2-53']) },
    least: {
      type: 'integer',
      minimum: raw(hardNumbers['least-of-64-bits']),
      maximum: raw(hardNumbers['most-unsigned']),
      default: raw(hardNumbers['minus-zero']),
    },
  },
} as const

const toolWith = (parameters: object, description?: string): RequestBody => ({
  tools: [{ type: 'function', function: { name: 'f', ...(description && { description }), parameters } }],
})
const formatWith = (schema: object): RequestBody => ({
  response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
})

const call = (args: string, id = 'call_hard') => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
})

const NUL = `${everyHardText} ${nulTexts.nul}`

/** Short enough for metadata, in characters. */
const METADATA_CHARS = 500
const METADATA_NAMES = 10

const requests: readonly GatewayScenario[] = [
  sent('content', {
    messages: ['system', 'developer', 'user', 'assistant', 'user'].map((role) => ({ role, content: NUL })),
  }),
  sent('parts', {
    messages: [{ role: 'user', content: Object.values(hardTexts).map((text) => ({ type: 'text', text })) }],
  }),
  sent('arguments-and-results', {
    tools,
    messages: [
      { role: 'user', content: 'Call it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call(hardObjectText), call(NUL, 'call_no_json'), call('', 'call_empty')],
      },
      { role: 'tool', tool_call_id: 'call_hard', content: hardObjectText },
      { role: 'tool', tool_call_id: 'call_no_json', content: NUL },
      { role: 'tool', tool_call_id: 'call_empty', content: [{ type: 'text', text: everyHardText }] },
    ],
  }),
  sent('tools', toolWith(TEXTS_IN_SCHEMA, everyHardText)),
  sent('schemas', formatWith(TEXTS_IN_SCHEMA)),
  sent('numbers-of-tools', toolWith(NUMBERS_IN_SCHEMA)),
  sent('numbers-of-schemas', formatWith(NUMBERS_IN_SCHEMA)),
  sent('metadata', {
    metadata: {
      ...Object.fromEntries(hardNames.slice(0, METADATA_NAMES).map((name) => [name, name])),
      all: everyHardText.slice(0, METADATA_CHARS).toWellFormed(),
      empty: '',
    },
  }),
  sent('other-texts', {
    stop: [hardTexts['line-separators'], hardTexts['looks-escaped']],
    prediction: { type: 'content', content: everyHardText },
    user: hardTexts['three-bytes'],
  }),
]

const toolCalls = { message: { content: null, tool_calls: [call(hardObjectText), call(NUL, 'call_2')] } }

const answers: readonly GatewayScenario[] = [
  answer('hard-text', 'each hard text', answering({ message: { content: NUL } }), {}),
  answer(
    'hard-refusal',
    'each hard text of a refusal',
    answering({ message: { content: null, refusal: NUL } }),
    {},
  ),
  ...[
    ['hard-calls', 'each hard value of calls', 'tool_calls'],
    ['hard-cut-calls', 'each hard value of calls that were cut', 'length'],
  ].map(([name = '', title = '', reason]) =>
    answer(name, title, answering({ ...toolCalls, choice: { finish_reason: reason } }), { tools }),
  ),
  answer(
    'calls-of-choices',
    'the calls of each of several choices',
    answering(({ text }) => ({
      top: {
        choices: [0, 1, 2].map((index) => ({
          index,
          message: {
            role: 'assistant',
            content: index === 1 ? text : null,
            refusal: null,
            tool_calls: [
              call(`{"choice": ${index}}`, `call_${index}`),
              call(hardObjectText, `call_hard_${index}`),
            ],
          },
          finish_reason: 'tool_calls',
          logprobs: null,
        })),
      },
    })),
    { tools, n: 3 },
  ),
]

/** The deltas of calls: the opening of each, then its arguments in fragments. */
const callDeltas = (...calls: readonly ReturnType<typeof call>[]): readonly Members[] =>
  calls.flatMap((one, index) => {
    const opening: Members = { index, ...one, function: { name: one.function.name, arguments: '' } }
    const rest = deltasOf(one.function.arguments).map((text): Members => ({
      index,
      function: { arguments: text },
    }))
    return [opening].concat(rest).map((fragment) => ({ tool_calls: [fragment] }))
  })

/** The bytes of a piece: records end within it, and characters at its edges. */
const PIECE_BYTES = 61

/** The chunks in pieces that end anywhere. */
const cutAnywhere = (chunks: readonly Members[]) =>
  streamReply(
    inPieces(
      dataOf(chunks)
        .map((data) => `data: ${data}\n\n`)
        .join(''),
      PIECE_BYTES,
      0,
    ),
  )

const streamed = (
  name: string,
  title: string,
  request: RequestBody,
  chunks: (asked: Asked) => readonly Members[],
) => stream(name, title, request).by((asked) => cutAnywhere(chunks(asked)))

/** Several choices, each with several calls, whose fragments alternate. */
function callsOfChoices(asked: Asked): readonly Members[] {
  const head = chunkHead(asked)
  const own = [0, 1, 2].map((index) =>
    [
      ROLE,
      ...callDeltas(
        call(`{"choice": ${index}, "city": "Tromsø"}`, `call_${index}`),
        call('{"b":1}', `call_b_${index}`),
      ),
    ].map((delta) => chunk(head, delta, null, { index })),
  )
  const longest = Math.max(...own.map(({ length }) => length))
  return [
    ...Array.from({ length: longest }, (_turn, place) =>
      own.flatMap((chunks) => chunks.slice(place, place + 1)),
    ).flat(),
    ...[2, 0, 1].map((index) => chunk(head, {}, 'tool_calls', { index })),
  ]
}

const streams: readonly GatewayScenario[] = [
  streamed('hard-text', 'each hard text', {}, (asked) =>
    chunksWith(asked, [ROLE, ...deltasOf(NUL).map((content) => ({ content }))]),
  ),
  streamed('hard-refusal', 'each hard text of a refusal', {}, (asked) =>
    chunksWith(asked, [{ ...ROLE, content: null }, ...deltasOf(NUL).map((refusal) => ({ refusal }))]),
  ),
  ...[
    ['hard-calls', 'each hard value of calls', 'tool_calls'],
    ['hard-cut-calls', 'each hard value of calls that were cut', 'length'],
  ].map(([name = '', title = '', reason]) =>
    streamed(name, title, { tools }, (asked) =>
      chunksWith(
        asked,
        [{ ...ROLE, content: null }, ...callDeltas(call(hardObjectText), call(NUL, 'call_2'))],
        reason,
      ),
    ),
  ),
  streamed('calls-of-choices', 'the calls of each of several choices', { tools, n: 3 }, callsOfChoices),
  streamed(
    'text-then-call',
    'a text, a call in the same delta, and a call in the last chunk',
    { tools },
    (asked) => {
      const [first, second] = [call('{"a":1}', 'call_1'), call('{"b":2}', 'call_2')]
      const head = chunkHead(asked)
      return [
        chunk(head, { ...ROLE, content: 'I call.', tool_calls: [{ index: 0, ...first }] }),
        chunk(head, { tool_calls: [{ index: 1, ...second }] }, 'tool_calls'),
      ]
    },
  ),
  streamed('empty-choices', 'a text between chunks without choices', {}, (asked) => {
    const none = { ...chunkHead(asked), choices: [] }
    const chunks = chunksWith(asked, [ROLE, ...deltasOf(asked.text).map((content) => ({ content }))])
    return [none, ...chunks.flatMap((one) => [one, none])]
  }),
]

/** Numbers that each reader of JSON holds: the row of these members does not require more. */
const NUMBERS = Object.fromEntries(
  Object.entries(hardNumbers).flatMap(([name, text]) =>
    isHeldExactly(text) ? [[`x_${name}`, raw(text)]] : [],
  ),
)
const THOUGHTS = { reasoning_content: everyHardText } as const

const vendors: readonly GatewayScenario[] = [
  vendorRequest('hard-request', 'hard values of members', {
    ...NUMBERS,
    x_texts: hardTexts,
    x_others: hardOthers,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello.', ...THOUGHTS },
      { role: 'user', content: 'Goodbye' },
    ],
  }),
  vendorAnswer(
    'hard-answer',
    'hard values of members',
    answering({
      message: { content: 'Hello.', ...THOUGHTS },
      top: { ...NUMBERS, x_texts: hardTexts, x_others: hardOthers },
    }),
  ),
  vendorAnswer(
    'hard-stream',
    'hard values of members of chunks',
    (asked) => {
      const thoughts = deltasOf(everyHardText).map((reasoning_content) => ({ reasoning_content }))
      const chunks = chunksWith(asked, [ROLE, ...thoughts, { content: 'Hello.' }])
      const last = { ...chunks.at(-1), ...NUMBERS, x_texts: hardTexts }
      return cutAnywhere([...chunks.slice(0, -1), last])
    },
    { stream: true },
  ),
]

export const scenarios: readonly GatewayScenario[] = [...requests, ...answers, ...streams, ...vendors]
