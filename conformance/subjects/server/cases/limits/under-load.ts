// Limits under load: no more than the limit is admitted, however many ask at once (LIMIT-4), and one key's traffic
// leaves another key's limit alone (LIMIT-5).
import { type Case, type CaseContext, check } from '../../case.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { RequestLimit } from '../../../../../harness/target-facts.ts'
import type { LimitedKey } from '../../../../contract/target.ts'
import { boundInWords, mostAdmitted, SHORTEST_WINDOW_SECONDS } from './admission-bound.ts'
import { chatRequest } from '../requests/endpoints.ts'
import { keyIfPossible } from '../requests/limited-key.ts'
import { hasRetryAfter, isRefused, limitIgnored, refusalForm, reportedRequests } from './limit-verifiers.ts'

/**
 * The number of concurrent requests, as a multiple of the limit: half as many again as the bound for concurrent
 * requests.
 */
const TIMES_THE_LIMIT = 3

/** Requests that are sent at once, at most: with an unknown limit, and with one that is known. */
const MOST_AT_ONCE = 200
const MOST_OF_KNOWN = 2000

/** The limit of keys that are made here: soon exhausted, and renewed slowly enough for a bound that says something. */
const OWN_LIMIT: RequestLimit = { requests: 2, windowSeconds: 10 }

/** A new key with its own limit if one can be made; else the limited key, while it is admitted. */
async function limitedKey(t: CaseContext): Promise<LimitedKey> {
  const made = await keyIfPossible(t, { limit: OWN_LIMIT })
  if (made !== undefined) return { key: made.secret, limit: OWN_LIMIT, isMade: true }
  const limited = await t.target.limited()
  const first = await t.send({ ...chatRequest(t.target.model), authorization: `Bearer ${limited.key}` })
  const limit = limited.limit ?? reportedLimit(first)
  return limit === undefined ? limited : { ...limited, limit }
}

/** The limit that an answer reports; its window, which no header states surely, is taken as the shortest. */
function reportedLimit(exchange: Exchange): RequestLimit | undefined {
  const requests = reportedRequests(exchange)
  return requests === undefined
    ? undefined
    : { requests: Number(requests), windowSeconds: SHORTEST_WINDOW_SECONDS }
}

/**
 * Whether a key is known to have its limit: the limit was given, or an answer reports it or refuses the key, now or in
 * one more request.
 */
async function hasLimit(t: CaseContext, { key, limit, isMade }: LimitedKey, answers: readonly Exchange[]) {
  const shows = (answer: Exchange): boolean =>
    isRefused(answer) || reportedRequests(answer) === String(limit?.requests)
  return isMade !== true || answers.some(shows) || (await askAtOnce(t, key, 1)).some(shows)
}

async function askAtOnce(t: CaseContext, secret: string, count: number): Promise<readonly Exchange[]> {
  const request = { ...chatRequest(t.target.model), authorization: `Bearer ${secret}`, obey: false }
  return await Promise.all(Array.from({ length: count }, () => t.send(request)))
}

export const cases: readonly Case[] = [
  check('limits.at-once', 'LIMIT-4', 'far more requests than the limit, at the same time')
    .with({ exclusive: true })
    .run(async (t: CaseContext) => {
      const limited = await limitedKey(t)
      const limit =
        limited.limit ??
        t.inconclusive('the limit of the limited key is not known: give it with --limit N/SECONDS')
      const count = Math.min(MOST_OF_KNOWN, TIMES_THE_LIMIT * limit.requests)
      const startedAt = t.now()
      const answers = await askAtOnce(t, limited.key, count)
      const seconds = (t.now() - startedAt) / 1000
      for (const answer of answers.filter(isRefused)) t.expect(answer, refusalForm, hasRetryAfter)

      const admitted = answers.filter(({ response }) => response.status === 200)
      if (!(await hasLimit(t, limited, answers))) t.inconclusive(limitIgnored(limit))
      const bound = mostAdmitted(limit, seconds)
      t.assert(
        admitted.length <= bound,
        { expected: boundInWords(limit, seconds), actual: `${admitted.length} of ${count} admitted` },
        admitted.at(-1),
      )
      if (bound >= count)
        t.inconclusive(
          `${count} requests in ${seconds.toFixed(1)} s show nothing: ${boundInWords(limit, seconds)}`,
        )
      if (!answers.some(isRefused)) t.inconclusive(`no 429 came in ${count} requests with the limited key`)
    }),
  check('limits.another-key', 'LIMIT-5', 'a key that was not used yet, while another one is over its limit')
    .with({ exclusive: true })
    .run(async (t: CaseContext) => {
      const used = await limitedKey(t)
      const made = await keyIfPossible(t, { limit: OWN_LIMIT })
      const count =
        used.limit === undefined ? MOST_AT_ONCE : Math.min(MOST_OF_KNOWN, mostAdmitted(used.limit, 0) + 1)
      const answers = await askAtOnce(t, used.key, count)
      if (!(await hasLimit(t, used, answers))) t.inconclusive(limitIgnored(used.limit))
      if (!answers.some(isRefused)) t.inconclusive(`no 429 came in ${count} requests with the limited key`)
      const [answer] = await askAtOnce(t, made?.secret ?? t.target.key, 1)
      if (answer === undefined) return
      if (isRefused(answer) && made === undefined)
        t.inconclusive('the other key was refused too, and may have exhausted its limit itself')
      t.assert(
        !isRefused(answer),
        {
          expected: 'the first request of a key to be admitted, whatever another key has sent',
          actual: 'status 429',
        },
        answer,
      )
    }),
]
