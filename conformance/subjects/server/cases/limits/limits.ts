// Limits: the form of a 429 (LIMIT-1), when it asks the client to come back (LIMIT-2, 6, 7), and that it keeps
// its word (LIMIT-3). The limit of the limited key is exhausted by chat requests, since the scope of limits is open.
import { type Case, type CaseContext, check } from '../../case.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { type Exchange, header } from '../../../../../harness/http/exchange.ts'
import { type Verifier, status } from '../../../../../harness/verify/verify.ts'
import { show } from '../../../../../harness/json-value.ts'
import type { LimitedKey } from '../../../../contract/target.ts'
import { mostAdmitted } from './admission-bound.ts'
import { chatRequest, modelList, streamedChat } from '../requests/endpoints.ts'
import {
  askedWait,
  hasRetryAfter,
  isRefused,
  limitIgnored,
  positiveSeconds,
  refusalForm,
  reportedRequests,
  retryAfter,
} from './limit-verifiers.ts'

/** The most requests that are sent to find an unknown limit. */
const MAX_REQUESTS = 200

/** A known limit that is higher is not exhausted. */
const MOST_OF_KNOWN = 1000

/** Requests beyond the most that a known limit admits: a correct service has refused one of them by then. */
const MARGIN = 10

/** Concurrent requests: a slow model that answers one by one would not reach its limit. */
const AT_ONCE = 10

/** The time that LIMIT-3 allows a server beyond the requested wait, in seconds. */
const TOLERANCE_SECONDS = 1

/** A case has a minute: longer waits are not waited out, in seconds. */
const LONGEST_WAIT_SECONDS = 45

/** The number of times that both keys are asked in turn before a 5xx counts as a limit. */
const DISGUISE_ROUNDS = 3

/** LIMIT-6: a longer wait is probably a number of milliseconds. */
const MOST_SECONDS = 86_400

const atMostADay: Verifier = (exchange) => {
  const seconds = retryAfter(exchange) ?? 0
  if (seconds <= MOST_SECONDS) return undefined
  return { expected: `Retry-After of at most ${MOST_SECONDS} seconds`, actual: show(seconds) }
}

/**
 * Sends requests with the limited key until it is over its limit. Returns a 429 if one came, preferably the answer to a
 * request without concurrent ones; an odd answer, which says neither yes nor 429 to a request that had been accepted
 * before; whether the key is known to have its limit, because the limit was given or an answer shows it; and the reason
 * for an inconclusive outcome if no 429 came.
 */
async function search(t: CaseContext, { key, limit, isMade }: LimitedKey) {
  if (limit !== undefined && limit.requests > MOST_OF_KNOWN)
    t.inconclusive(`a limit of ${limit.requests} requests is more than the judge asks for: ${MOST_OF_KNOWN}`)
  const members = (await t.target.supports('max_tokens')) ? { max_tokens: 1 } : {}
  const request = { ...chatRequest(t.target.model, members), authorization: `Bearer ${key}`, obey: false }
  const startedAt = t.now()
  let accepted = false
  let refusal: Exchange | undefined
  let oddAnswer: Exchange | undefined
  let reported: string | undefined
  let asked = 0
  const atOnce = Math.min(AT_ONCE, (limit?.requests ?? AT_ONCE) + 1)
  for (;;) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => t.send(request)))
    const alone = await t.send(request)
    asked += atOnce + 1
    const seconds = (t.now() - startedAt) / 1000
    const most = limit === undefined ? MAX_REQUESTS : mostAdmitted(limit, seconds) + MARGIN
    for (const answer of [...answers, alone]) {
      const code = answer.response.status
      reported ??= reportedRequests(answer)
      if (code === 200) accepted = true
      else if (code === 429) refusal = answer
      else oddAnswer ??= answer
    }
    if (!accepted && refusal === undefined)
      t.inconclusive(`the limited key was answered with ${alone.response.status} from the start`)
    const refusedOtherwise = oddAnswer !== undefined && oddAnswer.response.status < 500
    if (alone.response.status === 429 || refusedOtherwise || asked >= most) {
      const hasLimit = isMade !== true || refusal !== undefined || reported === String(limit?.requests)
      const why = hasLimit ? '' : `${limitIgnored(limit)}: `
      const unmet = `${why}no 429 came in ${asked} requests with the limited key`
      return { refusal, oddAnswer, last: alone, asked, seconds, hasLimit, unmet }
    }
  }
}

/** A 429; without one the case cannot be judged. */
async function requireRefusal(t: CaseContext): Promise<{ readonly key: string; readonly refusal: Exchange }> {
  const limited = await t.target.limited()
  const { refusal, unmet } = await search(t, limited)
  return { key: limited.key, refusal: refusal ?? t.inconclusive(unmet) }
}

/**
 * Verifies refusals of the model list and of a stream with a key over its limit. It is open whether the limit covers
 * the list, and it may have been renewed; the form of a refusal is fixed.
 */
