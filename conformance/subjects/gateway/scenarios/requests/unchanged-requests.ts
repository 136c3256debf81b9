// Requests whose members must reach the upstream unchanged (GATE-1).
import { tools as toolsOffered } from '../../../../../harness/scripted-service/prompt-words.ts'
import { fail } from '../../../../contract/outcome.ts'
import { changedMember, requestDifference } from '../../compare/request-difference.ts'
import { type Crossing, type GatewayScenario, type RequestBody, scenario } from '../../crossing.ts'
import { bodyAt, reached, refuseIfNamed, said, same } from '../../crossing-sides.ts'

/** GATE-1 for one crossing. */
export function arrivesUnchanged(crossing: Crossing): void {
  const [call] = crossing.calls
  if (call === undefined) {
    refuseIfNamed(crossing)
    return fail('the request at the upstream, or a 400 that names the member', said(crossing))
  }
  same(changedMember(crossing.sent, bodyAt(call)), 'at the upstream')
}

/** A scenario of a request. */
export function crossing(name: string, title: string, request: RequestBody): GatewayScenario {
  return scenario(`gate.request-${name}`, 'GATE-1', `${title} reaches the upstream`)
    .with({ phase: 'answers', request })
    .verify(arrivesUnchanged)
}

const user = (content: unknown): RequestBody => ({ messages: [{ role: 'user', content }] })

const SCHEMA = {
  type: 'object',
  properties: {
    z: { type: 'string', enum: ['b', 'a'], description: 'Any \u{1F600} or "quote".' },
    a: { $ref: '#/$defs/part' },
    list: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] }, maxItems: 3 },
  },
  $defs: { part: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 } },
  required: ['z', 'a'],
  additionalProperties: false,
} as const

export const TOOLS = [
  { type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true } },
  ...toolsOffered,
]

const CALL = { id: 'call_9', type: 'function', function: { name: 'f', arguments: '{ "z" :"a","a":1.0}' } }

