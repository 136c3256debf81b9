// Verifies every answer with calls of a run, in each of its choices (TOOL-1, 2, 3, 5).
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { askedOf, isCompletion, isStreamed, isValidRequest } from '../requests/asked.ts'
import { callsOf, isUnfinished } from './tool-requests.ts'
import {
  argumentTexts,
  atLeastOne,
  callIds,
  callNames,
  callTypes,
  contentBesideCalls,
  finishIs,
  fragmentForms,
  noCall,
} from './verifiers.ts'

function isFinished(exchange: Exchange): boolean {
  const whole = isCompletion(exchange) || (isStreamed(exchange) && exchange.response.end === 'complete')
  return whole && Array.isArray(askedOf(exchange)?.['tools']) && !isUnfinished(exchange)
}

const hasCalls = (exchange: Exchange): boolean => isFinished(exchange) && callsOf(exchange).length > 0

function requiresCall(exchange: Exchange): boolean {
  const choice = askedOf(exchange)?.['tool_choice']
  return choice === 'required' || at(choice, 'type') === 'function'
}

/** Values of `tool_calls` in a plain answer that are not lists. */
function oddLists(exchange: Exchange): readonly unknown[] {
  return choicesOf(json(exchange))
    .map((choice) => at(choice, 'message', 'tool_calls') ?? null)
    .filter((calls) => calls !== null && !Array.isArray(calls))
}

const listOfCalls: Verifier = (exchange) => {
  const [odd] = oddLists(exchange)
  return odd === undefined ? undefined : { expected: 'tool_calls, a list of calls', actual: show(odd) }
}

/** Every call is for a function that the request offers. */
const offered: Verifier = (exchange, target) => {
  const names = listAt(askedOf(exchange), 'tools').map((tool) => at(tool, 'function', 'name'))
  return callNames(names)(exchange, target)
}

/** The finish reason fits an answer with calls: `stop` is also valid if the request forced a call. */
const finish: Verifier = (exchange, target) => {
  const choice = askedOf(exchange)?.['tool_choice'] ?? 'auto'
  return finishIs('tool_calls', ...(choice === 'auto' ? [] : ['stop']))(exchange, target)
}

/** The calls of later choices have ids and names as those of the first choice have. */
const laterChoices: Verifier = (exchange) => {
  const calls = (
    isStreamed(exchange)
      ? readStream(exchange).choices.map(({ toolCalls }) => toolCalls.map(({ id, name }) => ({ id, name })))
      : choicesOf(json(exchange)).map((choice) =>
          listAt(choice, 'message', 'tool_calls').map((call) => ({
            id: at(call, 'id'),
            name: at(call, 'function', 'name'),
          })),
        )
  ).flat()
  const odd = calls.find(({ id, name }) => typeof id !== 'string' || typeof name !== 'string')
  if (odd !== undefined)
    return { expected: 'an id and a name of every call of every choice', actual: show(odd) }
  const ids = calls.map(({ id }) => id)
  if (new Set(ids).size === ids.length) return undefined
  return { expected: 'ids that are unique within the answer', actual: show(ids) }
}

export const toolObservers: readonly Observer[] = [
  observe('tools.every-call', 'TOOL-1', 'the members of every call')
    .on((exchange) => hasCalls(exchange) || (isFinished(exchange) && oddLists(exchange).length > 0))
    .verify(listOfCalls, callIds, callTypes, offered, argumentTexts, laterChoices),
  observe('tools.every-finish', 'TOOL-2', 'the finish reason of every answer with calls')
    .on(hasCalls)
    .verify(finish),
  observe('tools.every-content', 'TOOL-2', '`content` beside all calls')
    .on((exchange) => hasCalls(exchange) && isCompletion(exchange))
    .verify(contentBesideCalls),
  observe('tools.every-none', 'TOOL-3', 'no call wherever `tool_choice` is none')
    .on((exchange) => isFinished(exchange) && askedOf(exchange)?.['tool_choice'] === 'none')
    .verify(noCall),
  observe('tools.every-required', 'TOOL-3', 'a call wherever `tool_choice` requires one')
    .on((exchange) => isFinished(exchange) && requiresCall(exchange) && isValidRequest(exchange))
    .verify(atLeastOne),
  observe('tools.every-fragment', 'TOOL-5', 'the fragments of every streamed call')
    .on((exchange) => isStreamed(exchange) && Array.isArray(askedOf(exchange)?.['tools']))
    .verify(fragmentForms),
]
