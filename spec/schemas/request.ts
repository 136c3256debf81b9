// The request of POST /v1/chat/completions: every field of the wire format, with its range and its null (WIRE-10).
// A field that a model does not support is listed here too: the model refuses it by name.
import { z } from 'zod'
import { annotate } from './annotate.ts'
import { crossFieldIssues } from './cross-field.ts'
import { list } from './collections.ts'
import { message } from './message.ts'
import {
  METADATA_KEY_LENGTH,
  METADATA_PAIRS,
  METADATA_VALUE_LENGTH,
  audio,
  logitBias,
  metadata,
  moderation,
  prediction,
  promptCacheOptions,
  responseFormat,
  streamOptions,
  webSearchOptions,
} from './settings.ts'
import { textUpTo } from './text.ts'
import { functionDefinition, tool, toolChoice, toolName } from './tool.ts'

/** The range of a 64-bit integer, as exactly as a JSON number can say it. */
const INT64 = 2 ** 63

/** Every field by itself: `chatCompletionRequest` without the rules that hold between fields. */
export const chatCompletionFields = z.strictObject({
  model: annotate(z.string().describe('The id of a model that `GET /v1/models` lists.'), {
    examples: ['svc-0.1-echo'],
  }),
  messages: annotate(list(message, { min: 1 }), {
    description:
      'The conversation so far. A `tool` message answers a call that an earlier message made; a call may stay unanswered.',
  }),
  audio: audio.nullish().describe('How spoken answers sound. Required where `modalities` has `audio`.'),
  frequency_penalty: annotate(
    z
      .number()
      .min(-2)
      .max(2)
      .nullish()
      .describe('Above 0, a token becomes less likely with each time that it has occurred.'),
    { default: 0 },
  ),
  function_call: annotate(
    z
      .union([z.enum(['none', 'auto']), toolName])
      .nullish()
      .describe('The older form of `tool_choice`.'),
    { deprecated: true },
  ),
  functions: annotate(
    list(functionDefinition, { min: 1, max: 128 }).nullish().describe('The older form of `tools`.'),
    { deprecated: true },
  ),
  logit_bias: logitBias
    .nullish()
    .describe(
      'What is added to the logit of a token, by token id; -100 removes the token, 100 leaves no other.',
    ),
  logprobs: annotate(z.boolean().nullish().describe('Returns the log probability of each token.'), {
    default: false,
  }),
  max_completion_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('The most tokens that are generated; an answer that is cut there ends with `length`.'),
  max_tokens: annotate(
    z.number().int().min(1).nullish().describe('The older name of `max_completion_tokens`.'),
    { deprecated: true },
  ),
  metadata: metadata
    .nullish()
    .describe(
      `Up to ${METADATA_PAIRS} pairs of text: keys of up to ${METADATA_KEY_LENGTH} characters, values of up to ${METADATA_VALUE_LENGTH}.`,
    ),
  modalities: annotate(
    list(z.enum(['text', 'audio']))
      .nullish()
      .describe('What the answer is made of.'),
    { default: ['text'] },
  ),
  moderation: moderation.nullish().describe('Has prompt and answer moderated.'),
  n: annotate(z.number().int().min(1).max(128).nullish().describe('How many choices are generated.'), {
    default: 1,
  }),
  parallel_tool_calls: annotate(
    z.boolean().nullish().describe('Whether one answer may hold more than one call. Only with `tools`.'),
    { default: true },
  ),
  prediction: prediction.nullish().describe('Text that the answer is expected to repeat for the most part.'),
  presence_penalty: annotate(
    z
      .number()
      .min(-2)
      .max(2)
      .nullish()
      .describe('Above 0, a token becomes less likely once it has occurred.'),
    { default: 0 },
  ),
  prompt_cache_key: z.string().nullish().describe('Requests with the same key may share a cache.'),
  prompt_cache_options: promptCacheOptions
    .nullish()
    .describe('The end of a cached prefix, and how long it is kept.'),
  prompt_cache_retention: annotate(
    z.enum(['in_memory', '24h']).nullish().describe('How long a cached prefix is kept.'),
    { deprecated: true },
  ),
  reasoning_effort: annotate(
    z
      .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
      .nullish()
      .describe('How much a reasoning model thinks before it answers.'),
    {
      default: 'medium',
    },
  ),
  response_format: annotate(responseFormat.nullish().describe('The form of the answer.'), {
    default: { type: 'text' },
  }),
  safety_identifier: textUpTo(64)
    .nullish()
    .describe('Distinguishes the end users of a client without naming them.'),
  seed: annotate(
    z
      .number()
      .int()
      .min(-INT64)
      .max(INT64)
      .nullish()
      .describe('Same request, same seed, temperature 0: same text.'),
    { deprecated: true, format: 'int64' },
  ),
  service_tier: annotate(
    z
      .enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
      .nullish()
      .describe('The tier that serves the request.'),
    {
      default: 'auto',
    },
  ),
  stop: z
    .union([z.string(), list(z.string(), { min: 1, max: 4 })])
    .nullish()
    .describe('The text ends before the first of these, which is not returned.'),
  store: annotate(z.boolean().nullish().describe('Keeps the answer for later retrieval.'), {
    default: false,
  }),
  stream: annotate(z.boolean().nullish().describe('Sends the answer in chunks, as an event stream.'), {
    default: false,
  }),
  stream_options: streamOptions.nullish().describe('Only if `stream` is true.'),
  temperature: annotate(
    z
      .number()
      .min(0)
      .max(2)
      .nullish()
      .describe('0 takes the likeliest token each time; higher values are more random.'),
    { default: 1 },
  ),
  tool_choice: toolChoice
    .nullish()
    .describe(
      'Which tools the model calls: none, those it likes (`auto`), at least one (`required`), or those named. Only with `tools`; a named tool is one of them. Without `tools` the default is `none`, with them `auto`.',
    ),
  tools: list(tool, { min: 1, max: 128 }).nullish().describe('What the model may call.'),
  top_logprobs: z
    .number()
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe('How many of the likeliest tokens are returned at each place. Only if `logprobs` is true.'),
  top_p: annotate(
    z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe('Chooses among the likeliest tokens that have this probability together.'),
    { default: 1 },
  ),
  user: annotate(
    z.string().nullish().describe('The older form of `safety_identifier` and `prompt_cache_key`.'),
    { deprecated: true },
  ),
  verbosity: annotate(
    z.enum(['low', 'medium', 'high']).nullish().describe('How long an answer the model aims at.'),
    { default: 'medium' },
  ),
  web_search_options: webSearchOptions.nullish().describe('Lets the model search the web.'),
})

/**
 * A request that is valid as a whole. A member that the format does not know is refused at the top level and in
 * settings, and dropped inside messages. Rules between fields are prose, not schema: as constraints they would make
 * generated clients demand fields that are optional.
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
