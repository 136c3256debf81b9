// Why the choices of an answer ended, plain or streamed.
import { readStream } from '../http/event-stream.ts'
import { type Exchange, json } from '../http/exchange.ts'
import { at } from '../json-value.ts'
import { choicesOf } from './verify-completion.ts'

/** Whether a choice of an answer was cut at the bound on its tokens. */
export function isCutAtBound(exchange: Exchange): boolean {
  const body = json(exchange)
  if (body !== undefined) return choicesOf(body).some((choice) => at(choice, 'finish_reason') === 'length')
  return readStream(exchange).choices.some(({ finishReasons }) => finishReasons.includes('length'))
}
