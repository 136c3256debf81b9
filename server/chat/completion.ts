// Folds the deltas of an answer into one chat completion. The stream writer consumes the same deltas, so the two
// cannot disagree (STREAM-6).
import type { ChatCompletion, FinishReason, TokenLogprob, Usage } from '../../spec/schemas/response.ts'
import type { Delta, Deltas } from '../engines/engine.ts'

/** What an answer is called: the same on the completion and on every chunk (STREAM-3). */
export interface AnswerHead {
  /** `chatcmpl-…`, different for every answer (WIRE-4). */
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  /** The tier that serves the request, where it asks for one (WIRE-25). */
  readonly serviceTier?: string
}

interface Choice {
  text: string
  logprobs: TokenLogprob[]
  calls: { id: string; name: string; arguments: string }[]
  reason: FinishReason | undefined
}

/** Collects all deltas of an answer with `n` choices. Throws what the engine throws. */
export async function foldCompletion(
  answer: AsyncIterable<Deltas>,
  head: AnswerHead,
  n: number,
): Promise<ChatCompletion> {
  const choices = Array.from({ length: n }, (): Choice => ({
    text: '',
    logprobs: [],
    calls: [],
    reason: undefined,
  }))
  let usage: Usage | undefined
  for await (const deltas of answer) {
    for (const delta of deltas) {
      if (delta.type === 'usage') usage = delta.usage
      else add(choices[delta.index], delta)
    }
  }
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: choices.map(toChoice),
    ...(usage === undefined ? {} : { usage }),
    ...(head.serviceTier === undefined ? {} : { service_tier: head.serviceTier }),
  }
}

function add(choice: Choice | undefined, delta: Exclude<Delta, { type: 'usage' }>): void {
  if (choice === undefined)
    throw new RangeError(
      `the engine sent a ${delta.type} delta for choice ${delta.index}, which was not asked for`,
    )
  switch (delta.type) {
    case 'text':
      choice.text += delta.text
      for (const logprob of delta.logprobs ?? []) choice.logprobs.push(logprob)
      break
    case 'tool-call': {
      const call = (choice.calls[delta.call] ??= { id: '', name: '', arguments: '' })
      call.id ||= delta.id ?? ''
      call.name ||= delta.name ?? ''
      call.arguments += delta.arguments
      break
    }
    case 'finish':
      choice.reason = delta.reason
      break
  }
}

function toChoice(
  { text, logprobs, calls, reason }: Choice,
  index: number,
): ChatCompletion['choices'][number] {
  if (reason === undefined) throw new RangeError(`the engine did not finish choice ${index}`)
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: args },
  }))
  return {
    index,
    message: {
      role: 'assistant',
      content: text === '' && toolCalls.length > 0 ? null : text,
      refusal: null,
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
    logprobs: logprobs.length === 0 ? null : { content: logprobs, refusal: null },
    finish_reason: reason,
  }
}
