// Plain answers whose members must reach the client unchanged (GATE-2, GATE-7).
import { type Members, completion, jsonReply } from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply, Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { tools } from '../../../../harness/scripted-service/prompt-words.ts'
import { at } from '../../../../harness/json-value.ts'
import { json } from '../../../../harness/http/exchange.ts'
import { fail } from '../../../contract/outcome.ts'
import { answerDifference, usageDifference } from '../compare/answer-difference.ts'
import {
  type Crossing,
  type GatewayCheck,
  type GatewayScenario,
  type RequestBody,
  check,
  scenario,
} from '../crossing.ts'
import { arrived, exactBody, said, same, succeeded } from '../crossing-sides.ts'

/** GATE-2 for one crossing. */
export function returnsUnchanged(crossing: Crossing): void {
  const { upstream, client } = arrived(crossing)
  if (json(client) === undefined) fail('the JSON of the upstream', said(crossing))
  same(answerDifference(exactBody(upstream), exactBody(client)), 'at the client')
}

/** Counts that no estimate gives. */
export const USAGE = {
  prompt_tokens: 1234567,
  completion_tokens: 3,
  total_tokens: 1234570,
  prompt_tokens_details: { cached_tokens: 1200001, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 2, accepted_prediction_tokens: 1 },
} as const

/** A completion with these members, and the usage of `USAGE`. */
export function answering(
  members: Parameters<typeof completion>[1] | ((asked: Asked) => Parameters<typeof completion>[1]),
): Step {
  return (asked): Reply => {
    const { top, ...rest } = (typeof members === 'function' ? members(asked) : members) ?? {}
    return jsonReply(200, completion(asked, { ...rest, top: { usage: USAGE, ...top } }))
  }
}

const candidate = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] })

/** Tokens with every digit of a double, a token that is a part of a character, and one that was ruled out. */
export const LOGPROBS = [
  {
    ...candidate('Zo', -0.00012345678901234567),
    top_logprobs: [candidate('Zo', -0.00012345678901234567), candidate('A', -9999)],
  },
  { token: '\uFFFD', logprob: -1.5, bytes: [0xc3], top_logprobs: [] },
  { token: '\uFFFD', logprob: 0, bytes: [0xab], top_logprobs: [] },
  {
    token: '<end>',
    logprob: -17.25,
    bytes: null,
    top_logprobs: [{ token: '<end>', logprob: -17.25, bytes: null }],
  },
] as const

export const CALLS = [
  {
    id: 'call_Ä-1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{ "city" :"Tromsø",\n"days":3.0}' },
  },
  { id: 'call_2', type: 'function', function: { name: 'get_time', arguments: '{"zone":"Europe/Oslo"' } },
  { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '' } },
] as const

/** A scenario of a plain answer. */
export function answer(
  name: string,
  title: string,
  step: Step,
  request: RequestBody = {},
  checks: readonly GatewayCheck[] = [],
): GatewayScenario {
  return scenario(`gate.answer-${name}`, 'GATE-2', `${title} reaches the client`)
    .with({ phase: 'answers', request, steps: [step], checks })
    .verify(returnsUnchanged)
}

const message = (content: unknown, more: Members = {}): Step => answering({ message: { content, ...more } })

/** The usage of the upstream, at the client. */
export const usageArrives: GatewayCheck['verify'] = (crossing) => {
  const { upstream, client } = succeeded(crossing)
  same(usageDifference(at(exactBody(upstream), 'usage'), at(exactBody(client), 'usage')), 'at the client')
}

const choices = (asked: Asked): readonly unknown[] => {
  const [first] = completion(asked)['choices'] as readonly Members[]
  return [
    { ...first, finish_reason: 'length' },
    { ...first, index: 1, message: { role: 'assistant', content: 'The second.', refusal: null } },
    {
      ...first,
      index: 2,
      message: { role: 'assistant', content: '', refusal: null },
      finish_reason: 'content_filter',
    },
  ]
}

export const scenarios: readonly GatewayScenario[] = [
  answer('text', 'a text', message('Zoë, 東京\r\n\t👩‍👩‍👧 \u2028 "q" \\n <b>&amp;</b> \uFEFF\u0001 '), {}, [
    check('gate.usage-plain', 'GATE-7', 'the usage of a plain answer', usageArrives),
  ]),
  answer('empty', 'an empty text', message('')),
  answer('null', 'a `null` as content', message(null)),
  answer('long', 'a long text', message('All work and no play. '.repeat(20_000))),
  answer('refusal', 'a refusal', message(null, { refusal: 'I cannot do that.' })),
  answer(
    'choices',
    'each of several choices',
    answering((asked) => ({ top: { choices: choices(asked) } })),
    { n: 3 },
  ),
  answer(
    'calls',
    'each tool call with its id and the arguments as the model wrote them',
    answering({ message: { content: null, tool_calls: CALLS }, choice: { finish_reason: 'tool_calls' } }),
    { tools },
  ),
  answer(
    'text-and-call',
    'a text beside a call',
    answering({
      message: { content: 'I look it up.', tool_calls: CALLS.slice(0, 1) },
      choice: { finish_reason: 'tool_calls' },
    }),
    { tools },
  ),
  answer(
    'logprobs',
    'every log probability',
    answering({ message: { content: 'Zoë' }, choice: { logprobs: { content: LOGPROBS, refusal: null } } }),
    { logprobs: true, top_logprobs: 2 },
  ),
  ...['length', 'content_filter'].map((reason) =>
    answer(
      `ends-with-${reason.replace('_', '-')}`,
      `the finish reason \`${reason}\``,
      answering({ choice: { finish_reason: reason } }),
    ),
  ),
  answer('service-tier', '`service_tier`', answering({ top: { service_tier: 'flex' } }), {
    service_tier: 'auto',
  }),
]
