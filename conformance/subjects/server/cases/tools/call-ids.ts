// The ids of calls do not come again in later answers of a conversation (TOOL-9). An id may come again in another
// conversation.
import { LRUCache } from 'lru-cache'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import type { Case } from '../../case.ts'
import { askedOf, isWholeAnswer, ofValidRequests } from '../requests/asked.ts'
import { isSuccess, messagesOf } from '../requests/chat-calls.ts'
import { eitherWay } from '../streaming/streamed-answers.ts'
import { replayedMessage } from './history.ts'
import {
  TWO_CALLS,
  askWithTools,
  callsOf,
  choicesAndCalls,
  forcedCalls,
  requireFinished,
} from './tool-requests.ts'
import { callIds } from './verifiers.ts'

/** Answers of one conversation, each to the history of all that came before, as of a program that goes on calling. */
const ANSWERS = 3

const idsIn = (exchange: Exchange): readonly unknown[] =>
  choicesAndCalls(exchange)
    .flatMap(({ calls }) => calls)
    .map(({ id }) => id)

/** No call has one of the ids of earlier answers. */
const otherIdsThan =
  (earlier: readonly unknown[]): Verifier =>
  (exchange) => {
    const again = idsIn(exchange).find((id) => typeof id === 'string' && earlier.includes(id))
    if (again === undefined) return undefined
    return {
      expected: `ids of calls that no earlier answer of the conversation had (${show(earlier)})`,
      actual: `${show(again)} again`,
    }
  }

export const callIdCases: readonly Case[] = eitherWay(
  'tools.new-ids',
  'TOOL-9',
  'the ids of calls in a conversation of several answers',
)
  .with({ alwaysQuick: true })
  .run(async (t, { members }) => {
    const messages = [...messagesOf(TWO_CALLS)]
    const ids: unknown[] = []
    for (let answers = 0; answers < ANSWERS; answers += 1) {
      const request = { ...members, messages, tool_choice: 'required' }
      const exchange = answers === 0 ? await forcedCalls(t, request) : await askWithTools(t, request)
      if (!isSuccess(exchange)) t.inconclusive('the results of calls are refused, which TOOL-6 judges')
      requireFinished(t, exchange)
      const calls = callsOf(exchange)
      if (calls.length === 0) t.inconclusive('no call came, which TOOL-3 judges')
      if (callIds(exchange, t.target) !== undefined) t.inconclusive('a call has no id, which TOOL-1 judges')
      t.expect(exchange, otherIdsThan(ids))
      ids.push(...calls.map(({ id }) => id))
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'A piece of rock.' }))
      messages.push(replayedMessage(exchange), ...results)
    }
  })

/** Ids that answers of the run gave, the latest ones: histories of the judge have ids of its own. */
const MOST_IDS = 10_000

const historyIds = (exchange: Exchange): readonly unknown[] =>
  listAt(askedOf(exchange), 'messages')
    .flatMap((message) => listAt(message, 'tool_calls'))
    .map((call) => at(call, 'id'))

/** The ids of the history that the service gave itself are not among those of the answer. */
function newIds(): Verifier {
  const given = new LRUCache<string, true>({ max: MOST_IDS })
  return (exchange, target) => {
    const own = historyIds(exchange).filter((id) => typeof id === 'string' && given.has(id))
    for (const id of idsIn(exchange)) if (typeof id === 'string') given.set(id, true)
    return otherIdsThan(own)(exchange, target)
  }
}

export const callIdObservers: readonly Observer[] = [
  observe('tools.every-new-id', 'TOOL-9', 'ids of calls that are not those of calls in the history')
    .on((exchange) => isWholeAnswer(exchange) && idsIn(exchange).length > 0)
    .compare(newIds),
].map(ofValidRequests)
