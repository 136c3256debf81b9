// The checks that a complete run judges, by the version of the catalogue, the kind of subject and the profile.
import { CATALOGUE_VERSION, type Level } from '../../../spec/catalogue/requirements.ts'
import { type Catalogue, select } from '../../subjects/server/selection.ts'
import { asOf } from '../../contract/catalogue-version.ts'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { allChecks as checksOfClients } from '../../subjects/client/catalogue.ts'
import { allChecks as checksOfGateways } from '../../subjects/gateway/catalogue.ts'
import { type CheckHead, headOf } from '../../contract/result.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { Entry } from './entry.ts'

let catalogue: Catalogue | undefined

/** The checks by id; undefined if there is no such catalogue, or if the kind is not judged by that profile. */
export function checksOf({
  catalogue: version,
  kind,
  profile,
}: Pick<Entry, 'catalogue' | 'kind' | 'profile'>): ReadonlyMap<string, CheckHead> | undefined {
  const number = Number(version)
  if (number < 1 || number > Number(CATALOGUE_VERSION)) return undefined
  if (profile === 'gateway') return kind === 'gateway' ? byId(checksOfGateways()) : undefined
  if (profile === 'client') return kind === 'client' ? byId(checksOfClients()) : undefined
  if (kind === 'client' || (kind === 'gateway' && profile === 'service')) return undefined
  catalogue ??= fullCatalogue()
  const { cases, observers } = select(asOf(catalogue, number).catalogue, { profile, only: undefined })
  return byId([...cases, ...observers])
}

function byId(checks: readonly Parameters<typeof headOf>[0][]): ReadonlyMap<string, CheckHead> {
  return new Map(checks.map((check) => [check.id, headOf(check)]))
}

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