async function judgeOthers(t: CaseContext, key: string): Promise<void> {
  for (const endpoint of t.quick ? [modelList] : [streamedChat, modelList]) {
    const request = { ...endpoint.request(t), authorization: `Bearer ${key}`, obey: false }
    const exchange = await t.send(request)
    if (exchange.response.status === 200) continue
    // A request that is refused for another reason is refused with the main key too.
    const other = await t.send({ ...request, authorization: `Bearer ${t.target.key}` })
    if (other.response.status === 200) t.expect(exchange, refusalForm)
  }
}

/** The limited key is refused with a 5xx each time, while the main key is admitted each time. */
async function isLimitInDisguise(t: CaseContext, key: string): Promise<boolean> {
  for (let round = 0; round < DISGUISE_ROUNDS; round += 1) {
    const ask = async (secret: string): Promise<number> => {
      const request = { ...chatRequest(t.target.model), authorization: `Bearer ${secret}`, obey: false }
      return (await t.send(request)).response.status
    }
    if ((await ask(key)) < 500 || (await ask(t.target.key)) !== 200) return false
  }
  return true
}

export const cases: readonly Case[] = [
  check('limits.form', 'LIMIT-1', 'status, type and code of a request over the limit')
    .with({ exclusive: true })
    .run(async (t) => {
      const limited = await t.target.limited()
      const { key, limit } = limited
      const { refusal, oddAnswer, last, asked, seconds, hasLimit, unmet } = await search(t, limited)
      if (refusal !== undefined) {
        t.expect(refusal, refusalForm)
        return judgeOthers(t, key)
      }
      const over = hasLimit && limit !== undefined && asked > mostAdmitted(limit, seconds)
      // A 4xx to what was accepted before refuses it for the limit; a 5xx may be an overload, and say nothing of the key.
      if (oddAnswer !== undefined && (over || oddAnswer.response.status < 500))
        t.expect(oddAnswer, refusalForm)
      if (over) t.expect(last, status(429))
      // An overload affects every key: if another key is admitted at the same time, this one is over its limit.
      if (oddAnswer !== undefined && (await isLimitInDisguise(t, key))) t.expect(oddAnswer, refusalForm)
      t.inconclusive(unmet)
    }),
  check('limits.retry-after', 'LIMIT-2', 'Retry-After of a 429')
    .with({ exclusive: true })
    .run(async (t) => {
      const { refusal } = await requireRefusal(t)
      t.expect(refusal, hasRetryAfter)
    }),
  check('limits.retry-after-readable', 'LIMIT-7', 'Retry-After of a 429, a positive number of seconds')
    .with({ exclusive: true })
    .run(async (t) => {
      const { refusal } = await requireRefusal(t)
      if (hasRetryAfter(refusal, t.target) !== undefined)
        t.notApplicable('the 429 has no Retry-After, which LIMIT-2 judges')
      t.expect(refusal, positiveSeconds)
    }),
  check('limits.admitted-after-the-wait', 'LIMIT-3', 'a request after the wait that a 429 asks for')
    .with({ exclusive: true })
    .run(async (t: CaseContext) => {
      const { key, refusal } = await requireRefusal(t)
      const seconds = askedWait(refusal) ?? t.inconclusive('the 429 says no time to wait (LIMIT-2, LIMIT-7)')
      if (seconds > LONGEST_WAIT_SECONDS)
        t.inconclusive(
          `the 429 asks for a wait of ${seconds} s: ${LONGEST_WAIT_SECONDS} s are waited at most`,
        )
      const request = { ...chatRequest(t.target.model), authorization: `Bearer ${key}`, obey: false }
      await t.sleep(seconds * 1000)
      let again = await t.send(request)
      if (isRefused(again)) {
        await t.sleep(TOLERANCE_SECONDS * 1000)
        again = await t.send(request)
      }
      t.assert(
        !isRefused(again),
        { expected: `a request admitted after ${seconds + TOLERANCE_SECONDS} s`, actual: 'status 429' },
        again,
      )
    }),
  check('limits.retry-after-in-seconds', 'LIMIT-6', 'Retry-After of at most a day')
    .with({ exclusive: true })
    .run(async (t) => {
      const { refusal } = await requireRefusal(t)
      if (retryAfter(refusal) === undefined)
        t.notApplicable('the 429 says no positive number of seconds (LIMIT-2, LIMIT-7)')
      t.expect(refusal, atMostADay)
    }),
]

export const observers: readonly Observer[] = [
  observe('limits.every-form', 'LIMIT-1', 'type and code of every 429').on(isRefused).verify(refusalForm),
  observe('limits.every-retry-after', 'LIMIT-2', 'Retry-After of every 429')
    .with({ ofHead: true })
    .on(isRefused)
    .verify(hasRetryAfter),
  observe(
    'limits.every-retry-after-readable',
    'LIMIT-7',
    'Retry-After of every 429, a positive number of seconds',
  )
    .with({ ofHead: true })
    .on((exchange) => isRefused(exchange) && header(exchange, 'retry-after') !== undefined)
    .verify(positiveSeconds),
  observe('limits.every-retry-after-in-seconds', 'LIMIT-6', 'Retry-After of every 429, at most a day')
    .with({ ofHead: true })
    .on((exchange) => isRefused(exchange) && retryAfter(exchange) !== undefined)
    .verify(atMostADay),
]
