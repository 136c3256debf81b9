// Requests with the same prompt: each reaches the upstream, and none gets the answer to another one (GATE-1). An equal one
// may be answered from a cache whose use a header of the answer shows.
import { isDeepStrictEqual } from 'node:util'
import { fail } from '../../../../contract/outcome.ts'
import { type Crossing, type GatewayScenario, type RequestBody, type Turn, scenario } from '../../crossing.ts'
import { isFromCache, refuseIfNamed, requireRoom, said } from '../../crossing-sides.ts'
import { FIELD_VALUES, TOOLS } from './unchanged-requests.ts'

/** The crossing reached the upstream, or was answered from a cache that says so, by the answer to an equal request. */
function hasOwnAnswer(crossing: Crossing): void {
  const { answer, calls, others = [], sent } = crossing
  if (calls.length > 0) return
  refuseIfNamed(crossing)
  requireRoom(crossing)
  if (answer?.response.status !== 200)
    return fail('the request at the upstream, or a 400 that names the member', said(crossing))
  const hasEqual = others.some((other) => isDeepStrictEqual(other, sent))
  if (!hasEqual)
    fail('the request at the upstream', `the answer to a request that differs from it: ${said(crossing)}`)
  if (!isFromCache(answer))
    fail(
      'the request at the upstream, or a header that names a cache',
      `an answer without either: ${said(crossing)}`,
    )
}

function shared(
  name: string,
  title: string,
  request: RequestBody,
  turns: readonly Turn[],
  phase: 'answers' | 'together' = 'answers',
): GatewayScenario {
  return scenario(`gate.request-${name}`, 'GATE-1', title)
    .with({ phase, request, turns })
    .verify(hasOwnAnswer)
}

/** Each request in a turn of its own. */
const oneByOne = (...requests: readonly RequestBody[]): readonly Turn[] =>
  requests.map((request) => ({ requests: [request] }))

const user = (content: unknown, more: RequestBody = {}): RequestBody => ({ role: 'user', content, ...more })
const image = (url: string) => ({ type: 'image_url', image_url: { url } })
const schema = (type: string): RequestBody => ({
  response_format: {
    type: 'json_schema',
    json_schema: { name: 's', schema: { type: 'object', properties: { a: { type } } } },
  },
})
const tool = (description: string): RequestBody => ({
  tools: [
    {
      type: 'function',
      function: { name: 'f', description, parameters: { type: 'object', properties: {} } },
    },
  ],
})

/** A request with each field, and others with a second value of those by which caches distinguish requests. */
const FIELDS: readonly RequestBody[] = [
  // Their values in a request of its own say the same as their absence.
  ...Object.entries({ ...FIELD_VALUES, n: { n: 2 }, store: { store: true } }).map(([, body]) => body),
  ...[0, 0.4].map((temperature) => ({ temperature })),
  ...[0, 43].map((seed) => ({ seed })),
  ...[32, 34].map((max_tokens) => ({ max_tokens })),
  ...['never said', 'also never said'].map((stop) => ({ stop })),
  ...['string', 'integer'].map(schema),
  ...['First.', 'Second.'].map(tool),
  ...['none', 'required'].map((tool_choice) => ({ tools: TOOLS, tool_choice })),
  { stream: true, temperature: 0.4 },
]

/** Conversations that differ in one place; the last message of most of them is the same. */
const CONVERSATIONS: readonly (readonly unknown[])[] = [
  [user('One'), { role: 'assistant', content: 'Two' }, user('Go on.')],
  [user('One'), { role: 'assistant', content: 'Three' }, user('Go on.')],
  [{ role: 'system', content: 'One' }, { role: 'assistant', content: 'Two' }, user('Go on.')],
  [user('One'), { role: 'assistant', content: 'Two' }, user('Go on.', { name: 'ann' })],
  [user('One'), { role: 'assistant', content: 'Two' }, user('go on.')],
  [user('One'), { role: 'assistant', content: 'Two' }, user('Go on. ')],
  [user('Go on.')],
  [user([{ type: 'text', text: 'Go on.' }])],
  ...['AAAA', 'BBBB'].map((data) => [
    user([{ type: 'text', text: 'Go on.' }, image(`data:image/png;base64,${data}`)]),
  ]),
  ...['AAAA', 'BBBB'].map((data) => [
    user([image(`data:image/png;base64,${data}`), { type: 'text', text: 'Go on.' }]),
  ]),
]

const [first = [], ...more] = CONVERSATIONS

export const scenarios: readonly GatewayScenario[] = [
  shared(
    'of-each-field',
    'requests that differ in one field alone each reach the upstream',
    {},
    oneByOne(...FIELDS, {}),
  ),
  shared(
    'of-each-message',
    'requests that differ in one message alone each reach the upstream',
    { messages: first },
    oneByOne(...more.map((messages) => ({ messages }))),
  ),
  shared(
    'sent-again',
    'an equal request reaches the upstream, or is answered from a cache that says so',
    {},
    oneByOne({}, { stream: true }, { stream: true }, {}),
  ),
  shared(
    'sent-again-together',
    'equal requests at the same time each reach the upstream, or are answered from a cache that says so',
    {},
    [{ requests: [{}, {}, {}] }, { requests: [{ stream: true }, { stream: true }] }],
    'together',
  ),
  shared(
    'sent-together',
    'requests at the same time that differ in one field each reach the upstream',
    { seed: 1 },
    [
      { requests: [2, 3, 4].map((seed) => ({ seed })) },
      { requests: [5, 6, 7].map((seed) => ({ seed, stream: true })) },
    ],
    'together',
  ),
]
