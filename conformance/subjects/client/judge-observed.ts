// Judges what was seen of a program: each check against the scenarios that it belongs to.
import { ending } from '../../../harness/judged-program.ts'
import { at } from '../../../harness/json-value.ts'
import { Inconclusive, NotApplicable } from '../../contract/outcome.ts'
import { type CheckResult, createResults, endOf } from '../../contract/result.ts'
import type { ClientSelection } from './catalogue.ts'
import { attemptsOf, exchangesOf } from './scenario-evidence.ts'
import { type ClientCheck, type Observed, requestsOf } from './scenario.ts'
import { bodyOf } from './verify/request-rules.ts'

interface JudgeObserved {
  readonly strict: boolean
  /** The errors of the judge by the name of the scenario in which nothing caught them. */
  readonly crashed?: ReadonlyMap<string, unknown> | undefined
  readonly interrupted: boolean
}

type AllObserved = ReadonlyMap<string, Observed>

/** Judges what was seen by the selected checks, in their order. If `strict`, a SHOULD that does not hold fails. */
export function judgeObserved(
  { checks }: Pick<ClientSelection, 'checks'>,
  observed: AllObserved,
  { strict, crashed, interrupted }: JudgeObserved,
): readonly CheckResult[] {
  const results = createResults({ strict })
  const thrown = interrupted
    ? new Inconclusive('the run was interrupted')
    : new NotApplicable('its address was not called')
  return checks.map(({ check, scenario }) => {
    if (scenario !== undefined && crashed?.has(scenario.name) === true)
      results.add(check, { thrown: crashed.get(scenario.name) })
    for (const one of observed.values()) {
      if (scenario !== undefined && one.scenario !== scenario) continue
      const end = endOf(() => verify(check, one, observed, scenario === undefined))
      results.add(check, end, () => ({
        durationMs: Math.round(durationMs(one)),
        exchanges: exchangesOf(one),
        attempts: attemptsOf(one),
      }))
    }
    return results.of(check, { thrown })
  })
}

/** Applies a check to one scenario. */
function verify(check: ClientCheck, observed: Observed, all: AllObserved, isEverywhere: boolean): void {
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
