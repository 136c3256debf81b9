// Answers as odd but compliant services send them: whatever the judge of servers accepts, a gateway passes on (GATE-2,
// GATE-3, GATE-7).
import {
  type Members,
  ROLE,
  bodyReply,
  chunk,
  chunkHead,
  completion,
  dataOf,
  deltasOf,
  jsonReply,
  streamReply,
  usageChunk,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import {
  type Asked,
  type Step,
  inPieces,
  whole,
} from '../../../../harness/scripted-service/scripted-reply.ts'
import { tools } from '../../../../harness/scripted-service/prompt-words.ts'
import { check, type GatewayScenario, type RequestBody } from '../crossing.ts'
import { calls, textChunks, wholeCall } from './stream-chunks.ts'
import { CALLS, answer, answering, usageArrives } from './unchanged-answers.ts'
import { stream } from './unchanged-streams.ts'

const TEXT = 'Zoë, 東京 👩‍👩‍👧 <b> "q" '

const plain = (name: string, title: string, step: Step, request: RequestBody = {}): GatewayScenario =>
  answer(name, title, step, request)

const streamed = (name: string, title: string, request: RequestBody = {}) => stream(name, title, request)

/** JSON with white space, and every character beyond ASCII as an escape. */
const escaped = (body: unknown, indent?: number): string =>
  JSON.stringify(body, undefined, indent).replace(
    /[^\0-~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const said = (asked: Asked): Members => completion(asked, { message: { content: TEXT } })

/** An answer with the members that it must have. */
function bare(asked: Asked): Members {
  const { id, object, created, model } = said(asked)
  const choices = [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }]
  return { id, object, created, model, choices }
}

/** Counts with vendors' fractions, null details and counts of their own. */
const ODD_USAGE = {
  prompt_tokens: 1234567,
  completion_tokens: 3,
  total_tokens: 1234570,
  prompt_tokens_details: null,
  completion_tokens_details: {},
  prompt_cache_hit_tokens: 1200001,
  queue_time: 0.0125,
} as const

const [FIRST] = CALLS
const TOKEN = { token: 'Zoë', logprob: -0.5, bytes: null } as const

const plainAnswers: readonly GatewayScenario[] = [
  plain('in-pieces', 'an answer in pieces, without its length', (asked) => ({
    ...jsonReply(200, said(asked)),
    pieces: inPieces(JSON.stringify(said(asked)), 40, 1),
  })),
  plain('escaped', 'an answer with escapes, white space and a charset', (asked) =>
    bodyReply(200, 'application/json; charset=utf-8', escaped(said(asked), 2)),
  ),
  plain('behind-empty-lines', 'an answer behind empty lines', (asked) =>
    bodyReply(200, 'application/json', `\n\n\n${JSON.stringify(said(asked))}\n`),
  ),
  plain('closes', 'an answer whose connection is closed', (asked) =>
    jsonReply(200, said(asked), { connection: 'close' }),
  ),
  plain('bare', 'an answer without the members that may be absent', (asked) => jsonReply(200, bare(asked))),
  plain(
    'nulls',
    'an answer with `null` for absent members',
    answering({
      message: { content: TEXT, tool_calls: null, function_call: null, annotations: null, audio: null },
      top: { service_tier: null, system_fingerprint: null },
    }),
  ),
  plain(
    'no-calls',
    'an empty list of calls',
    answering({ message: { content: TEXT, tool_calls: [], reasoning_content: null } }),
  ),
  plain(
    'empty-text-beside-calls',
    'a call beside an empty text',
    answering({
      message: { content: '', tool_calls: [FIRST] },
      choice: { finish_reason: 'tool_calls' },
    }),
    { tools },
  ),
  plain(
    'cut-call',
    'a call that ends with `length`',
    answering({ message: { content: null, tool_calls: CALLS }, choice: { finish_reason: 'length' } }),
    { tools },
  ),
  plain(
    'logprobs-without-bytes',
    'log probabilities without bytes',
    answering({
      message: { content: 'Zoë' },
      choice: { logprobs: { content: [{ ...TOKEN, top_logprobs: [TOKEN] }], refusal: [] } },
    }),
    { logprobs: true, top_logprobs: 1 },
  ),
  answer(
    'odd-usage',
    'a usage with counts of its own',
    answering({ message: { content: TEXT }, top: { usage: ODD_USAGE } }),
    {},
    [check('gate.usage-odd', 'GATE-7', 'a usage with null and fractions', usageArrives)],
  ),
]

/** The chunks of a text, changed by their place from the beginning and from the end. */
const changed = (asked: Asked, change: (one: Members, first: boolean, last: boolean) => Members) => {
  const chunks = textChunks({ ...asked, includeUsage: false }, TEXT)
  return chunks.map((one, place) => change(one, place === 0, place === chunks.length - 1))
}

const choiceOf = (one: Members): Members => (one['choices'] as readonly Members[])[0] ?? {}

/** The chunk with another delta, and its choice with these members. */
const withDelta = (one: Members, delta: Members, choice: Members = {}): Members => ({
  ...one,
  choices: [{ ...choiceOf(one), ...choice, delta }],
})

const deltaOf = (one: Members): Members => (choiceOf(one)['delta'] ?? {}) as Members

const NULLS = { role: null, content: null, refusal: null, tool_calls: null, function_call: null } as const

/** Each call in one fragment. */
const wholeCalls = (asked: Asked): readonly Members[] => {
  const head = chunkHead(asked)
  const fragments = CALLS.map((call, index) => chunk(head, { tool_calls: [{ index, ...call }] }))
  return [chunk(head, { ...ROLE, content: null }), ...fragments, chunk(head, {}, 'tool_calls')]
}

const streams: readonly GatewayScenario[] = [
  streamed('escaped', 'a text in escapes').by((asked) =>
    streamReply(
      whole(
        textChunks(asked, TEXT)
          .map((one) => `data: ${escaped(one)}\n\n`)
          .join('') + 'data: [DONE]\n\n',
      ),
    ),
  ),
  streamed('byte-order-mark', 'a stream with a byte order mark and CR').by((asked) =>
    streamReply(
      whole(
        `\uFEFF${dataOf(textChunks(asked, TEXT))
          .map((data) => `event: message\rdata: ${data}\r\r`)
          .join('')}`,
      ),
    ),
  ),
  streamed('left-open', 'a stream with a comment behind `[DONE]` that stays open for a while').by((asked) => {
    const records = dataOf(textChunks(asked, TEXT)).map((data) => `data: ${data}\n\n`)
    return streamReply([...whole(records.join('')), { bytes: Buffer.from(': bye\n\n'), afterMs: OPEN_MS }])
  }),
  streamed('closes', 'a stream with a charset whose connection is closed').by((asked) => ({
    ...streamReply(
      whole(
        dataOf(textChunks(asked, TEXT))
          .map((data) => `data: ${data}\n\n`)
          .join(''),
      ),
    ),
    headers: { 'content-type': 'text/event-stream; charset=utf-8', connection: 'close' },
  })),
  streamed('null-content', '`null` and empty texts in deltas').of((asked) =>
    changed(asked, (one, first, last) =>
      withDelta(
        { usage: null, ...one },
        first ? { ...ROLE, content: null } : last ? { content: '' } : deltaOf(one),
      ),
    ),
  ),
  streamed('nulls', 'deltas with `null` for every other member').of((asked) =>
    changed(asked, (one, first) =>
      withDelta(one, { ...NULLS, ...(first ? { ...ROLE } : deltaOf(one)) }, { logprobs: null }),
    ),
  ),
  streamed('empty-deltas', 'a text between empty deltas').of((asked) =>
    changed(asked, (one) => one).flatMap((one, place, all) =>
      place === all.length - 1
        ? [one]
        : [one, chunk(chunkHead(asked), { content: '' }), chunk(chunkHead(asked), {})],
    ),
  ),
  streamed('short', 'the role beside the first text, and the finish beside the last').of((asked) => {
    const head = chunkHead(asked)
    return [chunk(head, { ...ROLE, content: 'Zoë, ' }), chunk(head, { content: TEXT }, 'stop')]
  }),
  streamed('filter-report', 'a text behind a chunk without choices').of((asked) => {
    const [first, ...rest] = textChunks(asked, TEXT)
    return [{ ...first, choices: [], prompt_filter_results: [{ prompt_index: 0 }] }, first ?? {}, ...rest]
  }),
  streamed('choice-by-choice', 'one choice behind the other', { n: 2 }).of((asked) => {
    const head = chunkHead(asked)
    const choice = (index: number): readonly Members[] => [
      chunk(head, ROLE, null, { index }),
      ...deltasOf(`${TEXT} ${index}`).map((content) => chunk(head, { content }, null, { index })),
      chunk(head, {}, 'stop', { index }),
    ]
    return [...choice(0), ...choice(1)]
  }),
  streamed('whole-calls', 'each call in one fragment', { tools }).of(wholeCalls),
  streamed('repeated-types', 'fragments that repeat the type of their call', { tools }).of((asked) =>
    calls(asked).map((one) => {
      const fragments = deltaOf(one)['tool_calls'] as readonly Members[] | undefined
      if (fragments === undefined) return one
      const typed = fragments.map((fragment) => Object.assign({}, { type: 'function' }, fragment))
      return withDelta(one, { ...deltaOf(one), tool_calls: typed })
    }),
  ),
  streamed('null-ids', 'fragments with `null` for id, type and name', { tools }).of((asked) => {
    const head = chunkHead(asked)
    return [
      ...wholeCall('{"city":').map((delta) => chunk(head, delta)),
      chunk(head, {
        tool_calls: [{ index: 0, id: null, type: null, function: { name: null, arguments: '"Tromsø"}' } }],
      }),
      chunk(head, {}, 'tool_calls'),
    ]
  }),
  streamed('usage-in-a-choice', 'a usage within the last choice').of((asked) =>
    changed(asked, (one, _, last) => (last ? withDelta(one, deltaOf(one), { usage: ODD_USAGE }) : one)),
  ),
  streamed('odd-usage', 'a usage with counts of its own', { stream_options: { include_usage: true } }).of(
    (asked) => [...changed(asked, (one) => one), usageChunk(chunkHead(asked), ODD_USAGE)],
  ),
]

/** How long a stream stays open behind its `[DONE]`, in milliseconds. */
const OPEN_MS = 300

export const scenarios: readonly GatewayScenario[] = [...plainAnswers, ...streams]
