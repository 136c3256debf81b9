// A whole answer of an upstream as deltas.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { newId } from '../../http/ids.ts'
import type { Delta } from '../engine.ts'
import { ignoredByUpstream, malformedUpstream } from './error.ts'
import { membersDeltas, reasonOf, tokenLogprobs, upstreamCompletion, usageOf } from './format.ts'

/** The texts of a message, as deltas. */
const SPOKEN = [
  ['text', 'content'],
  ['refusal', 'refusal'],
] as const

/** Throws the 400 that names a field which the upstream took and ignored, if that shows. */
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
    for (const [type, of] of SPOKEN) {
      const text = message[of]
      if (text == null) continue
      const entries =
        request.logprobs === true ? tokenLogprobs(logprobs, request.top_logprobs ?? 0, of) : undefined
      if (request.logprobs === true && type === 'text' && text !== '' && entries === undefined)
        throw ignoredByUpstream('logprobs')
      yield { type, index, text, ...(entries === undefined ? {} : { logprobs: entries }) }
    }
    yield* membersDeltas(index, 'message', message)
    yield* membersDeltas(index, 'choice', choice)
    const calls = message.tool_calls ?? []
    for (const [call, { id, function: called }] of calls.entries()) {
      yield {
        type: 'tool-call',
        index,
        call,
        id: id || newId('call_'),
        name: called?.name ?? '',
        arguments: called?.arguments ?? '',
      }
    }
    const isNull = message.content == null
    yield { type: 'finish', index, reason: reasonOf(reason, calls.length > 0), ...(isNull ? { isNull } : {}) }
  }
  if (usage != null) yield { type: 'usage', usage: usageOf(usage) }
}
