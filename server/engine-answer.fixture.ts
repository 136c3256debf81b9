// The answer of an engine in one piece, for tests of engines.
import type { ChatCompletionRequest } from '../spec/schemas/request.ts'
import { completionOf } from './chat/plain-completion.fixture.ts'
import type { Deltas, DeltaSource, Engine } from './engines/engine.ts'

export type EngineAnswer = Awaited<ReturnType<typeof answerTo>>

/** The whole answer: the parts of its choices, in order. Throws if the deltas break the promises of `Delta`. */
export async function answerTo(
  engine: Engine,
  request: ChatCompletionRequest,
  signal: AbortSignal = new AbortController().signal,
) {
  const context = { signal, requestId: 'req_test', maxAnswerBytes: Infinity }
  const head = { id: 'chatcmpl-1', created: 0, model: request.model }
  const deltas = inOrder(engine.generate(request, context))
  const { choices, usage } = await completionOf(deltas, head, request.n ?? 1)
  if (usage === undefined) throw new Error('the answer has no usage')
  return {
    texts: choices.map(({ message }) => message.content ?? ''),
    reasons: choices.map(({ finish_reason: reason }) => reason),
    usage,
    logprobs: choices.map(({ logprobs }) => logprobs?.content ?? []),
    calls: choices.map(({ message }) =>
      (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function' ? [{ id: call.id, ...call.function }] : [],
      ),
    ),
  }
}

/** Passes the deltas on. Throws unless nothing of a choice follows its end, and nothing follows the usage. */
async function* inOrder(answer: DeltaSource): AsyncGenerator<Deltas> {
  const finished = new Set<number>()
  let isOver = false
  for await (const deltas of answer) {
    for (const delta of deltas) {
      if (isOver) throw new Error('a delta after the usage')
      isOver = delta.type === 'usage'
      if (!('index' in delta)) continue
      if (finished.has(delta.index)) throw new Error('a delta after the finish of its choice')
      if (delta.type === 'finish') finished.add(delta.index)
    }
    yield deltas
  }
}
