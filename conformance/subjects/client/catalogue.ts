// Every scenario and check of clients, the selection for a run, and the expected duration of a scenario.
import { requirements } from '../../../spec/catalogue/requirements.ts'
import { validated } from '../../contract/check.ts'
import { selector } from '../../contract/selection.ts'
import type { SelectOptions } from '../../contract/subject.ts'
import type { ClientCheck, Scenario } from './scenario.ts'
import * as call from './scenarios/requests/call-requests.ts'
import * as conversations from './scenarios/requests/conversations.ts'
import * as plain from './scenarios/usual-answers.ts'
import * as hardConversations from './scenarios/requests/hard-conversations.ts'
import * as longStreams from './scenarios/long-streams.ts'
import * as readAnswers from './scenarios/read-answers.ts'
import * as readCalls from './scenarios/read-calls.ts'
import * as readDelivery from './scenarios/read-delivery.ts'
import * as readDeltas from './scenarios/read-deltas.ts'
import * as readFailures from './scenarios/read-failures.ts'
import * as readNoCompletion from './scenarios/read-no-completion.ts'
import * as readOverflow from './scenarios/read-overflow.ts'
import * as readStreams from './scenarios/read-streams.ts'
import * as readTools from './scenarios/read-tools.ts'
import * as retryBounds from './scenarios/retry-bounds.ts'
import * as retryMessages from './scenarios/retry-messages.ts'
import * as retryStatuses from './scenarios/retry-statuses.ts'
import * as retryWaits from './scenarios/retry-waits.ts'
import * as stop from './scenarios/stop-signals.ts'
import {
  type LocalService,
  type ServiceOptions,
  startScriptedService,
} from '../../../harness/scripted-service/scripted-service.ts'
import { PLAIN_REQUEST } from '../../../harness/scripted-service/scripted-reply.ts'
import { dueWait } from './verify/due-wait.ts'

/** All scenarios, in reading order. */
export const scenarios: readonly Scenario[] = [
  plain,
  retryStatuses,
  retryWaits,
  retryBounds,
  retryMessages,
  call,
  readFailures,
  readNoCompletion,
  readOverflow,
  readAnswers,
  readStreams,
  readDeltas,
  readDelivery,
  longStreams,
  readTools,
  readCalls,
  conversations,
  hardConversations,
  stop,
].flatMap((file) => file.scenarios)

/** Returns the script of a scenario. Throws if there is none of that name. */
function scriptOf(name: string): Scenario['script'] {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`there is no scenario ${name}`)
  return found.script
}

/** The checks that apply to every scenario of a run. */
export const everywhere: readonly ClientCheck[] = call.everywhere

/** Every check; those that apply everywhere come first. */
export const clientChecks = validated([...everywhere, ...scenarios.flatMap(({ checks }) => checks)], 'client')

/** The rows that judge clients, in reading order. */
export const clientRows = requirements.filter(({ subject }) => subject === 'client')

export type ClientSelection = ReturnType<typeof selectChecks>

/**
 * Selects the checks that these options name, and every scenario that they need. A check without a
 * scenario applies to every one of the run. A quick run leaves thorough checks out.
 */
export function selectChecks({ quick = false, ...narrowed }: Omit<SelectOptions, 'profile'>) {
  const matches = selector(narrowed)
  const wanted = (check: ClientCheck): boolean => matches(check) && !(quick && check.thorough === true)
  const checks = [
    ...everywhere.filter(wanted).map((check) => ({ check, scenario: undefined })),
    ...scenarios.flatMap((scenario) => scenario.checks.filter(wanted).map((check) => ({ check, scenario }))),
  ]
  const names = new Set([plain.PLAIN])
  for (const { check, scenario } of checks) {
    // A check of all scenarios needs requests of different kinds.
    if (scenario === undefined) for (const name of EVERYWHERE_AT_LEAST) names.add(name)
    else
      for (const name of [scenario.name, plain.usualFor(scenario.requested), ...(check.beside ?? [])])
        names.add(name)
  }
  return { scenarios: scenarios.filter(({ name }) => names.has(name)), checks }
}

/** Scenarios with requests of each kind: plain, streamed, with tools and results, refused, retried and redirected. */
const EVERYWHERE_AT_LEAST = [
  plain.PLAIN,
  plain.STREAMED,
  plain.TOOLS,
  plain.STREAMED_TOOLS,
  'conversation',
  'status-401',
  'same-body',
  'redirect-307',
]

/** The most attempts of a client that keeps the rules. */
const MOST_ATTEMPTS = 5
/** The time of a program in addition to the due waits, in milliseconds: some programs are slow. */
const LEEWAY_MS = 9_000

/** The duration of a scenario for a client that keeps the rules and makes all attempts, in milliseconds. */
export function expectedMs({ script, answerMs = 0 }: Scenario): number {
  let waitsMs = answerMs
  for (let attempt = 0; attempt < MOST_ATTEMPTS - 1; attempt += 1) {
    const reply = script[Math.min(attempt, script.length - 1)]?.(PLAIN_REQUEST)
    const due = reply && dueWait(reply.status, reply.headers['retry-after'], attempt)
    // It gives up if it should wait longer than a minute.
    if (due === undefined || due.leastMs > 60_000) break
    waitsMs += due.leastMs
  }
  return waitsMs
}

/** How long a program takes to start, and what the jitter of its waits and sixteen starts at once take, in milliseconds. */
const START_MS = 600
const JITTER_MS = 250
const SIXTEEN_MS = 16 * START_MS * 0.5

/** About how long a run takes with this number of programs side by side, in milliseconds: the longest scenarios first. */
export function expectedRunMs(run: readonly Scenario[], concurrency: number): number {
  const places = Array.from({ length: concurrency }, () => 0)
  const durations = run
    .filter(({ clients = 1 }) => clients === 1)
    .map((scenario) => expectedMs(scenario) + START_MS + (expectedMs(scenario) > 0 ? JITTER_MS : 0))
  for (const durationMs of durations.toSorted((a, b) => b - a)) {
    places.sort((a, b) => a - b)
    places[0] = (places[0] ?? 0) + durationMs
  }
  // Sixteen at once hold all places while they start.
  const heldMs = run.some(({ clients = 1 }) => clients > 1) ? SIXTEEN_MS : 0
  return heldMs + Math.max(...places)
}

/** The time limit of a program from its first request, in milliseconds. */
export function boundMs(scenario: Scenario): number {
  return scenario.boundMs ?? expectedMs(scenario) + LEEWAY_MS
}

/** Starts the scripted service in this process, with the scenarios of clients. */
export function serveScenarios(options: ServiceOptions = {}): Promise<LocalService> {
  return startScriptedService({ ...options, scriptOf })
}
