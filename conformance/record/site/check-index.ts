// Every check of servers, gateways and clients by its id, in the reading order of the requirements.
import { type RequirementId, requirements } from '../../../spec/catalogue/requirements.ts'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { allChecks as clientChecks } from '../../subjects/client/catalogue.ts'
import { allChecks as gatewayChecks } from '../../subjects/gateway/catalogue.ts'
import type { Case } from '../../subjects/server/case.ts'

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
