// Every check of gateways, and the part of it that a run is about.
import { requirements } from '../../../spec/catalogue/requirements.ts'
import { validated } from '../../contract/check.ts'
import { selector } from '../../contract/selection.ts'
import type { SelectOptions } from '../../contract/subject.ts'
import type { GatewayCheck, GatewayScenario } from './crossing.ts'
import * as answers from './scenarios/unchanged-answers.ts'
import * as bodies from './scenarios/bodies.ts'
import * as brokenAnswers from './scenarios/broken-answers.ts'
import * as heads from './scenarios/answer-heads.ts'
import * as disconnects from './scenarios/disconnects.ts'
import * as hardValues from './scenarios/hard-values.ts'
import * as idleConnections from './scenarios/idle-connections.ts'
import { properties } from './scenarios/generated-traffic.ts'
import * as jsonTexts from './scenarios/json-texts.ts'
import * as noAnswer from './scenarios/no-answer.ts'
import * as oddUpstreams from './scenarios/odd-upstreams.ts'
import * as ownRefusals from './scenarios/requests/own-refusals.ts'
import * as refusals from './scenarios/refusals.ts'
import * as requestForms from './scenarios/requests/request-forms.ts'
import * as requests from './scenarios/requests/unchanged-requests.ts'
import * as secrets from './scenarios/secrets.ts'
import * as sharedAnswers from './scenarios/requests/shared-answers.ts'
import * as streams from './scenarios/unchanged-streams.ts'
import * as vendor from './scenarios/vendor-members.ts'

/** All scenarios, in reading order. */
export const scenarios: readonly GatewayScenario[] = [
  requests,
  requestForms,
  sharedAnswers,
  answers,
  streams,
  oddUpstreams,
  vendor,
  hardValues,
  bodies,
  idleConnections,
  refusals,
  brokenAnswers,
  secrets,
  disconnects,
  noAnswer,
  ownRefusals,
].flatMap((file) => file.scenarios)

/** The rows that judge gateways, in reading order. */
export const gatewayRows = requirements.filter(({ subject }) => subject === 'gateway')

/** The checks of every crossing of a run. */
const everyCrossing = [
  ...secrets.everywhere,
  ...heads.everywhere,
  ...jsonTexts.everywhere,
  noAnswer.keepsAnswering,
]

const unordered: readonly GatewayCheck[] = validated(
  [
    ...scenarios.flatMap((scenario) => scenario.checks),
    ...properties.map(({ check }) => check),
    ...everyCrossing,
  ],
  'gateway',
)

/** Every check, in the order of the rows. */
export const gatewayChecks: readonly GatewayCheck[] = gatewayRows.flatMap(({ id }) =>
  unordered.filter(({ requirement }) => requirement === id),
)

export type GatewaySelection = ReturnType<typeof selectChecks>

/** Selects checks by `only`, a glob over ids and requirements; a quick run leaves the slow scenarios out. */
export function selectChecks({ quick: isQuick, ...narrowed }: Omit<SelectOptions, 'profile'>) {
  const wanted = selector(narrowed)
  const everywhere = everyCrossing.filter(wanted)
  const fast = scenarios.filter(({ isSlow }) => !(isQuick && isSlow === true))
  const own = fast.filter(({ checks }) => checks.some(wanted))
  // A check of every crossing needs crossings of each kind.
  const traffic = everywhere.length > 0 ? fast.filter(({ isSlow }) => isSlow !== true) : []
  const chosen = properties.filter(({ check }) => wanted(check))
  const reported = new Set([
    ...own.flatMap(({ checks }) => checks.filter(wanted)),
    ...chosen.map(({ check }) => check),
    ...everywhere,
  ])
  return {
    scenarios: fast.filter((scenario) => own.includes(scenario) || traffic.includes(scenario)),
    properties: chosen,
    /** Checks of every crossing. */
    everywhere,
    /** Checks that are reported, in the order of the rows. */
    checks: gatewayChecks.filter((check) => reported.has(check)),
  }
}
