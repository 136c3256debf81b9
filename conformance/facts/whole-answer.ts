// Whole answers: a request is sent again with a higher bound on its tokens while its answer is cut.
import { type Exchange, requestJson } from '../../harness/http/exchange.ts'
import { memoizePer } from '../../harness/memoize.ts'
import { isCutAtBound } from '../../harness/verify/finish-reasons.ts'
import { at } from '../../harness/json-value.ts'
import { CheckFailure, Inconclusive } from '../contract/outcome.ts'
import { FAST_PLAN } from './pace.ts'
import type { Target, TokenBound } from '../contract/target.ts'

/** The bound of an answer that was cut is raised this many times. */
const GROWTH = 4

/** An answer is not requested again if the longer one would take more than this; in milliseconds. */
const ANSWER_MS = 30_000
const QUICK_ANSWER_MS = 20_000

/** The number of cut answers of one kind in a row after which the next one gets a single attempt. */
const MOST_CUT = 3

/** The number of answers of each kind that were cut at the highest bound since one was whole. */
const cutsOf = memoizePer((_target: Target) => new Map<string, number>())

/**
 * Returns the first answer of `ask` that is not cut. Throws `Inconclusive` if it is cut at the highest bound of the plan,
 * at the end of the context, or in the only attempt after others of its kind were cut.
 */
export async function wholeAnswer(
  target: Target,
  ask: (bound: TokenBound) => Promise<Exchange>,
  quick: boolean,
): Promise<Exchange> {
  // The plan is known when the model has answered.
  await target.brief()
  const { wholeTokens, mostTokens } = target.plan()
  // A quick run has time for a single attempt with a slow model, so the attempt has the larger bound.
  const first = quick ? Math.min(GROWTH * wholeTokens, FAST_PLAN.wholeTokens, mostTokens) : wholeTokens
  const cuts = cutsOf(target)
  for (let tokens = first; ; tokens = Math.min(GROWTH * tokens, mostTokens)) {
    const bound = await target.brief(tokens)
    const exchange = await ask(bound).catch((error: unknown) => {
      // `ask` of some cases throws if the answer is not a success.
      const refused = error instanceof CheckFailure ? error.exchange : undefined
      if (tokens === first || refused?.response.status !== 400) throw error
      return refused
    })
    // The target accepted the first bound, so it refuses this one because its context ends.
    if (tokens > first && exchange.response.status === 400)
      throw new Inconclusive(`the answer was cut, and a bound of ${tokens} tokens is refused`)
    const kind = kindOf(exchange)
    if (!isCutAtBound(exchange)) {
      cuts.delete(kind)
      return exchange
    }
    if (Object.keys(bound).length === 0) throw new Inconclusive('the answer was cut (finish_reason length)')
    const before = cuts.get(kind) ?? 0
    if (before >= MOST_CUT)
      throw new Inconclusive(`the answer was cut at ${tokens} tokens; similar ones were not whole with more`)
    const longerMs = GROWTH * exchange.timings.totalMs
    if (tokens < mostTokens && longerMs <= (quick ? QUICK_ANSWER_MS : ANSWER_MS)) continue
    cuts.set(kind, before + 1)
    throw new Inconclusive(`the answer was cut, also at ${tokens} tokens`)
  }
}

/** The fields of a request that decide how its answer ends: the calls that it requires, and the format. */
function kindOf({ request }: Exchange): string {
  const body = requestJson(request)
  const choice = at(body, 'tool_choice')
  return JSON.stringify([
    Array.isArray(at(body, 'tools')),
    typeof choice === 'object' ? 'one function' : choice,
    at(body, 'response_format', 'type'),
  ])
}
