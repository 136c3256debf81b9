// A whole answer of an upstream as deltas.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { newId } from '../../http/ids.ts'
import type { Delta } from '../engine.ts'
import { ignoredByUpstream, malformedUpstream } from './error.ts'
import { reasonOf, tokenLogprobs, upstreamCompletion, usageOf } from './format.ts'

/** Throws the 400 that names a field which the upstream took and ignored, if that shows. */
export function* completionDeltas(body: unknown, request: ChatCompletionRequest): Generator<Delta> {
  const parsed = upstreamCompletion.safeParse(body)
  if (!parsed.success) throw malformedUpstream('a completion without choices')
  const { choices, usage } = parsed.data
  const n = request.n ?? 1
  if (choices.length < n)
    throw n > 1 ? ignoredByUpstream('n') : malformedUpstream('a completion without choices')

  for (const [index, { message, logprobs, finish_reason: reason }] of choices.slice(0, n).entries()) {
    const text = message.content ?? message.refusal ?? ''
    if (text !== '') {
      const entries =
        request.logprobs === true ? tokenLogprobs(logprobs, request.top_logprobs ?? 0) : undefined
      if (request.logprobs === true && entries === undefined) throw ignoredByUpstream('logprobs')
      yield { type: 'text', index, text, ...(entries === undefined ? {} : { logprobs: entries }) }
    }
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
    yield { type: 'finish', index, reason: reasonOf(reason, calls.length > 0) }
  }
  if (usage != null) yield { type: 'usage', usage: usageOf(usage) }
}
