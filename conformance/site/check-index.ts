// Every check of servers, gateways and clients by its id, in the reading order of the requirements.
import { type RequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { allChecks as clientChecks } from '../clients/scenarios.ts'
import { allChecks as gatewayChecks } from '../gateways/selection.ts'

export interface IndexedCheck {
  readonly id: string
  readonly title: string
  readonly requirement: RequirementId
}

export type CheckIndex = ReadonlyMap<string, IndexedCheck>

/** The index of this version of the catalogue. Ids are never removed, so it also has the checks of older entries. */
export function checkIndex(): CheckIndex {
  const { cases, observers } = fullCatalogue()
  const all = [...cases, ...observers, ...clientChecks(), ...gatewayChecks()]
  const byRow = Map.groupBy(all, ({ requirement }) => requirement)
  const sorted = requirements.flatMap(({ id }) => byRow.get(id) ?? [])
  return new Map(sorted.map(({ id, title, requirement }) => [id, { id, title, requirement }]))
}
