// The models of a target: the context that a list names, and the requests that show whether one chats.
import { type Exchange, json } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { at } from '../../harness/json-value.ts'
import { CHAT_PATH } from '../contract/target.ts'
import { statedLengths } from './context-facts.ts'

/** The context that a list names for a model, in tokens. */
export function listedContext(exchange: Exchange, model: string): number | undefined {
  const data = at(json(exchange), 'data')
  const record: unknown = Array.isArray(data)
    ? data.find((one: unknown) => at(one, 'id') === model)
    : undefined
  const lengths = statedLengths(record).flatMap(({ path, use, value }) =>
    use === 'judged' && !path.includes('.') && typeof value === 'number' && value > 0 ? [value] : [],
  )
  return lengths[0]
}

/** The smallest chat requests, with these other members, by how they bound the answer: a target may refuse either bound by name. */
export function smallestChats(model: string, more: object = {}): readonly [RequestSpec, ...RequestSpec[]] {
  const chat = (bound: object): RequestSpec => {
    const messages = [{ role: 'user', content: 'Say OK.' }]
    return { path: CHAT_PATH, body: JSON.stringify({ model, messages, ...bound, ...more }) }
  }
  return [chat({ max_tokens: 16 }), chat({ max_completion_tokens: 16 }), chat({})]
}
