// Runs the selected scenarios through the gateway, phase by phase, and judges their checks.
import { containPart } from '../../../harness/containment.ts'
import { inTurns } from '../../../harness/waiting.ts'
import { type CheckEnd, type CheckResult, createResults, endOf } from '../../contract/result.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../../contract/outcome.ts'
import { property } from '../../generate/property.ts'
import type { GatewaySettings } from './settings.ts'
import type { Crossings } from './cross.ts'
import { type Crossing, type GatewayCheck, type GatewayScenario, PHASES, type RunFacts } from './crossing.ts'
import type { GatewayProperty } from './scenarios/generated-traffic.ts'
import type { GatewaySelection } from './catalogue.ts'
import { TooBusy, hopsOf, requireRead, requireTime } from './crossing-sides.ts'
import { createLifeline, stopped } from './lifeline.ts'
import { keepsAnswering } from './scenarios/no-answer.ts'

interface RunOptions {
  readonly selection: GatewaySelection
  readonly gateway: Crossings
  readonly facts: RunFacts
  readonly settings: Pick<GatewaySettings, 'concurrency' | 'runs' | 'strict'>
  readonly seed: number
  readonly onProgress: (done: number, total: number, doing: string) => void
}

/** Runs everything and returns the results, in the order of the checks, and the number of requests of the client. */
export async function runScenarios(
  options: RunOptions,
): Promise<{ readonly results: readonly CheckResult[]; readonly requests: number }> {
  const { selection, gateway, facts, settings, onProgress } = options
  const results = createResults(settings)
  const total = selection.scenarios.length + selection.properties.length
  let requests = 0
  let done = 0

  /** Adds how a check ended. */
  function add(check: GatewayCheck, end: CheckEnd, crossing: Crossing | undefined, durationMs: number): void {
    const hops = () => (crossing === undefined ? [] : hopsOf(crossing))
    results.add(check, end, () => ({ durationMs: Math.round(durationMs), hops: hops() }))
  }

  const lifeline = createLifeline(gateway)

  /** Those that failed while this process was busy: they run once more, each alone. */
  const late: GatewayScenario[] = []

  async function runScenario(scenario: GatewayScenario, isAgain = false): Promise<void> {
    onProgress(done, total, scenario.name)
    if (!isAgain) done += 1
    const startedMs = performance.now()
    /** An error of the judge in this scenario says nothing of the others. */
    function crashed(thrown: unknown): readonly Crossing[] {
      const own = scenario.checks.length > 0 ? scenario.checks : selection.everywhere
      for (const check of own) add(check, { thrown }, undefined, performance.now() - startedMs)
      return []
    }
    const send = () => gateway.cross(scenario)
    const crossings =
      lifeline.lost() === undefined
        ? await containPart(() => lifeline.watch(scenario, send), crashed).catch((error: unknown) => {
            gateway.signal.throwIfAborted()
            return crashed(error)
          })
        : []
    requests += crossings.length
    const lost = lifeline.lost()
    if (lost !== undefined)
      for (const check of scenario.checks) add(check, { thrown: stopped(lost) }, undefined, 0)
    else {
      const ends = crossings.flatMap((crossing) =>
        [...scenario.checks, ...selection.everywhere].map((check) => {
          return { check, crossing, end: judgedEnd(check, crossing, facts) }
        }),
      )
      if (!isAgain && ends.some(({ end }) => end.thrown instanceof TooBusy)) return void late.push(scenario)
      for (const { check, crossing, end } of ends)
        add(check, end, crossing, scenario.checks.includes(check) ? performance.now() - startedMs : 0)
    }
  }

  try {
    for (const phase of PHASES) {
      const own = selection.scenarios.filter((scenario) => scenario.phase === phase)
      if (phase === 'down' && own.length > 0) await gateway.stopUpstream()
      // The slow ones begin first, so that the others run beside them.
      await inTurns(
        own.toSorted((one, other) => Number(other.isSlow ?? 0) - Number(one.isSlow ?? 0)),
        settings.concurrency,
        (scenario) => runScenario(scenario),
      )
      for (const scenario of late.splice(0)) await runScenario(scenario, true)
      if (phase !== 'answers') continue
      for (const one of selection.properties) {
        onProgress(done, total, one.check.id)
        requests += await runProperty(one, options, lifeline, add)
        done += 1
      }
    }
  } catch (error) {
    if (!gateway.signal.aborted) throw error
  }
  const lost = lifeline.lost()
  if (lost !== undefined)
    add(
      keepsAnswering,
      endOf(() => keepsAnswering.verify(lost, facts)),
      lost,
      0,
    )
  const thrown = new Inconclusive(gateway.signal.aborted ? 'the run was interrupted' : 'no crossing shows it')
  return {
    results: selection.checks.map((check) => attributed(results.of(check, { thrown }))),
    requests,
  }
}

/** How a check ends on a crossing. It fails by no answer that the judge did not read to its end, or was too busy for. */
function judgedEnd(check: GatewayCheck, crossing: Crossing, facts: RunFacts): CheckEnd {
  const end = endOf(() => check.verify(crossing, facts))
  return end.thrown instanceof CheckFailure
    ? endOf(() => {
        requireRead(crossing)
        requireTime(crossing)
        throw end.thrown
      })
    : end
}

/** A result with the side at fault: the upstream keeps every rule. */
function attributed(result: CheckResult): CheckResult {
  return result.mismatch === undefined ? result : { ...result, attribution: 'gateway' }
}

/** Sends generated scenarios one after the other, and judges the smallest that fails. Returns how many were sent. */
async function runProperty(
  { check, scenarios }: GatewayProperty,
  { gateway, seed, settings: { runs }, facts }: RunOptions,
  lifeline: ReturnType<typeof createLifeline>,
  add: (check: GatewayCheck, end: CheckEnd, crossing: Crossing | undefined, durationMs: number) => void,
): Promise<number> {
  const startedMs = performance.now()
  let sent = 0
  let latest: Crossing | undefined
  let refused: NotApplicable | undefined
  let judged = 0
  let end: CheckEnd = {}
  try {
    await property({ seed, runs }, scenarios, async (generated) => {
      const name = check.id.replace(/^gate\./, '')
      const scenario: GatewayScenario = { name, phase: 'answers', checks: [], ...generated }
      const [crossing] = await containPart(
        () => lifeline.watch(scenario, () => gateway.cross(scenario)),
        (error) => add(check, { thrown: error }, undefined, 0),
      )
      sent += 1
      if (crossing === undefined) return
      const lost = lifeline.lost()
      if (lost !== undefined) throw stopped(lost)
      try {
        check.verify(crossing, facts)
        judged += 1
      } catch (error) {
        if (error instanceof NotApplicable) {
          refused = error
          return
        }
        if (error instanceof CheckFailure) {
          requireTime(crossing)
          latest = crossing
        }
        throw error
      }
      latest ??= crossing
    })
    if (judged === 0 && refused !== undefined) end = { thrown: refused }
  } catch (thrown) {
    gateway.signal.throwIfAborted()
    end = { thrown }
  }
  add(check, end, latest, performance.now() - startedMs)
  return sent
}
