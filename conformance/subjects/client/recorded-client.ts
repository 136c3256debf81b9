// A client in a bundle: everything that was observed of each scenario, as lines, and read from them again.
import type { NotRecorded } from '../../bundle/replaying-transport.ts'
import type { RunRecorder } from '../../bundle/record-run.ts'
import { callOf } from '../../bundle/recorded-calls.ts'
import { createExchangeReader } from '../../exchanges/line-codec.ts'
import type { ProgramLine, RecordingLine } from '../../exchanges/recording-line.ts'
import type { ProgramEnd } from '../../../harness/judged-program.ts'
import { type Delay, longestDelay } from '../../../harness/scripted-service/measuring-clock.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import type { ClientSelection } from './catalogue.ts'
import { observedOf, openScenario } from './run-scenario.ts'
import { type Observed, type Opened, requestsOf } from './scenario.ts'

/** Records the observations of a run, and the delays of the judge meanwhile. */
export function recordObserved(
  observed: ReadonlyMap<string, Observed>,
  delays: readonly Delay[],
  { standIns, record, call, since, facts }: RunRecorder,
): void {
  const all = [...observed.values()]
  facts.delays = delays.map(({ fromMs, toMs }) => [since(fromMs), since(toMs)])
  // Each key is known before any text is searched for it.
  const keys = new Map(all.map((one) => [one, standIns.of(one.key)]))
  for (const one of all) {
    const { scenario, baseUrl, text, boundMs, stoppedMs } = one
    for (const own of requestsOf(one)) call(own, { by: scenario.name })
    record({
      kind: 'program',
      scenario: scenario.name,
      baseUrl,
      key: keys.get(one) ?? '',
      task: JSON.stringify(one.task),
      text,
      boundMs,
      ...(stoppedMs === undefined ? {} : { stoppedMs: since(stoppedMs) }),
      ends: one.ends.map(({ exitCode, signal, isOverdue, stdout, stderr }) => ({
        exitCode,
        signal,
        isOverdue,
        stdout: standIns.text(stdout),
        stderr: standIns.text(stderr),
      })),
    })
  }
}

interface Replay {
  readonly lines: readonly RecordingLine[]
  readonly selection: ClientSelection
  readonly seed: number
  readonly model: string
}

/** Reads the observations of the selected scenarios, and the checks of those that this version would run otherwise. */
export function readObserved({ lines, selection, seed, model }: Replay) {
  const exchangeOf = createExchangeReader()
  const calls = new Map<string, Call[]>()
  const delays: Delay[] = []
  const observed = new Map<string, Observed>()
  const missing: NotRecorded[] = []
  const scenarios = new Map(selection.scenarios.map((scenario) => [scenario.name, scenario]))
  for (const line of lines) {
    if (line.kind === 'run') delays.push(...(line.delays ?? []).map(([fromMs, toMs]) => ({ fromMs, toMs })))
    if (line.kind === 'exchange') {
      const { by = '', ...exchange } = exchangeOf(line)
      const own = calls.get(by) ?? []
      own.push(callOf(exchange))
      calls.set(by, own)
    }
    const scenario = line.kind === 'program' ? scenarios.get(line.scenario) : undefined
    if (line.kind !== 'program' || scenario === undefined) continue
    const opening = { origin: new URL(line.baseUrl).origin, open() {} }
    const opened = openScenario(scenario, { service: opening, seed, model })
    const difference = differenceOf(opened, line)
    if (difference !== undefined) {
      missing.push(...scenario.checks.map(({ id }) => ({ check: id, difference })))
      continue
    }
    const service = {
      calls: () => calls.get(line.scenario) ?? [],
      busyMs: (fromMs: number, toMs: number) => longestDelay(delays, fromMs, toMs),
    }
    const ends = line.ends.map((end): ProgramEnd => ({ ...end, signal: end.signal as ProgramEnd['signal'] }))
    const seen = observedOf(opened, { service }, ends, line.stoppedMs)
    observed.set(line.scenario, { ...seen, key: line.key, boundMs: line.boundMs })
  }
  return { observed, missing }
}

function differenceOf({ task, text, baseUrl }: Opened, line: ProgramLine): string | undefined {
  const differs = (what: string, recorded: string, now: string): string | undefined =>
    recorded === now ? undefined : `${what} was ${recorded}, and is ${now} in this version`
  return (
    differs('the task of the program', line.task, JSON.stringify(task)) ??
    differs('the text of the answer', line.text, text) ??
    differs('the address', line.baseUrl, baseUrl)
  )
}
