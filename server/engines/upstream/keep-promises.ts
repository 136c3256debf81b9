// Checks that an answer is JSON, or has a call, if the request requires it: an upstream must not ignore a field silently
// (WIRE-12). Before the answer starts the failure is a 400; in a stream it is an error record at the end.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import type { Delta, Deltas } from '../engine.ts'
import { mustCall } from '../request-options.ts'
import { parseJson } from '../text/parse-json.ts'
import { ignoredByUpstream } from './upstream-errors.ts'

/** Longer answers are not checked against the requested format, in UTF-16 code units. */
const MAX_CHECKED_LENGTH = 1024 * 1024

/** Yields the same deltas. Throws at the end of a complete choice that does not match the request. */
export async function* keepPromises(
  answer: AsyncIterable<Deltas>,
  request: ChatCompletionRequest,
): AsyncGenerator<Deltas> {
  const wantsJson = request.response_format != null && request.response_format.type !== 'text'
  const called = new Set<number>()
  const refused = new Set<number>()
  const texts = new Map<number, string>()
  function hold(delta: Delta): void {
    if (delta.type === 'tool-call') called.add(delta.index)
    if (delta.type === 'refusal') refused.add(delta.index)
    if (wantsJson && delta.type === 'text') {
      const text = texts.get(delta.index) ?? ''
      if (text.length <= MAX_CHECKED_LENGTH) texts.set(delta.index, text + delta.text)
    }
    // An answer that a limit or a filter cut is not complete.
    const isWhole = delta.type === 'finish' && (delta.reason === 'stop' || delta.reason === 'tool_calls')
    if (isWhole && !refused.has(delta.index)) {
      if (mustCall(request) && !called.has(delta.index)) throw ignoredByUpstream('tool_choice')
      if (wantsJson && !called.has(delta.index) && !isJson(texts.get(delta.index) ?? ''))
        throw ignoredByUpstream('response_format')
    }
  }

  for await (const deltas of answer) {
    deltas.forEach(hold)
    yield deltas
  }
}

function isJson(text: string): boolean {
  return text.length > MAX_CHECKED_LENGTH || parseJson(text) !== undefined
}
