// The schemas for an upstream's answers. Lenient, because servers differ: a missing member gets the value that it
// implies, and only an unusable answer is a failure.
import { z } from 'zod'
import type { Delta, UnknownMembers } from '../engine.ts'
import {
  chatCompletion,
  completionChoice,
  completionMessage,
  completionTokensDetails,
  finishReason,
  type FinishReason,
  functionCallFragment,
  promptTokensDetails,
  type TokenLogprob,
  toolCallFragment,
  type Usage,
} from '../../../spec/schemas/response.ts'

/** The log probability of an excluded token, if the upstream sends no number. */
const LEAST_LOGPROB = -9999

const text = z.string().nullish().catch(null)
const place = z.number().int().min(0).optional().catch(undefined)

/** A whole call, or a fragment of one. Some services send the arguments as an object instead of text. */
const call = z
  .object({
    index: place,
    id: text,
    function: z
      .object({
        name: text,
        arguments: z
          .union([z.string(), z.record(z.unknown()).transform((value) => JSON.stringify(value))])
          .nullish(),
      })
      .passthrough()
      .nullish(),
  })
  .passthrough()

const candidate = z.object({
  token: z.string(),
  // JSON has no infinity, so an excluded token has a very small number, or null.
  logprob: z
    .number()
    .catch(LEAST_LOGPROB)
    .transform((value) => Math.min(0, value)),
  bytes: z.array(z.number().int().min(0).max(255)).nullable().catch(null),
})

const tokens = z.array(candidate.extend({ top_logprobs: z.array(candidate).nullish() })).nullish()

const logprobs = z.object({ content: tokens, refusal: tokens }).nullish().catch(null)

/** A message or a delta; further members are passed on. */
const said = z.object({ content: text, refusal: text, tool_calls: z.array(call).nullish() }).passthrough()

const choice = { index: place, finish_reason: text, logprobs }

const count = z.number().int().min(0)
const counts = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: promptTokensDetails.optional().catch(undefined),
    completion_tokens_details: completionTokensDetails.optional().catch(undefined),
  })
  .nullish()
  .catch(null)

export const upstreamCompletion = z
  .object({
    choices: z.array(z.object({ ...choice, message: said }).passthrough()),
    usage: counts,
    service_tier: text,
  })
  .passthrough()

export const upstreamChunk = z
  .object({
    error: z.unknown(),
    choices: z
      .array(z.object({ ...choice, delta: said.nullish() }).passthrough())
      .nullish()
      .transform((choices) => choices ?? []),
    usage: counts,
    service_tier: text,
  })
  .passthrough()

type MembersDelta = Extract<Delta, { type: 'members' }>

/** Members that the format knows, or that the engine reads itself. */
const KNOWN = {
  message: new Set([...Object.keys(completionMessage.shape), 'function_call']),
  choice: new Set([...Object.keys(completionChoice.shape), 'delta']),
  answer: new Set([...Object.keys(chatCompletion.shape), 'error']),
  call: new Set(Object.keys(toolCallFragment.shape)),
  function: new Set(Object.keys(functionCallFragment.shape)),
} as const satisfies Record<string, ReadonlySet<string>>

/** The members of a part of an answer that the format does not know. */
export function unknownMembers(of: keyof typeof KNOWN, part: object | null | undefined): UnknownMembers {
  const known: ReadonlySet<string> = KNOWN[of]
  return Object.fromEntries(Object.entries(part ?? {}).filter(([name]) => !known.has(name)))
}

/** The other members of a part of an answer, if there are any. */
export function* membersDeltas(
  index: number,
  of: MembersDelta['of'],
  part: object | null | undefined,
): Generator<MembersDelta> {
  const members = unknownMembers(of, part)
  if (Object.keys(members).length > 0) yield { type: 'members', index, of, members }
}

export type UpstreamCall = z.infer<typeof call>
export type UpstreamLogprobs = z.infer<typeof logprobs>
export type UpstreamCounts = z.infer<typeof counts>

/** The entries of a text or a refusal, where the upstream gave any. The likeliest candidates come first. */
export function tokenLogprobs(
  entries: NonNullable<UpstreamLogprobs>['content'],
  top: number,
): readonly TokenLogprob[] | undefined {
  return entries?.map(({ top_logprobs: candidates, ...token }) => ({
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
export function usageOf({
  prompt_tokens,
  completion_tokens,
  ...details
}: NonNullable<UpstreamCounts>): Usage {
  const known = Object.entries(details).filter(([, counts]) => counts !== undefined)
  const total_tokens = prompt_tokens + completion_tokens
  return { prompt_tokens, completion_tokens, total_tokens, ...Object.fromEntries(known) }
}
