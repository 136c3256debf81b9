// What a request demands of its answer and what shows in it: JSON, a call. An upstream that took the field and
// ignored it is found out here, so that nothing is ignored silently (WIRE-12). Before an answer has begun that is a
// 400; in a stream it is an error record at its end.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import type { Delta, Deltas } from '../engine.ts'
import { ignoredByUpstream } from './error.ts'

/** An answer longer than this is not checked against the format that was asked for, in UTF-16 code units. */
const MAX_CHECKED_LENGTH = 1024 * 1024

/** The same deltas. Throws at the end of a choice that is whole and not what the request demanded. */
export async function* keepPromises(
  answer: AsyncIterable<Deltas>,
  request: ChatCompletionRequest,
): AsyncGenerator<Deltas> {
  const wantsJson = request.response_format != null && request.response_format.type !== 'text'
  const called = new Set<number>()
  const texts = new Map<number, string>()
  function hold(delta: Delta): void {
    if (delta.type === 'tool-call') called.add(delta.index)
    if (wantsJson && delta.type === 'text') {
      const text = texts.get(delta.index) ?? ''
      if (text.length <= MAX_CHECKED_LENGTH) texts.set(delta.index, text + delta.text)
    }
    // What a limit cut off, or a filter, is not whole.
    if (delta.type === 'finish' && (delta.reason === 'stop' || delta.reason === 'tool_calls')) {
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

function mustCall({ tool_choice: choice }: ChatCompletionRequest): boolean {
  if (choice == null || choice === 'auto' || choice === 'none') return false
  return (
    typeof choice === 'string' || choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required'
  )
}

function isJson(text: string): boolean {
  if (text.length > MAX_CHECKED_LENGTH) return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
