// The answer of an upstream as deltas, whole or in chunks. Whatever the order of the chunks, each choice gets exactly
// one end, each call its id and name on its first fragment only, and usage comes last.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { newId } from '../../http/ids.ts'
import type { Delta } from '../engine.ts'
import { failedUpstream, ignoredByUpstream, malformedUpstream } from './upstream-errors.ts'
import {
  membersDeltas,
  reasonOf,
  tokenLogprobs,
  type UpstreamCall,
  type UpstreamCounts,
  upstreamChunk,
  unknownMembers,
  upstreamCompletion,
  type UpstreamLogprobs,
  usageOf,
} from './upstream-format.ts'
import type { UpstreamModel } from './upstream-model.ts'

/** The deltas of a whole answer. Throws a 400 that names a field if the answer shows that the upstream accepted and ignored it. */
export function* completionDeltas(body: unknown, request: ChatCompletionRequest): Generator<Delta> {
  const parsed = upstreamCompletion.safeParse(body)
  if (!parsed.success) throw malformedUpstream('a completion without choices')
  const { choices, usage, service_tier: tier } = parsed.data
  const n = request.n ?? 1
  if (tier != null) yield { type: 'service-tier', tier }
  if (choices.length < n)
    throw n > 1 ? ignoredByUpstream('n') : malformedUpstream('a completion without choices')

  yield* membersDeltas(0, 'answer', parsed.data)
  for (const [index, choice] of choices.slice(0, n).entries()) {
    const { message, logprobs, finish_reason: reason } = choice
    for (const part of ['content', 'refusal'] as const) {
      const text = message[part]
      if (text != null) yield textDelta(index, part, text, logprobs, request)
    }
    yield* membersDeltas(index, 'message', message)
    yield* membersDeltas(index, 'choice', choice)
    const calls = message.tool_calls ?? []
    for (const [call, each] of calls.entries()) yield callDelta(index, call, each, true)
    const isNull = message.content == null
    yield { type: 'finish', index, reason: reasonOf(reason, calls.length > 0), ...(isNull ? { isNull } : {}) }
  }
  if (usage != null) yield { type: 'usage', usage: usageOf(usage) }
}

/** The maximum number of different members of chunks and choices in one stream that are sent on. */
const MAX_DIFFERENT_MEMBERS = 1_000

/** The state of one choice of a stream. */
interface Choice {
  /** The first half of a surrogate pair without the second. */
  half: string
  /** The ids of the calls so far, by their index at the upstream. */
  readonly calls: Map<number, number>
  finished: boolean
}

export function createChunkReader(request: ChatCompletionRequest, upstream: UpstreamModel) {
  const choices = Array.from({ length: request.n ?? 1 }, (): Choice => ({
    half: '',
    calls: new Map(),
    finished: false,
  }))
  let usage: UpstreamCounts
  let tier: string | undefined
  /** The unknown members that were sent, as JSON: many upstreams repeat them on every chunk. */
  const sentMembers = new Set<string>()

  /** The unknown members of a chunk or of its choice that were not sent yet. */
  function* newMembers(index: number, of: 'choice' | 'answer', part: object): Generator<Delta> {
    for (const delta of membersDeltas(index, of, part)) {
      const json = JSON.stringify(delta)
      if (!sentMembers.has(json) && sentMembers.size < MAX_DIFFERENT_MEMBERS) yield delta
      sentMembers.add(json)
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

  function* end(index: number, choice: Choice, reason: string): Generator<Delta> {
    choice.finished = true
    // A half pair that nothing completes is a character of its own.
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
      for (const part of parts) {
        const { index = 0, delta, logprobs, finish_reason: reason } = part
        const choice = choices[index]
        if (choice === undefined || choice.finished) continue
        yield* newMembers(index, 'answer', parsed.data)
        yield* newMembers(index, 'choice', part)
        const whole = choice.half + (delta?.refusal || (delta?.content ?? ''))
        const cut = /[\uD800-\uDBFF]$/.test(whole) ? whole.length - 1 : whole.length
        choice.half = whole.slice(cut)
        const of = delta?.refusal ? 'refusal' : 'content'
        const said = textDelta(index, of, whole.slice(0, cut), logprobs, request)
        // A token may have entries but no text, if a later one completes its character.
        if (said.text !== '' || (said.logprobs ?? []).length > 0) yield said
        yield* membersDeltas(index, 'message', delta)
        for (const fragment of delta?.tool_calls ?? []) {
          const { call, isNew } = callOf(choice, fragment)
          yield callDelta(index, call, fragment, isNew)
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

function textDelta(
  index: number,
  of: 'content' | 'refusal',
  text: string,
  logprobs: UpstreamLogprobs,
  request: ChatCompletionRequest,
): Extract<Delta, { type: 'text' | 'refusal' }> {
  const type = of === 'content' ? 'text' : 'refusal'
  if (request.logprobs !== true) return { type, index, text }
  const entries = tokenLogprobs(logprobs?.[of], request.top_logprobs ?? 0)
  if (entries !== undefined) return { type, index, text, logprobs: entries }
  if (type === 'text' && text !== '') throw ignoredByUpstream('logprobs')
  return { type, index, text }
}

function callDelta(index: number, call: number, fragment: UpstreamCall, isNew: boolean): Delta {
  const { id, function: called } = fragment
  const opening = isNew ? { id: id || newId('call_'), name: called?.name ?? '' } : {}
  const members = { call: unknownMembers('call', fragment), function: unknownMembers('function', called) }
  const hasMembers = Object.values(members).some((own) => Object.keys(own).length > 0)
  const delta = { type: 'tool-call', index, call, ...opening, arguments: called?.arguments ?? '' } as const
  return hasMembers ? { ...delta, members } : delta
}
