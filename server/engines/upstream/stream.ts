// The chunks of an upstream's stream as deltas, however it orders them: each choice gets exactly one end, each call its
// id and name on its first fragment and on no other, and usage comes last.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { newId } from '../../http/ids.ts'
import type { Delta } from '../engine.ts'
import { failedUpstream, ignoredByUpstream, malformedUpstream } from './error.ts'
import {
  membersDeltas,
  reasonOf,
  tokenLogprobs,
  type UpstreamCall,
  type UpstreamCounts,
  upstreamChunk,
  usageOf,
} from './format.ts'
import type { UpstreamModel } from './model.ts'

/** The state of one choice. */
interface Choice {
  /** Half of a surrogate pair, whose other half has not come. */
  half: string
  /** Text until a refusal begins. */
  speaks: 'content' | 'refusal'
  /** The ids of the calls so far, by their index at the upstream. */
  readonly calls: Map<number, number>
  finished: boolean
}

export function createChunkReader(request: ChatCompletionRequest, upstream: UpstreamModel) {
  const choices = Array.from({ length: request.n ?? 1 }, (): Choice => ({
    half: '',
    speaks: 'content',
    calls: new Map(),
    finished: false,
  }))
  let usage: UpstreamCounts
  let tier: string | undefined

  function* say(choice: Choice, index: number, said: string, chunk: Parameters<typeof tokenLogprobs>[0]) {
    const whole = choice.half + said
    const cut = /[\uD800-\uDBFF]$/.test(whole) ? whole.length - 1 : whole.length
    choice.half = whole.slice(cut)
    const wanted = request.logprobs === true
    const entries = wanted ? tokenLogprobs(chunk, request.top_logprobs ?? 0, choice.speaks) : undefined
    // A token may be a part of a character that comes with a later one.
    if (cut === 0 && (entries ?? []).length === 0) return
    if (wanted && choice.speaks === 'content' && entries === undefined) throw ignoredByUpstream('logprobs')
    yield {
      type: choice.speaks === 'content' ? ('text' as const) : ('refusal' as const),
      index,
      text: whole.slice(0, cut),
      ...(entries === undefined ? {} : { logprobs: entries }),
    }
  }

  /** A fragment without an index belongs to the call before it, or begins the first one; one with a new id begins one. */
  function callOf({ calls }: Choice, { index, id }: UpstreamCall): { call: number; isNew: boolean } {
    const place = index ?? (id ? calls.size : Math.max(0, calls.size - 1))
    const known = calls.get(place)
    if (known !== undefined) return { call: known, isNew: false }
    calls.set(place, calls.size)
    return { call: calls.size - 1, isNew: true }
  }

  function* end(index: number, choice: Choice, reason: string | null): Generator<Delta> {
    choice.finished = true
    // A half character that nothing completes is a character of its own.
    if (choice.half !== '') yield { type: 'text', index, text: choice.half }
    yield { type: 'finish', index, reason: reasonOf(reason, choice.calls.size > 0) }
  }

  return {
    /** The deltas of the next record. Throws if it is an error, or is not in the format. */
    *read(record: unknown): Generator<Delta> {
      const parsed = upstreamChunk.safeParse(record)
      if (!parsed.success) throw malformedUpstream('a record that is not a chunk')
      const { error, usage: counts, choices: parts, service_tier: named } = parsed.data
      if (error != null) throw failedUpstream(error, upstream)
      usage = counts ?? usage
      if (named != null && named !== tier) yield { type: 'service-tier', tier: (tier = named) }
      for (const { index = 0, delta, logprobs, finish_reason: reason } of parts) {
        const choice = choices[index]
        if (choice === undefined || choice.finished) continue
        choice.speaks = delta?.refusal ? 'refusal' : 'content'
        yield* say(choice, index, delta?.refusal || (delta?.content ?? ''), logprobs)
        yield* membersDeltas(index, 'message', delta)
        for (const fragment of delta?.tool_calls ?? []) {
          const { call, isNew } = callOf(choice, fragment)
          const opening = isNew
            ? { id: fragment.id || newId('call_'), name: fragment.function?.name ?? '' }
            : {}
          yield { type: 'tool-call', index, call, ...opening, arguments: fragment.function?.arguments ?? '' }
        }
        if (reason) yield* end(index, choice, reason)
      }
    },
    /** The end of the stream. Throws if the answer was cut off in its middle. */
    *end(): Generator<Delta> {
      const open = choices.findIndex(({ finished }) => !finished)
      if (open > 0) throw ignoredByUpstream('n')
      if (open === 0) throw malformedUpstream('the stream ended before its answer did')
      if (usage != null) yield { type: 'usage', usage: usageOf(usage) }
    },
  }
}
