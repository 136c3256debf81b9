// The answers of the service: a completion, the chunks of a streamed one, the models (WIRE-1 to WIRE-3, WIRE-15).
import { z } from 'zod'
import { annotate } from './annotate.ts'
import { toolCall } from './message.ts'

const count = z.number().int().min(0)
const unixSeconds = count.describe('Unix time in seconds.')

export const finishReason = z
  .enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])
  .describe('Why the choice ended.')

export type FinishReason = z.infer<typeof finishReason>

const counts = (...names: readonly string[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, count.optional()])))

export const promptTokensDetails = counts(
  'cached_tokens',
  'audio_tokens',
  'text_tokens',
  'image_tokens',
  'cache_write_tokens',
)

export const completionTokensDetails = counts(
  'reasoning_tokens',
  'audio_tokens',
  'text_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
)

export const usage = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count.describe('The sum of the other two.'),
    prompt_tokens_details: promptTokensDetails.optional(),
    completion_tokens_details: completionTokensDetails.optional(),
  })
  .describe('How many tokens the request took, all choices together.')

export type Usage = z.infer<typeof usage>

export const tokenCandidate = z.object({
  token: z.string(),
  logprob: z.number().max(0),
  bytes: z
    .array(z.number().int().min(0).max(255))
    .nullable()
    .describe('The UTF-8 of the token, which may be a part of a character; null if it has none.'),
})

export const tokenLogprob = tokenCandidate
  .extend({
    top_logprobs: z.array(tokenCandidate).describe('The likeliest tokens at this place, likeliest first.'),
  })
  .describe('One token and its log probability.')

export type TokenLogprob = z.infer<typeof tokenLogprob>

export const choiceLogprobs = z.object({
  content: z.array(tokenLogprob).nullable(),
  refusal: z.array(tokenLogprob).nullable(),
})

export const completionMessage = z.object({
  role: z.literal('assistant'),
  content: z.string().nullable(),
  refusal: z.string().nullable(),
  tool_calls: z.array(toolCall).min(1).optional(),
})

const index = count.describe('The place of the choice: 0 to n-1.')
const id = z.string().min(1)
const model = z.string()

export const completionChoice = z.object({
  index,
  message: completionMessage,
  finish_reason: finishReason,
  logprobs: choiceLogprobs.nullable(),
})

export const chatCompletion = z
  .object({
    id,
    object: z.literal('chat.completion'),
    created: unixSeconds,
    model,
    choices: z.array(completionChoice).min(1),
    usage: usage.optional(),
    service_tier: z.string().nullish(),
    system_fingerprint: annotate(z.string().optional(), { deprecated: true }),
  })
  .describe('A whole answer.')

export type ChatCompletion = z.infer<typeof chatCompletion>

export const functionCallFragment = z.object({
  name: z.string().optional(),
  arguments: z.string().optional(),
})

export const toolCallFragment = z
  .object({
    index: count.describe('The place of the call in the answer, from 0.'),
    id: z.string().optional(),
    type: z.literal('function').optional(),
    function: functionCallFragment.optional(),
  })
  .describe(
    'A fragment of a call: the first one has `id`, `type` and the name, each later one more arguments.',
  )

export const chunkDelta = z.object({
  role: z.literal('assistant').optional().describe('On the first delta of each choice, and on no other.'),
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCallFragment).min(1).optional(),
})

export const chunkChoice = z.object({
  index,
  delta: chunkDelta,
  finish_reason: finishReason.nullable(),
  logprobs: choiceLogprobs.nullish(),
})

export const chatCompletionChunk = z
  .object({
    id,
    object: z.literal('chat.completion.chunk'),
    created: unixSeconds,
    model,
    choices: z.array(chunkChoice).describe('Empty on the chunk that carries the usage.'),
    usage: usage.nullish().describe('Null on every chunk but the last; left out if it was not requested.'),
    service_tier: z.string().nullish(),
    system_fingerprint: annotate(z.string().optional(), { deprecated: true }),
  })
  .describe('A chunk of a streamed answer; `id`, `created` and `model` are the same on all chunks.')

export type ChatCompletionChunk = z.infer<typeof chatCompletionChunk>

export const modelRecord = z
  .object({
    id: annotate(id, { examples: ['svc-0.1-echo'] }),
    object: z.literal('model'),
    created: unixSeconds,
    owned_by: z.string(),
    context_length: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('The length of its context in tokens, if it is known.'),
  })
  .describe('A model that the key may use.')

export type ModelRecord = z.infer<typeof modelRecord>

export const modelList = z
  .object({ object: z.literal('list'), data: z.array(modelRecord) })
  .describe('The models that the key may use.')

export type ModelList = z.infer<typeof modelList>
