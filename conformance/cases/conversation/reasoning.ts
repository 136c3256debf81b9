// The name under which answers give their reasoning (WIRE-29): observed in every answer.
import { readStream } from '../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { at, listAt } from '../../../harness/verify/json-value.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../runner/case.ts'
import { isCompletion, isStreamed } from '../requests/asked.ts'

const NAMES = ['reasoning_content', 'reasoning']

/** The names under which an answer, plain or streamed, has reasoning text. */
function namesIn(exchange: Exchange): readonly string[] {
  const holders = isCompletion(exchange)
    ? listAt(json(exchange), 'choices').map((choice) => at(choice, 'message'))
    : readStream(exchange).choices.flatMap(({ deltas }) => deltas)
  const hasText = (name: string) => (holder: unknown) => {
    const text = at(holder, name)
    return typeof text === 'string' && text !== ''
  }
  return NAMES.filter((name) => holders.some(hasText(name)))
}

/** All answers of the run use one name. */
function oneName(): Verifier {
  const seen = new Set<string>()
  return (exchange) => {
    for (const name of namesIn(exchange)) seen.add(name)
    if (seen.size <= 1) return undefined
    return { expected: 'reasoning under one name in all answers', actual: [...seen].join(' and ') }
  }
}

export const reasoningObservers: readonly Observer[] = [
  observe('wire.every-reasoning', 'WIRE-29', 'the name of the reasoning in all answers of the run')
    .on((exchange) => (isCompletion(exchange) || isStreamed(exchange)) && namesIn(exchange).length > 0)
    .compare(oneName),
]
