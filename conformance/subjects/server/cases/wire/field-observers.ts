// Verifies what the fields of a request demand of its answer, on every answer to such a request: a bound, stop strings and
// JSON (WIRE-7, 8, 17, 18).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import {
  askedOf,
  boundOf,
  choicesAsked,
  exactlyAsked,
  isCompletion,
  isWholeAnswer,
  mayBeCut,
  ofValidRequests,
  requiresCall,
  usageOf,
} from '../requests/asked.ts'
import { markupIn } from '../requests/markup.ts'
import {
  choicesIn,
  finishedChoices,
  hasContents,
  hasRequestedChoices,
} from '../streaming/streamed-answers.ts'
import { argumentsOf } from '../tools/tool-requests.ts'
import { usableSchema } from '../tools/schema-matching.ts'
import { contentMatches, jsonObject } from './json-answers.ts'
import { textWithout } from './stop-strings.ts'
import { atMostTokens } from './token-limits.ts'

const withinBound: Verifier = (exchange, target) =>
  atMostTokens(boundOf(exchange) ?? Infinity)(exchange, target)

/** The stop strings of a request; none if one of them is not a text. An empty string is not judged. */
function stopsOf(exchange: Exchange): readonly string[] {
  const stops = [askedOf(exchange)?.['stop'] ?? []].flat()
  return stops.every((stop) => typeof stop === 'string') ? stops.filter((stop) => stop !== '') : []
}

const withoutStops: Verifier = (exchange, target) =>
  stopsOf(exchange)
    .map((stop) => textWithout(stop)(exchange, target))
    .find((mismatch) => mismatch !== undefined)

const formatOf = (exchange: Exchange): unknown => askedOf(exchange)?.['response_format']

/** The strict schema of an answer; undefined for one that cannot be read. */
function schemaOf(exchange: Exchange): object | undefined {
  const format = formatOf(exchange)
  if (at(format, 'type') !== 'json_schema' || at(format, 'json_schema', 'strict') !== true) return undefined
  return usableSchema(at(exactlyAsked(exchange), 'response_format', 'json_schema', 'schema'))
}

const matchesSchema: Verifier = (exchange, target) =>
  contentMatches(schemaOf(exchange) ?? {})(exchange, target)

/**
 * A choice came to its end with text, as CHAT-1 demands it. A stop string may end text in JSON too, and TOOL-3 judges an
 * answer without the call that its request demands.
 */
const hasText = (exchange: Exchange): boolean =>
  isWholeAnswer(exchange) &&
  !mayBeCut(exchange) &&
  stopsOf(exchange).length === 0 &&
  !requiresCall(exchange) &&
  hasContents(exchange) &&
  (isCompletion(exchange) || hasRequestedChoices(exchange)) &&
  finishedChoices(exchange).some(({ calls, content }) => calls.length === 0 && typeof content === 'string')

/** The choices whose calls end in the middle of their arguments. */
const cutCalls = (exchange: Exchange) =>
  choicesIn(exchange).filter(({ calls }) => calls.some((call) => argumentsOf(call) === undefined))

/** The counted tokens reach the bound in all choices, so that arguments that end early were cut by it. */
function isCutByBound(exchange: Exchange): boolean {
  const counted = at(usageOf(exchange), 'completion_tokens')
  const most = (boundOf(exchange) ?? Infinity) * choicesAsked(exchange)
  return isWholeAnswer(exchange) && typeof counted === 'number' && counted >= most
}

const cutCallsSayLength: Verifier = (exchange) => {
  const odd = cutCalls(exchange).find(({ finishReason }) => finishReason !== 'length')
  if (odd === undefined) return undefined
  return {
    expected: 'finish_reason "length" of a call that the bound cuts',
    actual: `${show(odd.finishReason)}, arguments ${show(odd.calls.at(-1)?.arguments)}`,
  }
}

export const fieldObservers: readonly Observer[] = [
  observe('wire.every-bound', 'WIRE-7', 'at most as many tokens as each request allows')
    .on((exchange) => isWholeAnswer(exchange) && boundOf(exchange) !== undefined)
    .verify(withinBound),
  observe('wire.every-cut-call', 'WIRE-7', 'the finish reason of every call that the bound cuts')
    .on((exchange) => isCutByBound(exchange) && cutCalls(exchange).length > 0)
    .verify(cutCallsSayLength),
  observe('wire.every-stop', 'WIRE-8', 'no stop string of its request in any answer')
    // WIRE-27 judges an answer with markup, which may contain the stop string.
    .on(
      (exchange) =>
        isWholeAnswer(exchange) && stopsOf(exchange).length > 0 && markupIn(exchange) === undefined,
    )
    .verify(withoutStops),
  observe('wire.every-json-object', 'WIRE-17', 'a JSON object wherever `response_format` requests one')
    .on((exchange) => at(formatOf(exchange), 'type') === 'json_object' && hasText(exchange))
    .verify(jsonObject),
  observe('wire.every-json-schema', 'WIRE-18', 'content that validates against each strict schema')
    .on((exchange) => schemaOf(exchange) !== undefined && hasText(exchange))
    .verify(matchesSchema),
].map(ofValidRequests)