/** A value of each optional field that is neither its default nor null, with the fields that it needs. */
export const FIELD_VALUES: Readonly<Record<string, RequestBody>> = {
  audio: { audio: { voice: 'alloy', format: 'wav' }, modalities: ['text', 'audio'] },
  frequency_penalty: { frequency_penalty: -0.7 },
  function_call: { function_call: { name: 'f' }, functions: [{ name: 'f', parameters: SCHEMA }] },
  functions: { functions: [{ name: 'f', parameters: SCHEMA }, { name: 'g' }] },
  logit_bias: { logit_bias: { '1734': -100, '9': 7 } },
  logprobs: { logprobs: true },
  max_completion_tokens: { max_completion_tokens: 31 },
  max_tokens: { max_tokens: 33 },
  metadata: { metadata: { 'a key': 'value', Ä: '' } },
  modalities: { modalities: ['text'] },
  moderation: { moderation: { model: 'omni', policy: { input: { mode: 'score' } } } },
  n: { n: 1 },
  parallel_tool_calls: { parallel_tool_calls: false, tools: TOOLS },
  prediction: { prediction: { type: 'content', content: 'predicted' } },
  presence_penalty: { presence_penalty: 1.25 },
  prompt_cache_key: { prompt_cache_key: 'cache 1' },
  prompt_cache_options: { prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
  prompt_cache_retention: { prompt_cache_retention: '24h' },
  reasoning_effort: { reasoning_effort: 'low' },
  response_format: { response_format: { type: 'json_object' } },
  safety_identifier: { safety_identifier: 'user-7' },
  seed: { seed: 42 },
  service_tier: { service_tier: 'default' },
  stop: { stop: ['never said', '\n\n'] },
  store: { store: false },
  stream: { stream: true },
  stream_options: { stream: true, stream_options: { include_usage: true } },
  temperature: { temperature: 0.3 },
  tool_choice: { tool_choice: { type: 'function', function: { name: 'f' } }, tools: TOOLS },
  tools: { tools: TOOLS },
  top_logprobs: { top_logprobs: 3, logprobs: true },
  top_p: { top_p: 0.25 },
  user: { user: 'user 7' },
  verbosity: { verbosity: 'low' },
  web_search_options: { web_search_options: { search_context_size: 'low' } },
}

const fields = Object.entries(FIELD_VALUES).map(([name, body]) =>
  crossing(`field-${name.replaceAll('_', '-')}`, `\`${name}\``, body),
)

/** Texts that a gateway may change by mistake. */
const TEXTS = {
  unicode: 'Zoë, 東京, עברית, e\u0301, 👩‍👩‍👧, 𝔘, \u2028, \u2029, \uFEFF, \uFFFD and \uE000',
  'line-ends': '\n one\ntwo\r\nthree\rfour\n\n\tfive \n',
  quotes: `"double" 'single' \\n \\u0041 \\ {{ }} {model} %s %20 $HOME <b>&amp;</b> \${x}`,
  controls: 'a\u0000b\u0001c\u001Fd\u007Fe\u0085f',
  empty: '',
  long: 'All work and no play. '.repeat(9_000),
} as const

const texts = Object.entries(TEXTS).map(([name, text]) =>
  crossing(`text-${name}`, `a text (${name.replace('-', ' ')})`, user(text)),
)

/** Fields that may be null. */
const NULLABLE =
  `frequency_penalty logit_bias logprobs max_tokens n presence_penalty response_format seed stop
  stream_options temperature top_p user`.split(/\s+/)

const others: readonly GatewayScenario[] = [
  crossing('messages', 'a conversation of every role', {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be polite.', name: 'dev' },
      { role: 'user', content: 'One', name: 'ann' },
      { role: 'user', content: 'Two', name: 'bob' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One' },
    ],
  }),
  crossing('calls', 'a history with calls and their results', {
    tools: TOOLS,
    messages: [
      { role: 'user', content: 'Call both.' },
      { role: 'assistant', content: null, tool_calls: [CALL, { ...CALL, id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_2', content: '' },
      { role: 'tool', tool_call_id: 'call_9', content: [{ type: 'text', text: '{"ok": true}' }] },
    ],
  }),
  crossing('parts', 'content in parts', {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look: ' },
          { type: 'text', text: '' },
          {
            type: 'image_url',
            image_url: { url: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', detail: 'low' },
          },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
        ],
      },
    ],
  }),
  crossing('text-part', 'content of one text part', user([{ type: 'text', text: 'Only this.' }])),
  crossing('schema', 'a schema for the answer', {
    response_format: { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA, strict: true } },
  }),
  crossing('custom-tool', 'a custom tool', {
    tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'text' } } }],
  }),
  crossing('numbers', 'every digit of a number', {
    temperature: 0.30000000000000004,
    top_p: 1e-7,
    frequency_penalty: -1.9999999999999998,
    seed: 9007199254740991,
    tools: [
      {
        type: 'function',
        function: {
          name: 'f',
          parameters: { enum: [5e-324, 1.5e300, -0.1, 1e21, 123456789012345680000, 0] },
        },
      },
    ],
  }),
  crossing('negative-seed', 'a negative seed', { seed: -9007199254740991 }),
  crossing('zero', 'zero', { temperature: 0, top_p: 0, presence_penalty: 0, seed: 0 }),
  crossing('false', '`false`', { logprobs: false, store: false, stream: false }),
  crossing('null', '`null`', Object.fromEntries(NULLABLE.map((name) => [name, null]))),
]

/** Fields that the client did not send. */
const additions = scenario(
  'gate.request-only-what-was-sent',
  'GATE-1',
  'a request without options reaches the upstream without options',
)
  .with({ phase: 'answers' })
  .verify((seen) => same(requestDifference(seen.sent, bodyAt(reached(seen))), 'at the upstream'))

export const scenarios: readonly GatewayScenario[] = [...others, additions, ...texts, ...fields]
