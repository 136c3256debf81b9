// The subjects with their checks as data: `list`, `explain` and `--plan` need no function of a check, and so load none of the
// modules that have them. `npm run docs` writes checks.json.
import { isRequirementId } from '../../spec/catalogue/requirements.ts'
import type { Check } from '../contract/check.ts'
import checks from './checks.json' with { type: 'json' }
import { clientListing, gatewayListing, pairListing, recordingListing } from './listing.ts'
import { serverListing } from './server/listing.ts'

export { USES, USE_IDS, type UseId } from './client/pair/use-list.ts'

/** The checks of servers that send requests. */
export const listedCases: readonly Check[] = checks.server.cases.map(head)

export const listedServer = serverListing({
  cases: listedCases,
  observers: checks.server.observers.map(head),
})

/** The order is that of `loadSubjects`. The example of a check of clients is its scenario, which the list does not have. */
export const listedSubjects = [
  listedServer,
  { ...clientListing(checks.client.map(head)), exampleOf: () => undefined },
  gatewayListing(checks.gateway.checks.map(head), new Set(checks.gateway.slow)),
  recordingListing(checks.recording.map(head)),
  pairListing(checks.pair.map(head)),
] as const

interface Listed extends Omit<Check, 'requirement'> {
  readonly requirement: string
  readonly exclusive?: boolean
  readonly thorough?: boolean
  readonly alwaysQuick?: boolean
}

function head({ requirement, ...others }: Listed) {
  if (!isRequirementId(requirement)) throw new Error(`checks.json: ${others.id}: there is no ${requirement}`)
  return { ...others, requirement }
}
