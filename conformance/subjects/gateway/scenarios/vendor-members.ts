// Members that the format does not know, at any depth of requests, answers and chunks (GATE-13).
import {
  ROLE,
  chunk,
  chunkHead,
  chunksWith,
  deltasOf,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { tools } from '../../../../harness/scripted-service/prompt-words.ts'
import { answerNames, requestNames, vendorDifference } from '../compare/known-members.ts'
import { vendorStreamDifference } from '../compare/stream-difference.ts'
import { type GatewayScenario, type RequestBody, scenario } from '../crossing.ts'
import { bodyAt, exactBody, reached, requireStream, same, succeeded } from '../crossing-sides.ts'
import { streamOf } from './stream-chunks.ts'
import { CALLS, answering } from './unchanged-answers.ts'

const CACHE = { cache_control: { type: 'ephemeral' } } as const
const SIGNED = { extra_content: { google: { thought_signature: 'c2lnbmVk', parts: [1, null] } } } as const

/** Members of a request. */
export function vendorRequest(name: string, what: string, body: RequestBody): GatewayScenario {
  return scenario(
    `gate.vendor-${name}`,
    'GATE-13',
    `${what} that the format does not know reach the upstream`,
  )
    .with({ name: `vendor-${name}`, phase: 'answers', request: body })
    .verify((seen) =>
      same(vendorDifference(seen.sent, bodyAt(reached(seen)), requestNames), 'at the upstream'),
    )
}

/** Members of an answer, or of the chunks of a stream. */
export function vendorAnswer(
  name: string,
  what: string,
  step: Step,
  body: RequestBody = {},
): GatewayScenario {
  return scenario(`gate.vendor-${name}`, 'GATE-13', `${what} that the format does not know reach the client`)
    .with({ name: `vendor-${name}`, phase: 'answers', request: body, steps: [step] })
    .verify((seen) => {
      const isStreamed = body['stream'] === true
      if (isStreamed) requireStream(seen)
      const { upstream, client } = succeeded(seen)
      same(
        isStreamed
          ? vendorStreamDifference(upstream, client)
          : vendorDifference(exactBody(upstream), exactBody(client), answerNames),
        'at the client',
      )
    })
}

const CALL = { id: 'call_9', type: 'function', function: { name: 'get_time', arguments: '{"zone":"UTC"}' } }
const [TOOL] = tools

export const scenarios: readonly GatewayScenario[] = [
  vendorRequest('request', 'members of a request', {
    top_k: 20,
    chat_template_kwargs: { enable_thinking: false },
    x_flags: [1, 'two', null],
  }),
  vendorRequest('message', 'members of messages and parts', {
    messages: [
      { role: 'system', content: 'Be brief.', ...CACHE },
      { role: 'user', content: [{ type: 'text', text: 'Hello', ...CACHE }] },
      { role: 'assistant', content: 'Hello.', reasoning_content: 'They greet me.', ...SIGNED },
      { role: 'user', content: 'Goodbye', x_sent_at: 1.5 },
    ],
  }),
  vendorRequest('tool', 'members of tools and of their functions', {
    tools: [{ ...TOOL, ...CACHE, function: { ...TOOL.function, x_examples: [{ city: 'Oslo' }] } }],
  }),
  vendorRequest('replayed-call', 'members of a call in the history, and of its result', {
    tools,
    messages: [
      { role: 'user', content: 'The time?' },
      { role: 'assistant', content: null, tool_calls: [{ ...CALL, ...SIGNED }] },
      { role: 'tool', tool_call_id: CALL.id, content: '12:00', ...CACHE },
    ],
  }),
  vendorAnswer(
    'answer',
    'members of an answer',
    answering({
      message: { reasoning_content: 'First I think.' },
      choice: { stop_reason: 128009 },
      top: { prompt_filter_results: [{ index: 0 }], x_timing: { queue_ms: 1.5 } },
    }),
  ),
  vendorAnswer(
    'call',
    'members of calls and of their functions',
    answering({
      message: {
        content: null,
        tool_calls: CALLS.map((call) =>
          Object.assign({}, call, SIGNED, { function: { ...call.function, x_confidence: 0.5 } }),
        ),
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2ln', index: 0 }],
      },
      choice: { finish_reason: 'tool_calls' },
    }),
    { tools },
  ),
  vendorAnswer(
    'stream',
    'members of deltas',
    streamOf((asked) =>
      chunksWith(asked, [
        ROLE,
        ...deltasOf('First I think.').map((reasoning_content) => ({ reasoning_content })),
        ...deltasOf('Then I say.').map((content) => ({ content })),
      ]),
    ),
    { stream: true },
  ),
  vendorAnswer(
    'chunk',
    'members of chunks and of their choices',
    streamOf((asked) => {
      const head = { ...chunkHead(asked), provider: 'here', x_groq: { id: 'req_1' } }
      const texts = deltasOf('Some text.').map((content) =>
        chunk(head, { content }, null, { content_filter_results: { hate: { filtered: false } } }),
      )
      return [chunk(head, ROLE), ...texts, chunk(head, {}, 'stop', { stop_reason: 128009 })]
    }),
    { stream: true },
  ),
  vendorAnswer(
    'fragment',
    'members of the fragments of a call, and lists in deltas',
    streamOf((asked) =>
      chunksWith(
        asked,
        [
          { ...ROLE, content: null, reasoning_details: [{ type: 'reasoning.text', text: 'I call.' }] },
          { tool_calls: [{ index: 0, ...CALL, ...SIGNED, function: { ...CALL.function, arguments: '' } }] },
          { tool_calls: [{ index: 0, function: { arguments: CALL.function.arguments, x_confidence: 1 } }] },
        ],
        'tool_calls',
      ),
    ),
    { stream: true, tools },
  ),
]
