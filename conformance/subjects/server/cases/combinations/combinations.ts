// Fields of a request together: any two settings that a service supports, plain and streamed. Each row of answers is judged
// on all of them, and a failure names the fewest settings that show it.
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { isCut } from '../../../../../harness/http/exchange.ts'
import { type Verifier, showBody } from '../../../../../harness/verify/verify.ts'
import { at } from '../../../../../harness/json-value.ts'
import type { Observer } from '../../../../contract/observer.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isRefusedByName, usageOf } from '../requests/asked.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { streamObservers } from '../streaming/stream-observers.ts'
import { toolObservers } from '../tools/tool-observers.ts'
import { observers as wireObservers } from '../wire/wire.ts'
import { type Compare, areComparable, comparisons, saidBy } from './compare-ways.ts'
import { type Answered, type Plan, ask, sharedPlan } from './plan.ts'
import { type Combination, describe, isStreamed, longerConversations, plainOf } from './settings.ts'
import { type Failure, type Fails, smallestFailure } from './smallest.ts'

/** The rows of one answer that settings may break for each other. */
const ROWS = `CHAT-1 WIRE-1 WIRE-2 WIRE-3 WIRE-6 WIRE-7 WIRE-8 WIRE-17 WIRE-18 WIRE-19 WIRE-22 WIRE-27
  STREAM-1 STREAM-2 STREAM-3 STREAM-4 STREAM-5 STREAM-6 STREAM-7 STREAM-8 STREAM-9
  TOOL-1 TOOL-2 TOOL-3 TOOL-5`.split(/\s+/) as readonly RequirementId[]

/** Differences between a streamed and a plain answer that are examined: one may not come again. */
const MOST_EXAMINED = 3

/** The request is answered, or refused by the name of one of its fields. */
const answered: Verifier = (exchange) => {
  if (isSuccess(exchange) || isRefusedByName(exchange)) return undefined
  const actual = `status ${exchange.response.status}, ${showBody(exchange)}`
  return { expected: 'a success, or a 400 that names a field,', actual }
}

const observers: readonly Observer[] = [...wireObservers, ...streamObservers, ...toolObservers]

/** The verifiers of a row for one answer; none if the answer does not show the row. */
function verifiersOf(row: RequirementId, { combination, exchange }: Answered): readonly Verifier[] {
  const own = observers
    .filter(({ requirement, level }) => requirement === row && level === undefined)
    .filter((observer) => (observer.includesCut === true || !isCut(exchange)) && observer.applies(exchange))
    .flatMap(({ verifiers }) => (typeof verifiers === 'function' ? [] : verifiers))
  return row === (isStreamed(combination) ? 'STREAM-1' : 'CHAT-1') ? [answered, ...own] : own
}

/** How an answer fails the first of these verifiers. */
function failureIn(t: CaseContext, { combination, exchange }: Answered, verifiers: readonly Verifier[]) {
  for (const verifier of verifiers) {
    const mismatch = verifier(exchange, t.target)
    if (mismatch !== undefined) return { combination, exchange, mismatch }
  }
  return undefined
}

/** Ends the case with the smallest failure, which names its settings. */
async function report(t: CaseContext, found: Failure, fails: Fails): Promise<void> {
  const { combination, exchange, mismatch } = await smallestFailure(found, fails)
  t.expect(exchange, () => ({ ...mismatch, expected: `${mismatch.expected} ${describe(combination)}` }))
}

/** Judges each answer alone. Returns how many show the row. */
async function judgeAnswers(t: CaseContext, row: RequirementId, all: readonly Answered[]): Promise<number> {
  const judge = (one: Answered): Failure | undefined => failureIn(t, one, verifiersOf(row, one))
  for (const one of all) {
    const found = judge(one)
    if (found !== undefined)
      await report(t, found, async (combination) =>
        judge({ combination, exchange: await ask(t, combination) }),
      )
  }
  return all.filter((one) => verifiersOf(row, one).length > 0).length
}

/** Judges streamed answers beside the plain ones to the same requests. Returns how many can be compared. */
async function judgePairs(t: CaseContext, compare: Compare, pairs: Plan['pairs']) {
  // An answer that fails a row by itself differs for that reason.
  const isRight = (one: Answered): boolean =>
    ROWS.every((row) => failureIn(t, one, verifiersOf(row, one)) === undefined)
  const judge = (plain: Answered, streamed: Answered): Failure | undefined =>
    areComparable(plain.exchange, streamed.exchange) && isRight(plain) && isRight(streamed)
      ? failureIn(t, streamed, compare(plain.exchange))
      : undefined
  const fails: Fails = async (combination) => {
    if (!isStreamed(combination)) return undefined
    const plain = { combination: plainOf(combination), exchange: await ask(t, plainOf(combination)) }
    const found = judge(plain, { combination, exchange: await ask(t, combination) })
    // A model may be deterministic for one request and not for another.
    const again = found && (await ask(t, plain.combination))
    return again && saidBy(plain.exchange) === saidBy(again) ? found : undefined
  }
  let [examined, compared] = [0, 0]
  for (const [plain, streamed] of pairs) {
    if (describe(plain.combination) !== describe(plainOf(streamed.combination))) continue
    const isSuspect = judge(plain, streamed) !== undefined && examined++ < MOST_EXAMINED
    const found = isSuspect ? await fails(streamed.combination) : undefined
    if (found !== undefined) await report(t, found, fails)
    if (areComparable(plain.exchange, streamed.exchange)) compared += 1
  }
  return compared
}

/** The tokens of the prompt with these settings; undefined if they are refused, or not counted. */
async function promptTokens(t: CaseContext, combination: Combination) {
  const exchange = await ask(t, combination)
  const counted = at(usageOf(exchange), 'prompt_tokens')
  return { exchange, counted: isSuccess(exchange) && typeof counted === 'number' ? counted : undefined }
}

const messagesRead = check(
  'combinations.messages-read',
  'WIRE-9',
  'each further message is counted, in any order, as text and in parts',
).run(async (t) => {
  let judged = 0
  for (const [longer, shorter] of longerConversations()) {
    const { counted: before } = await promptTokens(t, shorter)
    const { exchange, counted: after } = await promptTokens(t, longer)
    // Other checks judge what is refused, and a count that is not above 0.
    if (before === undefined || before <= 0 || after === undefined) continue
    const expected = `prompt_tokens above ${before}, the count without the messages that are added, ${describe(longer)}`
    t.expect(exchange, () => (after > before ? undefined : { expected, actual: String(after) }))
    judged += 1
  }
  if (judged === 0) t.notApplicable('the answers have no `usage.prompt_tokens`')
})

const byRow = ROWS.map((row) =>
  check(`combinations.${row.toLowerCase()}`, row, 'the answers to requests with any two fields together')
    .with({ sendsNothing: true, thorough: true })
    .run(async (t: CaseContext) => {
      const { answers, pairs, broken } = await sharedPlan(t)
      const { [row]: compare } = comparisons
      const judged = await judgeAnswers(t, row, answers)
      const isCompared = compare !== undefined && (await t.target.deterministic())
      const compared = isCompared ? await judgePairs(t, compare, pairs) : 0
      if (broken !== undefined) throw broken
      if (judged + compared === 0) t.notApplicable('no answer to these requests shows it')
      t.assert(true, { expected: '', actual: '' })
    }),
)

export const cases: readonly Case[] = [...byRow, messagesRead]
