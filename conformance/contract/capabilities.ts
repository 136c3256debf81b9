// The optional parts of the format that a deployment may refuse by name, each with the smallest valid request that
// uses it (REQUIREMENTS: Capabilities). A refusal by name makes the rows that need it not applicable.
import { type Exchange, json } from '../../harness/http/exchange.ts'
import { at } from '../../harness/json-value.ts'
import { pdf, png, wav } from '../../harness/media.ts'

/** The members of a request beside `model` and `messages`; a member `messages` replaces those. */
export type Members = Readonly<Record<string, unknown>>

/** Asked of a model where the question does not matter. It says JSON because `json_object` may demand that. */
export const ASKED = 'Answer in JSON, in one word.'

const tool = {
  type: 'function',
  // Some services demand the members that the format leaves optional; `chat.bare-tool` judges that.
  function: {
    name: 'look_up',
    description: 'Looks a word up.',
    parameters: { type: 'object', properties: {} },
  },
}
/** The request fields, and what of their values and companions is needed to use them. */
const fields = {
  audio: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
  frequency_penalty: { frequency_penalty: 0.5 },
  function_call: { functions: [{ name: 'look_up' }], function_call: 'auto' },
  functions: { functions: [{ name: 'look_up' }] },
  logit_bias: { logit_bias: { '0': 0 } },
  logprobs: { logprobs: true },
  max_completion_tokens: { max_completion_tokens: 16 },
  max_tokens: { max_tokens: 16 },
  metadata: { metadata: { purpose: 'conformance' } },
  modalities: { modalities: ['text'] },
  moderation: { moderation: { model: 'omni-moderation-latest' } },
  n: { n: 2 },
  parallel_tool_calls: { tools: [tool], parallel_tool_calls: false },
  prediction: { prediction: { type: 'content', content: 'one' } },
  presence_penalty: { presence_penalty: 0.5 },
  prompt_cache_key: { prompt_cache_key: 'conformance' },
  prompt_cache_options: { prompt_cache_options: { mode: 'implicit' } },
  prompt_cache_retention: { prompt_cache_retention: 'in_memory' },
  reasoning_effort: { reasoning_effort: 'low' },
  response_format: { response_format: { type: 'json_object' } },
  safety_identifier: { safety_identifier: 'conformance' },
  seed: { seed: 1 },
  service_tier: { service_tier: 'auto' },
  stop: { stop: ['\u0001'] },
  store: { store: false },
  stream_options: { stream: true, stream_options: { include_usage: true } },
  temperature: { temperature: 0 },
  tool_choice: { tools: [tool], tool_choice: 'auto' },
  tools: { tools: [tool] },
  top_logprobs: { logprobs: true, top_logprobs: 1 },
  top_p: { top_p: 0.5 },
  user: { user: 'conformance' },
  verbosity: { verbosity: 'low' },
  web_search_options: { web_search_options: {} },
} as const satisfies Record<string, Members>

const user = { role: 'user', content: ASKED }
const withPart = (part: unknown): Members => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: ASKED }, part] }],
})

function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

/** The smallest image. */
export const IMAGE_PART = { type: 'image_url', image_url: { url: dataUrl('image/png', png()) } } as const

/** The forms of a message that a deployment may refuse (WIRE-9). */
const messageForms = {
  developer: { messages: [{ role: 'developer', content: 'Be brief.' }, user] },
  function: {
    messages: [
      user,
      { role: 'assistant', content: null, function_call: { name: 'look_up', arguments: '{}' } },
      { role: 'function', name: 'look_up', content: 'one' },
    ],
  },
  name: { messages: [{ ...user, name: 'ada' }] },
  refusal: {
    messages: [user, { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }, user],
  },
  image_url: withPart(IMAGE_PART),
  input_audio: withPart({
    type: 'input_audio',
    input_audio: { data: wav().toString('base64'), format: 'wav' },
  }),
  file: withPart({
    type: 'file',
    file: { filename: 'one.pdf', file_data: dataUrl('application/pdf', pdf()) },
  }),
} as const satisfies Record<string, Members>

const MEDIA: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'file'])

const known: ReadonlyMap<string, Members> = new Map(Object.entries({ ...fields, ...messageForms }))

/** The names for `--require`: the fields and forms that a target can refuse, and two properties that only some models have. */
export const CAPABILITIES: readonly string[] = [...known.keys(), 'echo', 'deterministic']

/** The members of the smallest valid request that uses a capability; undefined for one that is not known. */
export function smallestMembers(capability: string): Members | undefined {
  return known.get(capability)
}

/**
 * Returns whether an answer names a field: `param` is the field or a part of it, or the message contains its name as a
 * word (ERR-8). The place of a form of message in the history also names the form.
 */
export function namesField(exchange: Exchange, field: string): boolean {
  const param = at(json(exchange), 'error', 'param')
  const message = at(json(exchange), 'error', 'message')
  // WIRE-9: a message about images, audio, files or modalities names the parts with media.
  if (MEDIA.has(field) && typeof message === 'string' && /image|audio|\bfiles?\b|modal/i.test(message))
    return true
  const names = Object.hasOwn(messageForms, field) ? [field, 'messages', 'role', 'content'] : [field]
  return names.some((name) => {
    const inside = typeof param === 'string' && new RegExp(`(^|[.\\]])${name}($|[.[])`).test(param)
    return inside || (typeof message === 'string' && new RegExp(`(?<!\\w)${name}(?!\\w)`, 'i').test(message))
  })
}
