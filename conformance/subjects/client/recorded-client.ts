// A client in a bundle: everything that was observed of each scenario, as lines, and read from them again.
import type { NotRecorded } from '../../bundle/replaying-transport.ts'
import { callOf, createCallWriter } from '../../bundle/call-lines.ts'
import { type ClientLine, type Line, createLineReader } from '../../bundle/lines.ts'
import type { StandIns } from '../../bundle/stand-ins.ts'
import type { ProgramEnd } from '../../../harness/judged-program.ts'
import { type Delay, longestDelay } from '../../../harness/scripted-service/measuring-clock.ts'
import type { ClientSelection } from './catalogue.ts'
import { openScenario } from './run-scenario.ts'
import { type Observed, type Opened, requestsOf } from './scenario.ts'

type Observations = ReadonlyMap<string, Observed>

/** Writes the observations of a run, and the delays of the judge meanwhile. */
export function writeObserved(
  observed: Observations,
  delays: readonly Delay[],
  standIns: StandIns,
  hear: (line: Line) => void,
): void {
  const all = [...observed.values()]
  const [originMs = 0] = all.flatMap(requestsOf).map(({ arrivedMs }) => arrivedMs)
  const writer = createCallWriter(standIns, originMs)
  hear({
    kind: 'delays',
    delays: delays.map(({ fromMs, toMs }): [number, number] => [writer.since(fromMs), writer.since(toMs)]),
  })
  // Each key is known before any text is searched for it.
  const keys = new Map(all.map((one) => [one, standIns.of(one.key)]))
  for (const one of all)
    hear({
      kind: 'client',
      scenario: one.scenario.name,
      baseUrl: one.baseUrl,
      key: keys.get(one) ?? '',
      task: JSON.stringify(one.task),
      text: one.text,
      boundMs: one.boundMs,
      ...writer.optional('stoppedMs', one.stoppedMs),
      calls: requestsOf(one).map((call) => writer.call(call)),
      ends: one.ends.map(({ exitCode, signal, isOverdue, stdout, stderr }) => ({
        exitCode,
        signal,
        isOverdue,
        stdout: standIns.text(stdout),
        stderr: standIns.text(stderr),
      })),
    })
}

interface Replay {
  readonly lines: readonly Line[]
  readonly selection: ClientSelection
  readonly seed: number
  readonly model: string
}

/** Reads the observations of the selected scenarios, and the checks of those that this version would run otherwise. */
export function readObserved({ lines, selection, seed, model }: Replay) {
  const reader = createLineReader()
  const delays = lines
    .flatMap((line) => (line.kind === 'delays' ? line.delays : []))
    .map(([fromMs, toMs]): Delay => ({ fromMs, toMs }))
  const observed = new Map<string, Observed>()
  const missing: NotRecorded[] = []
  const scenarios = new Map(selection.scenarios.map((scenario) => [scenario.name, scenario]))
  for (const line of lines) {
    if (line.kind !== 'client') continue
    const calls = line.calls.map((call) => callOf(call, reader))
    const scenario = scenarios.get(line.scenario)
    if (scenario === undefined) continue
    const service = { origin: new URL(line.baseUrl).origin, open() {} }
    const opened = openScenario(scenario, { service, seed, model })
    const difference = differenceOf(opened, line)
    if (difference !== undefined) {
      missing.push(...scenario.checks.map(({ id }) => ({ check: id, difference })))
      continue
    }
    const of = (kind: (typeof calls)[number]['kind']) => calls.filter((call) => call.kind === kind)
    observed.set(line.scenario, {
      ...opened,
      key: line.key,
      attempts: of('attempt'),
      strays: of('stray'),
      elsewhere: of('elsewhere'),
      ends: line.ends.map((end): ProgramEnd => ({ ...end, signal: end.signal as ProgramEnd['signal'] })),
      boundMs: line.boundMs,
      stoppedMs: line.stoppedMs,
      busyMs: (fromMs, toMs) => longestDelay(delays, fromMs, toMs),
    })
  }
  return { observed, missing }
}

function differenceOf({ task, text, baseUrl }: Opened, line: ClientLine): string | undefined {
  const differs = (what: string, recorded: string, now: string): string | undefined =>
    recorded === now ? undefined : `${what} was ${recorded}, and is ${now} in this version`
  return (
    differs('the task of the program', line.task, JSON.stringify(task)) ??
    differs('the text of the answer', line.text, text) ??
    differs('the address', line.baseUrl, baseUrl)
  )
}
