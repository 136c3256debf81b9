// The outcomes of an entry: which are failures, and which a check of a level can have.
import type { Level } from '../../../spec/catalogue/section.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { Entry } from './result-entry.ts'

export const isFailure = (outcome: Outcome): boolean => outcome === 'fail' || outcome === 'warn'

export function failuresIn({ checks }: Pick<Entry, 'checks'>): readonly string[] {
  return Object.keys(checks).filter((id) => isFailure(checks[id] ?? 'pass'))
}

/** Whether a check of this level can have this outcome, in a run without `--strict` and `--require`. */
export function isOutcomeOf(level: Level, outcome: Outcome): boolean {
  return (
    !isFailure(outcome) ||
    (level === 'MUST' && outcome === 'fail') ||
    (level === 'SHOULD' && outcome === 'warn')
  )
}
