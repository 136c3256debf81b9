// The candidates for each token, plain and streamed: those of its own place, with one logprob for the token that was chosen
// (WIRE-19).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import type { Mismatch, Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { askedOf, isValidRequest, isWholeAnswer } from '../requests/asked.ts'
import { answerWith, messagesOf, steadyMembers } from '../requests/chat-calls.ts'
import { PLAIN_AGAIN, STREAM_PROMPT, bothWays, ownStream } from '../streaming/streamed-answers.ts'
import { candidatesFall, entryForms, reportedTokens } from './logprobs.ts'

/** Enough candidates to see their order, and which of them differ. */
const TOP = 5

/** Numbers that differ less are the same number, written with fewer digits. */
const ROUNDING = 0.0005

/** Plain answers that differ by more are not those of a deterministic model. */
const MOST_SPREAD = 0.1

const entriesIn = (exchange: Exchange) =>
  reportedTokens(exchange).flatMap(({ lists }) => lists.flatMap(({ entries = [] }) => entries))

const distance = (one: unknown, other: unknown): number => Math.abs(Number(one) - Number(other))

/** Bytes distinguish tokens that have one text, for example parts of a character. */
const sameToken = (one: unknown, other: unknown): boolean =>
  at(one, 'token') === at(other, 'token') && show(at(one, 'bytes')) === show(at(other, 'bytes'))

/** A token of two answers. Its bytes may be null in one of them, which says nothing. */
const agreesWith = (one: unknown, other: unknown): boolean =>
  sameToken(one, other) ||
  (at(one, 'token') === at(other, 'token') && (at(one, 'bytes') === null || at(other, 'bytes') === null))

/** A token has one logprob: its own, and as one of its candidates. */
const oneLogprob: Verifier = (exchange) => {
  for (const entry of entriesIn(exchange)) {
    const twin = listAt(entry, 'top_logprobs').find((candidate) => sameToken(candidate, entry))
    if (twin === undefined || distance(at(twin, 'logprob'), at(entry, 'logprob')) <= ROUNDING) continue
    const expected = `logprob ${show(at(entry, 'logprob'))} of the candidate ${show(at(entry, 'token'))}, as of the token`
    return { expected, actual: show(at(twin, 'logprob')) }
  }
  return undefined
}

/** The entries are those of another answer: tokens, candidates and their logprobs, which may differ by `tolerance`. */
function sameEntriesAs(other: Exchange, tolerance: number): Verifier {
  return (exchange) => {
    const [wanted, got] = [entriesIn(other), entriesIn(exchange)]
    const place = wanted.findIndex((entry, index) => !isSameEntry(entry, got[index], tolerance))
    if (place === -1 && wanted.length === got.length) return undefined
    const where = place === -1 ? wanted.length : place
    const expected = `entry ${where} of logprobs as in the plain answer: ${show(wanted[where])}`
    return { expected, actual: show(got[where]) }
  }
}

function isSameEntry(wanted: unknown, got: unknown, tolerance: number): boolean {
  const isNear = (one: unknown, other: unknown): boolean =>
    distance(at(one, 'logprob'), at(other, 'logprob')) <= tolerance
  const [ours, theirs] = [listAt(wanted, 'top_logprobs'), listAt(got, 'top_logprobs')]
  const isFound = (candidate: unknown): boolean =>
    theirs.some((one) => agreesWith(one, candidate) && isNear(one, candidate))
  // The last of a full list may be as likely as those behind it; the token that was chosen is not among those.
  const least = Math.min(...ours.map((candidate) => Number(at(candidate, 'logprob'))))
  const certain = ours.filter(
    (candidate) =>
      ours.length < TOP ||
      sameToken(candidate, wanted) ||
      Number(at(candidate, 'logprob')) > least + tolerance,
  )
  return (
    agreesWith(wanted, got) && isNear(wanted, got) && ours.length === theirs.length && certain.every(isFound)
  )
}

/**
 * The most by which the logprobs of a token differ between these answers: a batch of another size changes the last digits of
 * what a model computes. Infinite if the tokens differ.
 */
function spreadOf(answers: readonly Exchange[]): number {
  const lists = answers.map(entriesIn)
  const pairs = lists.flatMap((one, place) => lists.slice(place + 1).map((other) => [one, other] as const))
  const spreads = pairs.flatMap(([one, other]) => one.map((entry, place) => distanceOf(entry, other[place])))
  return Math.max(0, ...spreads)
}

/** The most by which the logprobs of a token in two answers differ, its own and those of the candidates that both have. */
function distanceOf(one: unknown, other: unknown): number {
  if (!agreesWith(one, other)) return Infinity
  const candidates = listAt(one, 'top_logprobs').map((candidate) => {
    const twin = listAt(other, 'top_logprobs').find((own) => agreesWith(own, candidate))
    return twin === undefined ? 0 : distance(at(candidate, 'logprob'), at(twin, 'logprob'))
  })
  return Math.max(distance(at(one, 'logprob'), at(other, 'logprob')), ...candidates)
}

/**
 * A streamed answer agrees with a plain one. If it does not, both are requested again: a stream is at fault if each of them
 * differs from each plain answer by more than the plain answers differ from each other.
 */
async function expectSameEntries(t: CaseContext): Promise<void> {
  await t.target.requireDeterministic()
  const request = await requestOf(t)
  const plain = [await answerWith(t, request)]
  const streamed = [(await ownStream(t, request)).exchange]
  const mismatch = (): Mismatch | undefined => {
    const tolerance = Math.max(ROUNDING, spreadOf(plain))
    const all = streamed.flatMap((one) => plain.map((own) => sameEntriesAs(own, tolerance)(one, t.target)))
    return all.includes(undefined) ? undefined : all[0]
  }
  for (let again = 0; again < PLAIN_AGAIN && mismatch() !== undefined; again += 1) {
    plain.push(await answerWith(t, request))
    streamed.push((await ownStream(t, request)).exchange)
  }
  if (spreadOf(plain) > MOST_SPREAD) t.notApplicable('the plain logprobs differ from one answer to the next')
  const [first] = streamed
  if (first !== undefined) t.expect(first, mismatch)
}

async function requestOf(t: CaseContext) {
  await t.target.requireField('logprobs')
  await t.target.requireField('top_logprobs')
  return {
    messages: messagesOf(STREAM_PROMPT),
    ...(await steadyMembers(t)),
    logprobs: true,
    top_logprobs: TOP,
  }
}

export const candidateCases: readonly Case[] = [
  ...bothWays.map((way) =>
    check(`wire.logprobs-top-${TOP}${way.slug}`, 'WIRE-19', `the order of ${TOP} candidates${way.title}`)
      .with({ level: 'SHOULD' })
      .run(async (t) => {
        const request = await requestOf(t)
        const exchange = way.streamed ? (await ownStream(t, request)).exchange : await answerWith(t, request)
        if (entryForms(TOP)(exchange, t.target) !== undefined)
          t.inconclusive('the entries are not those of the format, which `wire.every-logprobs` judges')
        t.expect(exchange, candidatesFall)
      }),
  ),
  check('wire.logprobs-same', 'WIRE-19', `\`logprobs\` with ${TOP} candidates, streamed and plain`).run(
    expectSameEntries,
  ),
]

export const candidateObservers: readonly Observer[] = [
  observe('wire.every-candidate', 'WIRE-19', 'one logprob of each token, also as one of its candidates')
    .on(
      (exchange) =>
        askedOf(exchange)?.['logprobs'] === true && isValidRequest(exchange) && isWholeAnswer(exchange),
    )
    .verify(oneLogprob),
]
