// Verifies what the fields of a request demand of its answer, on every answer to such a request: a bound, stop strings and
// JSON (WIRE-7, 8, 17, 18).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { askedOf, boundOf, isCompletion, isWholeAnswer, mayBeCut, ofValidRequests } from '../requests/asked.ts'
import { markupIn } from '../requests/markup.ts'
import { finishedChoices, hasRequestedChoices } from '../streaming/streamed-answers.ts'
import { usableSchema } from '../tools/tool-requests.ts'
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
  const format = at(formatOf(exchange), 'json_schema')
  const isStrict = at(formatOf(exchange), 'type') === 'json_schema' && at(format, 'strict') === true
  return isStrict ? usableSchema(at(format, 'schema')) : undefined
}

const matchesSchema: Verifier = (exchange, target) =>
  contentMatches(schemaOf(exchange) ?? {})(exchange, target)

/** A choice came to its end with text. A stop string may end text in JSON too. */
const hasText = (exchange: Exchange): boolean =>
  isWholeAnswer(exchange) &&
  !mayBeCut(exchange) &&
  stopsOf(exchange).length === 0 &&
  (isCompletion(exchange) || hasRequestedChoices(exchange)) &&
  finishedChoices(exchange).some(({ calls }) => calls.length === 0)

export const fieldObservers: readonly Observer[] = [
  observe('wire.every-bound', 'WIRE-7', 'at most as many tokens as each request allows')
    .with({ since: 2 })
    .on((exchange) => isWholeAnswer(exchange) && boundOf(exchange) !== undefined)
    .verify(withinBound),
  observe('wire.every-stop', 'WIRE-8', 'no stop string of its request in any answer')
    .with({ since: 2 })
    // WIRE-27 judges an answer with markup, which may contain the stop string.
    .on(
      (exchange) =>
        isWholeAnswer(exchange) && stopsOf(exchange).length > 0 && markupIn(exchange) === undefined,
    )
    .verify(withoutStops),
  observe('wire.every-json-object', 'WIRE-17', 'a JSON object wherever `response_format` requests one')
    .with({ since: 2 })
    .on((exchange) => at(formatOf(exchange), 'type') === 'json_object' && hasText(exchange))
    .verify(jsonObject),
  observe('wire.every-json-schema', 'WIRE-18', 'content that validates against each strict schema')
    .with({ since: 2 })
    .on((exchange) => schemaOf(exchange) !== undefined && hasText(exchange))
    .verify(matchesSchema),
].map(ofValidRequests)
