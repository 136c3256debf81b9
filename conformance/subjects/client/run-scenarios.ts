// Runs the selected scenarios of one program, as many side by side as the options allow.
import { EventEmitter, once } from 'node:events'
import { containPart } from '../../../harness/containment.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import type { ClientSettings } from './settings.ts'
import { type ClientSetup, runScenario } from './run-scenario.ts'
import type { Scenario, Observed } from './scenario.ts'
import { PLAIN } from './scenarios/usual-answers.ts'
import { type ClientSelection, expectedMs } from './catalogue.ts'
import { ending } from '../../../harness/judged-program.ts'

/**
 * Runs every selected scenario and returns what was seen, by name. Throws `UsageError` if the program cannot be started,
 * or makes no request in the plain scenario. An aborted run returns what was seen until then.
 *
 * @param onCrash gets an error of the judge itself, with the name of its scenario
 * @param concurrency the most programs side by side
 * @param atOnce programs of a scenario that needs several at once, even if other scenarios run too
 */
export async function runScenarios(
  setup: ClientSetup,
  selection: Pick<ClientSelection, 'scenarios'>,
  { concurrency, atOnce }: Pick<ClientSettings, 'concurrency' | 'atOnce'>,
  onProgress: (done: number, total: number, doing: string) => void,
  onCrash: (scenario: string, error: unknown) => void = () => {},
): Promise<Map<string, Observed>> {
  const observed = new Map<string, Observed>()
  const released = new EventEmitter()
  let free = concurrency
  const programsOf = ({ clients = 1 }: Scenario): number => Math.min(clients, atOnce)

  /** Runs a scenario that has taken these places for its programs. */
  async function run(scenario: Scenario, places: number): Promise<void> {
    const programs = programsOf(scenario)
    let taken = places
    const release = (): void => {
      free += taken
      taken = 0
      released.emit('released')
    }
    /** An error of the judge in this scenario says nothing of the others. */
    const crashed = (error: unknown): void => onCrash(scenario.name, error)
    onProgress(observed.size, selection.scenarios.length, scenario.name)
    try {
      // Once a scenario with more programs than places has received all calls, its programs only wait: others may run.
      const result = await containPart(
        () => runScenario(scenario, setup, programs, programs > concurrency ? release : undefined),
        crashed,
      )
      if (!setup.signal.aborted) observed.set(scenario.name, result)
    } catch (error) {
      if (error instanceof UsageError) throw error
      if (!setup.signal.aborted) crashed(error)
    } finally {
      release()
    }
  }

  const first = selection.scenarios.find(({ name }) => name === PLAIN)
  if (first !== undefined) {
    await run(first, 0)
    const plain = observed.get(PLAIN)
    if (plain !== undefined) requireRequest(plain)
  }
  // The longest first, so that the last scenarios to finish are short.
  const others = selection.scenarios.filter((scenario) => scenario !== first)
  const running: Promise<void>[] = []
  for (const scenario of others.toSorted((a, b) => durationMs(b) - durationMs(a))) {
    const places = Math.min(programsOf(scenario), concurrency)
    while (free < places) await once(released, 'released')
    if (setup.signal.aborted) break
    free -= places
    const one = run(scenario, places)
    // A failure is thrown below, after all have ended.
    one.catch(() => undefined)
    running.push(one)
  }
  await Promise.allSettled(running)
  await Promise.all(running)
  return observed
}

/** The likely duration of a scenario; one with several programs at once counts as the longest. */
function durationMs(scenario: Scenario): number {
  return (scenario.clients ?? 1) > 1 ? Infinity : expectedMs(scenario)
}

/** Throws if the program made no request: there is nothing to judge. */
function requireRequest({ attempts, strays, ends }: Observed): void {
  if (attempts.length + strays.length > 0) return
  const [end] = ends
  const how =
    end === undefined
      ? ''
      : end.isOverdue
        ? ' (it was ended after the time that a start may take)'
        : ` (${ending(end)})`
  throw new UsageError(
    `client: the program made no request to OPENAI_BASE_URL${how}; {base_url} in its arguments stands for the address`,
  )
}
