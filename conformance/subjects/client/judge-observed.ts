// Judges what was seen of a program: each check against the scenarios that it belongs to.
import { at } from '../../../harness/verify/json-value.ts'
import { type CheckResult, endOf, headOf, judgeEnd, notRun } from '../../contract/result.ts'
import { Inconclusive, NotApplicable, OUTCOMES } from '../../contract/outcome.ts'
import { attemptsOf, exchangesOf } from './evidence.ts'
import { type Check, type Observed, requestsOf } from './scenario.ts'
import type { ClientSelection } from './catalogue.ts'
import { ending } from './verify/program.ts'
import { bodyOf } from './verify/requests.ts'

type AllObserved = ReadonlyMap<string, Observed>

/** Judges what was seen by the selected checks, in their order. If `strict`, a SHOULD that does not hold fails. */
export function judgeObserved(
  { checks }: Pick<ClientSelection, 'checks'>,
  observed: AllObserved,
  options: { readonly strict: boolean; readonly interrupted: boolean },
): readonly CheckResult[] {
  return checks.map((selected) => judgeCheck(selected, observed, options))
}

function judgeCheck(
  { check, scenario }: ClientSelection['checks'][number],
  all: AllObserved,
  { strict, interrupted }: Parameters<typeof judgeObserved>[2],
): CheckResult {
  const head = headOf(check)
  const own = [...all.values()].filter((observed) => scenario === undefined || observed.scenario === scenario)
  const ends = own.map((observed) => {
    const end = endOf(() => verify(check, observed, all, scenario === undefined))
    // The worst end decides, whatever the level of the row makes of it.
    const { outcome } = judgeEnd(end, { ...head, level: 'MUST' }, { strict })
    return { observed, end, rank: OUTCOMES.indexOf(outcome) }
  })
  const [decisive] = ends.toSorted((one, other) => one.rank - other.rank)
  if (decisive === undefined) {
    if (interrupted) return notRun(head, 'the run was interrupted')
    return { ...notRun(head, 'its address was not called'), outcome: 'not-applicable' }
  }
  return {
    ...head,
    durationMs: Math.round(durationMs(decisive.observed)),
    exchanges: exchangesOf(decisive.observed),
    attempts: attemptsOf(decisive.observed),
    ...judgeEnd(decisive.end, head, { strict }),
  }
}

/** Applies a check to one scenario. */
function verify(check: Check, observed: Observed, all: AllObserved, isEverywhere: boolean): void {
  if (!isEverywhere) requireRequested(observed)
  check.verify(observed, (name) => {
    const other = all.get(name)
    if (other === undefined) throw new Inconclusive(`the scenario ${name} was not run`)
    requireCall(other)
    return other
  })
}

function requireCall({ attempts, ends, scenario }: Observed): void {
  if (attempts.length > 0) return
  const [end] = ends
  throw new Inconclusive(
    `the program requested no completion in the scenario ${scenario.name}${end === undefined ? '' : ` (${ending(end)})`}`,
  )
}

/** Throws `NotApplicable` if the program did not send the kind of request that the scenario needs. */
function requireRequested(observed: Observed): void {
  const { requested = {} } = observed.scenario
  const [first] = observed.attempts
  if (first === undefined) {
    // A request to a wrong address is judged by its address.
    if (observed.strays.length > 0 && requested.path !== undefined) return
    return requireCall(observed)
  }
  const body = bodyOf(first)
  const isStreamed = at(body, 'stream') === true
  if (requested.stream === true && !isStreamed)
    throw new NotApplicable('asked to stream, the program sent no `stream`')
  if (requested.stream === false && isStreamed)
    throw new NotApplicable('a plain answer was requested, but the program sent `stream`')
  const tools = at(body, 'tools')
  if (requested.tools === true && !(Array.isArray(tools) && tools.length > 0))
    throw new NotApplicable('asked to offer tools, the program sent none')
}

function durationMs(observed: Observed): number {
  const [{ arrivedMs: beginMs } = { arrivedMs: 0 }] = requestsOf(observed)
  return Math.max(
    0,
    ...observed.attempts.map(({ arrivedMs, reply }) => (reply?.lastByteMs ?? arrivedMs) - beginMs),
  )
}
