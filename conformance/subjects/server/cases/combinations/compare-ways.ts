// The agreement of a streamed answer with the plain one to the same request, of a deterministic model, by row.
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, isCut, json } from '../../../../../harness/http/exchange.ts'
import { at, isRecord, listAt, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { failureOf, isCompletion, isStreamed, usageOf } from '../requests/asked.ts'
import { markupIn } from '../requests/markup.ts'
import { choicesIn, hasRequestedChoices } from '../streaming/streamed-answers.ts'
import { sameFinishAs, sameRefusalAs, sameTextAs, sameUsageAs } from '../streaming/parity.ts'
import { sameCallsAs } from '../tools/verifiers.ts'
import { reportedTokens } from '../wire/logprobs.ts'

/** Candidates whose log probabilities are closer than this may change places from one answer to the next. */
const NEAR = 0.2

/** The verifiers of a streamed answer by the plain one. */
export type Compare = (plain: Exchange) => readonly Verifier[]

export const comparisons: Readonly<Partial<Record<RequirementId, Compare>>> = {
  'STREAM-6': (plain) => [
    withoutFailure,
    ...[sameTextAs, sameRefusalAs, sameFinishAs].map((sameAs) => sameAs(json(plain))),
    sameCounts(plain),
  ],
  'TOOL-5': (plain) => [unlessFailed(sameCallsAs(plain))],
  'WIRE-19': (plain) => [unlessFailed(sameTokensAs(plain))],
}

/**
 * Whether the two answers can be compared: both have all choices, and no markup, which WIRE-27 judges. A stream that fails
 * after its first chunk is a difference, too.
 */
export function areComparable(plain: Exchange, streamed: Exchange): boolean {
  if (!isCompletion(plain) || !isStreamed(streamed) || isCut(streamed)) return false
  const stream = readStream(streamed)
  if (failureOf(stream) !== undefined) return stream.chunks.length > 0
  const contents = choicesIn(plain).map(({ content }) => content)
  const indexes = new Set(listAt(json(plain), 'choices').map((choice) => at(choice, 'index')))
  return (
    hasRequestedChoices(streamed) &&
    stream.choices.every(({ finishReasons }) => finishReasons.length === 1) &&
    stream.choices.every(({ index }) => indexes.has(index)) &&
    contents.length === stream.choices.length &&
    contents.every((content) => content === null || typeof content === 'string') &&
    [plain, streamed].every((exchange) => markupIn(exchange) === undefined)
  )
}

/** The parts of an answer that do not change if the model is deterministic. */
export const saidBy = (exchange: Exchange): string => JSON.stringify([choicesIn(exchange), usageOf(exchange)])

const withoutFailure: Verifier = (streamed) => {
  const failure = failureOf(readStream(streamed))
  if (failure === undefined) return undefined
  return {
    expected: 'the answer that the plain request got',
    actual: `an error in the stream: ${show(failure)}`,
  }
}

/** STREAM-6 judges a stream that fails. */
const unlessFailed =
  (verifier: Verifier): Verifier =>
  (streamed, target) =>
    withoutFailure(streamed, target) === undefined ? verifier(streamed, target) : undefined

/** The counts, if both answers have them. */
const sameCounts =
  (plain: Exchange): Verifier =>
  (streamed, target) =>
    isRecord(usageOf(plain)) && isRecord(usageOf(streamed))
      ? sameUsageAs(usageOf(plain))(streamed, target)
      : undefined

interface Token {
  /** Its answer was cut, perhaps within a character. */
  readonly cut: boolean
  readonly place: string
  readonly token: unknown
  readonly candidates: readonly unknown[]
}

const tokensIn = (exchange: Exchange): readonly Token[] =>
  reportedTokens(exchange).flatMap(({ index, cut, lists }) =>
    lists.flatMap(({ name, entries = [] }) =>
      entries.map((entry, place) => ({
        cut,
        place: `logprobs.${name}[${place}] of choice ${show(index)}`,
        token: at(entry, 'token'),
        candidates: listAt(entry, 'top_logprobs'),
      })),
    ),
  )

/** Each token of the plain answer is in its place, among its candidates. */
function sameTokensAs(plain: Exchange): Verifier {
  return (streamed) => {
    const got = new Map(tokensIn(streamed).map((token) => [token.place, token]))
    for (const { cut, place, token, candidates } of tokensIn(plain)) {
      const other = got.get(place)
      if (other === undefined && cut) continue
      if (other === undefined || other.token !== token)
        return { expected: `${place} of ${show(token)}, as in the plain answer`, actual: show(other?.token) }
      const missing = probable(candidates, other.candidates)
      if (missing !== undefined)
        return {
          expected: `${show(missing)} among the candidates of ${place}, as in the plain answer`,
          actual: show(other.candidates),
        }
    }
    return undefined
  }
}

/** A candidate that the other list lacks, although it has ones that are clearly less probable. */
function probable(candidates: readonly unknown[], others: readonly unknown[]): unknown {
  const tokens = new Set(others.map((candidate) => at(candidate, 'token')))
  const values = others.map((candidate) => Number(at(candidate, 'logprob')))
  // The only candidate has no other with which it may change places.
  const least = values.length > 1 ? Math.min(...values) + NEAR : -Infinity
  return candidates.find(
    (candidate) => !tokens.has(at(candidate, 'token')) && Number(at(candidate, 'logprob')) > least,
  )
}
