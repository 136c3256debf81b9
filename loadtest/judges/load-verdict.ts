// The verdict on a run: invalid if the run itself was not valid, otherwise the result of its assertions.
import { UNEVEN } from './bound-assertions.ts'
import type { Judgement, LoadRun } from './judgement.ts'
import { plannedRequests } from '../theory/load-plan.ts'

/** The part of the planned requests that must have been made. */
const OFFERED_PART = 0.98

export type VerdictWord = 'pass' | 'fail' | 'invalid'

export interface Machine {
  readonly k6: string
  readonly cores: number
  readonly processes: number
}

export type LoadVerdict = ReturnType<typeof verdictOf>

/**
 * Combines a judgement with the validity of its run, to the content of `--json`. Times are seconds, rates are per second.
 * `limited`: the scenario is about a limit.
 */
export function verdictOf(run: LoadRun, judgement: Judgement, machine: Machine, limited: boolean) {
  const invalid = whyInvalid(run, judgement)
  const failed = judgement.assertions.some(({ outcome }) => outcome === 'fail')
  const valid = invalid.length === 0
  const verdict: VerdictWord = valid ? (failed ? 'fail' : 'pass') : 'invalid'
  return {
    schema: 'touchstone.loadtest/1' as const,
    scenario: run.plan.scenario,
    target: run.plan.baseUrl,
    model: run.plan.model,
    verdict,
    valid,
    /** The reasons why the run is invalid; empty for a valid run. */
    invalid,
    limit: limited ? run.counting.limit : null,
    algorithm: run.counting.algorithm,
    ...judgement.headline,
    dropped: run.record.dropped,
    ...machine,
    assertions: judgement.assertions,
    notes: judgement.notes ?? [],
  }
}

/** 0: the service meets the demands; 1: it does not; 3: it is not judged, because the planned load was not offered. */
export function exitCodeOf({ verdict }: { readonly verdict: VerdictWord }): 0 | 1 | 3 {
  return ({ pass: 0, fail: 1, invalid: 3 } as const)[verdict]
}

function whyInvalid({ plan, record }: LoadRun, judgement: Judgement): readonly string[] {
  const excused = judgement.dropsAreTheService === true
  const why: string[] = []
  if (record.dropped > 0 && !excused)
    why.push(`k6 dropped ${record.dropped} requests: it had no caller free, or no time`)
  if (!excused)
    for (const load of plan.loads) {
      const planned = plannedRequests(load)
      const made = record.answers.filter((answer) => answer.load === load.name).length
      // The first or the last arrival of a load may be outside of its time.
      const least = Math.floor(planned * OFFERED_PART) - (load.requestsEach ?? 1)
      if (made === 0 || made < least)
        why.push(`${load.name}: ${made} of ${Math.round(planned)} requests made`)
    }
  for (const { id, outcome, actual } of judgement.assertions)
    if (outcome === 'not judged' && actual === UNEVEN) why.push(`${id}: ${actual}`)
  if (judgement.assertions.every(({ outcome }) => outcome === 'not judged'))
    why.push('nothing could be judged')
  return why
}
