// The request of POST /v1/chat/completions: every field of the wire format, with its range and its null (WIRE-10).
// A field that a model does not support is listed here too: the model refuses it by name.
import { type ZodTypeAny, z } from 'zod'
import { annotate, optional } from './annotate.ts'
import { crossFieldIssues } from './cross-field.ts'
import { dictionary, list } from './collections.ts'
import { message } from './message.ts'
import {
  audioOptions,
  moderation,
  prediction,
  promptCacheOptions,
  responseFormat,
  streamOptions,
  webSearchOptions,
} from './settings.ts'
import { textUpTo } from './text.ts'
import { functionDefinition, tool, toolChoice, toolName } from './tool.ts'

/** The range of a 64-bit integer, as a double. */
const INT64 = 2 ** 63
/** The largest int64 that a JavaScript number holds exactly. */
const LARGEST_EXACT_INT64 = 2 ** 63 - 1024

const decimal = (least: number, most: number) => z.number().min(least).max(most)
const integer = (least: number, most: number) => z.number().int().min(least).max(most)

/** A deprecated field, which the format keeps for older clients. */
const older = <Schema extends ZodTypeAny>(schema: Schema, description: string) =>
  optional(schema, description, { deprecated: true })

/** The most pairs of one `metadata` object, and the most characters of a key and of a value. */
const METADATA = { pairs: 16, key: 64, value: 512 }

const metadata = dictionary({
  key: textUpTo(METADATA.key),
  keys: `texts of at most ${METADATA.key} characters`,
  value: textUpTo(METADATA.value),
  max: METADATA.pairs,
})

const logitBias = dictionary({
  key: z.string().regex(/^[0-9]+$/),
  keys: 'token ids',
  value: z.number().int().min(-100).max(100),
})

/** Every field by itself: `chatCompletionRequest` without the rules that hold between fields. */
export const chatCompletionFields = z.strictObject({
  model: annotate(z.string().describe('The id of a model that `GET /v1/models` lists.'), {
    examples: ['svc-0.1-echo'],
  }),
  messages: annotate(list(message, { min: 1 }), {
    description:
      'The conversation so far. A `tool` message answers a call that an earlier message made; a call may stay unanswered.',
  }),
  audio: optional(audioOptions, 'How spoken answers sound. Required where `modalities` has `audio`.'),
  frequency_penalty: optional(
    decimal(-2, 2),
    'Above 0, a token becomes less likely with each time that it has occurred.',
    { default: 0 },
  ),
  function_call: older(z.union([z.enum(['none', 'auto']), toolName]), 'The older form of `tool_choice`.'),
  functions: older(list(functionDefinition, { min: 1, max: 128 }), 'The older form of `tools`.'),
  logit_bias: optional(
    logitBias,
    'What is added to the logit of a token, by token id; -100 removes the token, 100 leaves no other.',
  ),
  logprobs: optional(z.boolean(), 'Returns the log probability of each token.', { default: false }),
  max_completion_tokens: optional(
    z.number().int().min(1),
    'The most tokens that are generated; an answer that is cut there ends with `length`.',
  ),
  max_tokens: older(z.number().int().min(1), 'The older name of `max_completion_tokens`.'),
  metadata: optional(
    metadata,
    `Up to ${METADATA.pairs} pairs of text: keys of up to ${METADATA.key} characters, values of up to ${METADATA.value}.`,
  ),
  modalities: optional(list(z.enum(['text', 'audio'])), 'What the answer is made of.', { default: ['text'] }),
  moderation: optional(moderation, 'Has prompt and answer moderated.'),
  n: optional(integer(1, 128), 'How many choices are generated.', { default: 1 }),
  parallel_tool_calls: optional(
    z.boolean(),
    'Whether one answer may hold more than one call. Only with `tools`.',
    { default: true },
  ),
  prediction: optional(prediction, 'Text that the answer is expected to repeat for the most part.'),
  presence_penalty: optional(decimal(-2, 2), 'Above 0, a token becomes less likely once it has occurred.', {
    default: 0,
  }),
  prompt_cache_key: optional(z.string(), 'Requests with the same key may share a cache.'),
  prompt_cache_options: optional(promptCacheOptions, 'The end of a cached prefix, and how long it is kept.'),
  prompt_cache_retention: older(z.enum(['in_memory', '24h']), 'How long a cached prefix is kept.'),
  reasoning_effort: optional(
    z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
    'How much a reasoning model thinks before it answers.',
    { default: 'medium' },
  ),
  response_format: optional(responseFormat, 'The form of the answer.', { default: { type: 'text' } }),
  safety_identifier: optional(textUpTo(64), 'Distinguishes the end users of a client without naming them.'),
  seed: optional(integer(-INT64, INT64), 'Same request, same seed, temperature 0: same text.', {
    deprecated: true,
    format: 'int64',
    // The document has a smaller bound, because 2^63, to which a parser rounds the largest int64, exceeds int64.
    minimum: -LARGEST_EXACT_INT64,
    maximum: LARGEST_EXACT_INT64,
  }),
  service_tier: optional(
    z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']),
    'The tier that serves the request.',
    { default: 'auto' },
  ),
  stop: optional(
    z.union([z.string(), list(z.string(), { min: 1, max: 4 })]),
    'The text ends before the first of these, which is not returned.',
  ),
  store: optional(z.boolean(), 'Keeps the answer for later retrieval.', { default: false }),
  stream: optional(z.boolean(), 'Sends the answer in chunks, as an event stream.', { default: false }),
  stream_options: optional(streamOptions, 'Only if `stream` is true.'),
  temperature: optional(
    decimal(0, 2),
    '0 takes the likeliest token each time; higher values are more random.',
    { default: 1 },
  ),
  tool_choice: optional(
    toolChoice,
    'Which tools the model calls: none, those it likes (`auto`), at least one (`required`), or those named. Only with `tools`; a named tool is one of them. Without `tools` the default is `none`, with them `auto`.',
  ),
  tools: optional(list(tool, { min: 1, max: 128 }), 'What the model may call.'),
  top_logprobs: optional(
    integer(0, 20),
    'How many of the likeliest tokens are returned at each place. Only if `logprobs` is true.',
  ),
  top_p: optional(decimal(0, 1), 'Chooses among the likeliest tokens that have this probability together.', {
    default: 1,
  }),
  user: older(z.string(), 'The older form of `safety_identifier` and `prompt_cache_key`.'),
  verbosity: optional(z.enum(['low', 'medium', 'high']), 'How long an answer the model aims at.', {
    default: 'medium',
  }),
  web_search_options: optional(webSearchOptions, 'Lets the model search the web.'),
})

/**
 * A request that is valid as a whole. A member that the format does not know is refused at the top level and in
 * settings, and dropped inside messages. The document describes rules between fields in prose, because as constraints
 * they would make generated clients require optional fields.
 */
export const chatCompletionRequest = annotate(
  chatCompletionFields.superRefine((request, context) => {
    for (const { path, message, code } of crossFieldIssues(request))
      context.addIssue({ code: 'custom', path: [...path], message, params: { code } })
  }),
  {
    description:
      'A conversation, and parameters for its answer. Some fields are allowed only beside others: their descriptions say which. `null` in a field that is not required means the same as leaving it out.',
  },
)

export type ChatCompletionRequest = z.infer<typeof chatCompletionRequest>
