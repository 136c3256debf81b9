// Verifies every answer with calls of a run, in each of its choices (TOOL-1, 2, 3, 5).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, isRecord, listAt, show } from '../../../../../harness/json-value.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import {
  askedOf,
  choicesAsked,
  exactlyAsked,
  isCompletion,
  isStreamed,
  isValidRequest,
  isWholeAnswer,
  mayBeCut,
  ofValidRequests,
  requiresCall,
} from '../requests/asked.ts'
import { choicesIn, hasRequestedChoices } from '../streaming/streamed-answers.ts'
import { argumentsOf, finishedCalls } from './tool-requests.ts'
import { usableSchema, validates } from './schema-matching.ts'
import {
  argumentTexts,
  atLeastOne,
  callIds,
  callNames,
  callTypes,
  contentBesideCalls,
  finishIs,
  fragmentForms,
  fragmentMismatch,
  noCall,
} from './verifiers.ts'

/** An answer that came to its end, with the choices that were requested, of which one was neither cut nor refused. */
function isFinished(exchange: Exchange): boolean {
  const isWhole = isWholeAnswer(exchange) && (isCompletion(exchange) || hasRequestedChoices(exchange))
  return isWhole && Array.isArray(askedOf(exchange)?.['tools']) && finishedCalls(exchange).length > 0
}

/** Each fragment can be assigned to its choice. */
const hasOwnFragments = (exchange: Exchange): boolean =>
  choicesAsked(exchange) === 1 || hasRequestedChoices(exchange)

const hasCalls = (exchange: Exchange): boolean =>
  isFinished(exchange) && finishedCalls(exchange).some(({ calls }) => calls.length > 0)

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

/** The strict functions of a request, each with its schema if that can be used. */
function strictTools(exchange: Exchange): ReadonlyMap<unknown, object | undefined> {
  const tools = listAt(exactlyAsked(exchange), 'tools').map((tool) => at(tool, 'function'))
  const strict = tools.filter((tool) => at(tool, 'strict') === true)
  return new Map(strict.map((tool) => [at(tool, 'name'), usableSchema(at(tool, 'parameters'))]))
}

/** The calls of all choices that came to their end, of functions that are strict or are not. */
function callsWhere(exchange: Exchange, isStrict: boolean) {
  const strict = strictTools(exchange)
  return finishedCalls(exchange)
    .flatMap(({ calls }) => calls)
    .filter(({ name }) => strict.has(name) === isStrict)
}

const hasWholeCalls = (exchange: Exchange, isStrict: boolean): boolean =>
  hasCalls(exchange) && !mayBeCut(exchange) && callsWhere(exchange, isStrict).length > 0 && isJoined(exchange)

/** The fragments of a stream can be joined to calls; TOOL-5 judges those that cannot. */
const isJoined = (exchange: Exchange): boolean =>
  !isStreamed(exchange) || fragmentMismatch(exchange) === undefined

const jsonArguments =
  (isStrict: boolean): Verifier =>
  (exchange) => {
    const odd = callsWhere(exchange, isStrict).find((call) => !isRecord(argumentsOf(call)))
    return odd && { expected: 'arguments that are a JSON object of every call', actual: show(odd.arguments) }
  }

/** Arguments of strict functions validate. TOOL-1 judges arguments that are not JSON. */
const validArguments: Verifier = (exchange, target) => {
  const strict = strictTools(exchange)
  for (const call of callsWhere(exchange, true)) {
    const [value, schema] = [argumentsOf(call), strict.get(call.name)]
    if (value === undefined || schema === undefined) continue
    const mismatch = validates(schema, 'a value of arguments', () => [value])(exchange, target)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

/** No choice has more than one call. */
const oneCallEach: Verifier = (exchange) => {
  const most = Math.max(0, ...choicesIn(exchange).map(({ calls }) => calls.length))
  return most <= 1 ? undefined : { expected: 'at most one call', actual: `${most} calls` }
}

/** The calls are those of the function that the request names, if it names one. */
const ofNamed: Verifier = (exchange, target) => {
  const name = at(askedOf(exchange)?.['tool_choice'], 'function', 'name')
  return name === undefined ? undefined : callNames([name])(exchange, target)
}

export const toolObservers: readonly Observer[] = [
  observe('tools.every-call', 'TOOL-1', 'the members of every call')
    .on((exchange) => hasCalls(exchange) || (isFinished(exchange) && oddLists(exchange).length > 0))
    .verify(listOfCalls, callIds, callTypes, offered, argumentTexts),
  observe('tools.every-loose-arguments', 'TOOL-1', 'arguments, a JSON object, where `strict` is not set')
    .with({ level: 'SHOULD' })
    .on((exchange) => hasWholeCalls(exchange, false))
    .verify(jsonArguments(false)),
  observe('tools.every-strict-arguments', 'TOOL-1', 'arguments, a JSON object, of every strict function')
    .on((exchange) => hasWholeCalls(exchange, true))
    .verify(jsonArguments(true)),
  observe('tools.every-strict-schema', 'TOOL-4', 'arguments of every strict function')
    .on((exchange) => hasWholeCalls(exchange, true))
    .verify(validArguments),
  observe('tools.every-single', 'TOOL-7', 'at most one call wherever `parallel_tool_calls` is false')
    .on((exchange) => isFinished(exchange) && askedOf(exchange)?.['parallel_tool_calls'] === false)
    .verify(oneCallEach),
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
    .verify(atLeastOne, ofNamed),
  observe('tools.every-fragment', 'TOOL-5', 'the fragments of every streamed call')
    .on(
      (exchange) =>
        isStreamed(exchange) && Array.isArray(askedOf(exchange)?.['tools']) && hasOwnFragments(exchange),
    )
    .verify(fragmentForms),
].map(ofValidRequests)
