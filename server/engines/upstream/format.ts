// The schemas for an upstream's answers. Lenient, because servers differ: a missing member gets the value that
// it must have meant, unknown members are dropped, and only an answer without a usable meaning is a failure.
import { z } from 'zod'
import {
  finishReason,
  type FinishReason,
  type TokenLogprob,
  type Usage,
} from '../../../spec/schemas/response.ts'

/** The log probability of a token that cannot come. */
const LEAST_LOGPROB = -9999

const text = z.string().nullish().catch(null)
const place = z.number().int().min(0).optional().catch(undefined)

/** A whole call, or a fragment of one; some send the arguments as the object itself. */
const call = z.object({
  index: place,
  id: text,
  function: z
    .object({
      name: text,
      arguments: z
        .union([z.string(), z.record(z.unknown()).transform((value) => JSON.stringify(value))])
        .nullish(),
    })
    .nullish(),
})

const candidate = z.object({
  token: z.string(),
  // JSON has no infinity, so a token that was ruled out has some very small number, or null.
  logprob: z
    .number()
    .catch(LEAST_LOGPROB)
    .transform((value) => Math.max(LEAST_LOGPROB, Math.min(0, value))),
  bytes: z.array(z.number().int().min(0).max(255)).nullable().catch(null),
})

const logprobs = z
  .object({
    content: z.array(candidate.extend({ top_logprobs: z.array(candidate).nullish() })).nullish(),
  })
  .nullish()
  .catch(null)

const said = z.object({ content: text, refusal: text, tool_calls: z.array(call).nullish() })

const choice = { index: place, finish_reason: text, logprobs }

const count = z.number().int().min(0)
const counts = z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null)

export const upstreamCompletion = z.object({
  choices: z.array(z.object({ ...choice, message: said })),
  usage: counts,
})

export const upstreamChunk = z.object({
  error: z.unknown(),
  choices: z
    .array(z.object({ ...choice, delta: said.nullish() }))
    .nullish()
    .transform((choices) => choices ?? []),
  usage: counts,
})

export type UpstreamCall = z.infer<typeof call>
export type UpstreamLogprobs = z.infer<typeof logprobs>
export type UpstreamCounts = z.infer<typeof counts>

/** The entries of a text, where the upstream gave any. The likeliest candidates come first. */
export function tokenLogprobs(logprobs: UpstreamLogprobs, top: number): readonly TokenLogprob[] | undefined {
  return logprobs?.content?.map(({ top_logprobs: candidates, ...token }) => ({
    ...token,
    top_logprobs: (candidates ?? []).toSorted((a, b) => b.logprob - a.logprob).slice(0, top),
  }))
}

/** A reason of the closed set (WIRE-2): with calls it is `tool_calls`, and an unknown word is a plain end. */
export function reasonOf(word: string | null | undefined, called: boolean): FinishReason {
  if (called && word !== 'length' && word !== 'content_filter') return 'tool_calls'
  const known = finishReason.safeParse(word)
  return known.success && known.data !== 'tool_calls' && known.data !== 'function_call' ? known.data : 'stop'
}

/** The counts with their sum (WIRE-3). */
export function usageOf({ prompt_tokens, completion_tokens }: NonNullable<UpstreamCounts>): Usage {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
