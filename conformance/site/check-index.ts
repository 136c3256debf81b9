// Every check of servers, gateways and clients by its id, in the reading order of the requirements.
import { type RequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { allChecks as clientChecks } from '../clients/scenarios.ts'
import { allChecks as gatewayChecks } from '../gateways/selection.ts'
import type { Case } from '../runner/case.ts'

type Check = Pick<Case, 'id' | 'title' | 'requirement'>

const { cases, observers } = fullCatalogue()
const byRow = Map.groupBy(
  [...cases, ...observers, ...clientChecks(), ...gatewayChecks()],
  ({ requirement }) => requirement,
)

/** The checks of this version of the catalogue. Ids are never removed, so it also has the checks of older entries. */
export const CHECKS: ReadonlyMap<string, Check> = new Map(
  requirements.flatMap(({ id }) => byRow.get(id) ?? []).map((check) => [check.id, check]),
)

export function checksOfRow(id: RequirementId): readonly Check[] {
  return byRow.get(id) ?? []
}
