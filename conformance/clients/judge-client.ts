// Runs the scenarios, as many programs side by side as are allowed, and holds what was seen against the checks.
import { at } from '../../harness/verify/json-value.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { requirement } from '../../spec/catalogue/requirements.ts'
import type { Outcome } from '../runner/case.ts'
import { type CheckResult, notHolding } from '../runner/check-result.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../runner/outcomes.ts'
import { worst } from '../verdict/verdict.ts'
import { attemptsOf, exchangesOf } from './evidence.ts'
import { type Bench, runScenario } from './run-scenario.ts'
import { createPlaces } from './places.ts'
import type { Check, Scenario, Seen } from './scenario.ts'
import { PLAIN } from './scenarios/plain.ts'
import { type ClientSelection, type SelectedCheck, expectedMs } from './scenarios.ts'
import { ending } from './verify/program.ts'
import { bodyOf } from './verify/requests.ts'

export interface ClientRun {
  readonly selection: ClientSelection
  readonly bench: Bench
  /** Programs side by side. */
  readonly concurrency: number
  /** Programs of a scenario that wants several at once, side by side whatever else runs. */
  readonly atOnce: number
  readonly onProgress: (done: number, total: number, doing: string) => void
}

/**
 * Runs every selected scenario and returns what was seen, by name. Throws `UsageError` where the program cannot be
 * started, or makes no request in the scenario with nothing unusual in it. An aborted run returns what was seen by then.
 */
export async function runScenarios({
  selection,
  bench,
  concurrency,
  atOnce,
  onProgress,
}: ClientRun): Promise<Map<string, Seen>> {
  const seen = new Map<string, Seen>()
  const places = createPlaces(concurrency)
  async function run(scenario: Scenario, release: () => void): Promise<void> {
    const programs = Math.min(scenario.clients ?? 1, atOnce)
    onProgress(seen.size, selection.scenarios.length, scenario.name)
    try {
      // Once more programs than are allowed side by side have called, all that they do is wait: that costs nothing.
      const result = await runScenario(
        scenario,
        bench,
        programs,
        programs > concurrency ? release : undefined,
      )
      if (!bench.signal.aborted) seen.set(scenario.name, result)
    } finally {
      release()
    }
  }

  const first = selection.scenarios.find(({ name }) => name === PLAIN)
  if (first !== undefined) {
    await run(first, () => undefined)
    const plain = seen.get(PLAIN)
    if (plain !== undefined) requireRequest(plain)
  }
  // The longest first: what takes long is over when the rest is.
  const others = selection.scenarios.filter((scenario) => scenario !== first)
  const running: Promise<void>[] = []
  for (const scenario of others.toSorted((a, b) => durationMs(b) - durationMs(a))) {
    const release = await places.take(Math.min(scenario.clients ?? 1, atOnce))
    if (bench.signal.aborted) break
    const one = run(scenario, release)
    // A failure is thrown below, when all have ended.
    one.catch(() => undefined)
    running.push(one)
  }
  await Promise.allSettled(running)
  await Promise.all(running)
  return seen
}

/** How long a scenario is likely to take, so that several programs at once come first. */
function durationMs(scenario: Scenario): number {
  return (scenario.clients ?? 1) > 1 ? Infinity : expectedMs(scenario)
}

/** A program that calls nothing is no target. */
function requireRequest({ attempts, strays, ends }: Seen): void {
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

/** Holds what was seen against the selected checks, in their order. */
export function judgeSeen(
  { checks }: Pick<ClientSelection, 'checks'>,
  seen: ReadonlyMap<string, Seen>,
  { strict, interrupted }: { readonly strict: boolean; readonly interrupted: boolean },
): readonly CheckResult[] {
  return checks.map((selected) => judgeCheck(selected, seen, strict, interrupted))
}

function judgeCheck(
  { check, scenario }: SelectedCheck,
  seen: ReadonlyMap<string, Seen>,
  strict: boolean,
  interrupted: boolean,
): CheckResult {
  const own =
    scenario === undefined ? [...seen.values()] : [seen.get(scenario.name)].filter((one) => one !== undefined)
  const level = check.level ?? requirement(check.requirement).level
  const common = { id: check.id, requirement: check.requirement, level, title: check.title }
  if (own.length === 0) {
    const reason = interrupted ? 'the run was interrupted' : 'its address was not called'
    return {
      ...common,
      outcome: interrupted ? 'inconclusive' : 'not-applicable',
      reason,
      durationMs: 0,
      exchanges: [],
    }
  }
  const ends = own.map((one) => ({ one, judged: judgeOne(check, one, seen, scenario === undefined) }))
  const outcome = worst(ends.map(({ judged }) => outcomeOf(judged)))
  const decisive = ends.find(({ judged }) => outcomeOf(judged) === outcome) ?? ends[0]
  const evidence = decisive?.one
  const held = decisive?.judged
  const judged =
    held instanceof CheckFailure
      ? notHolding(level, held.mismatch, strict)
      : {
          outcome,
          ...(held === undefined
            ? {}
            : {
                reason:
                  held instanceof Inconclusive || held instanceof NotApplicable
                    ? held.message
                    : (held.stack ?? held.message),
              }),
        }
  return {
    ...common,
    ...judged,
    durationMs: Math.round(evidence === undefined ? 0 : lastMs(evidence)),
    exchanges: evidence === undefined ? [] : exchangesOf(evidence),
    attempts: evidence === undefined ? [] : attemptsOf(evidence),
  }
}

/** What a check says of one scenario: undefined where it holds. */
function judgeOne(
  check: Check,
  seen: Seen,
  all: ReadonlyMap<string, Seen>,
  isEverywhere: boolean,
): Error | undefined {
  try {
    if (!isEverywhere) requireWish(seen)
    check.verify(seen, (name) => {
      const other = all.get(name)
      if (other === undefined) throw new Inconclusive(`the scenario ${name} was not seen`)
      requireCall(other)
      return other
    })
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function outcomeOf(judged: Error | undefined): Outcome {
  if (judged === undefined) return 'pass'
  if (judged instanceof CheckFailure) return 'fail'
  if (judged instanceof NotApplicable) return 'not-applicable'
  return judged instanceof Inconclusive ? 'inconclusive' : 'error'
}

function requireCall({ attempts, ends, scenario }: Seen): void {
  if (attempts.length > 0) return
  const [end] = ends
  throw new Inconclusive(
    `the program asked for no completion in the scenario ${scenario.name}${end === undefined ? '' : ` (${ending(end)})`}`,
  )
}

/** A program is judged by what it can do: a wish that it does not follow makes a scenario not applicable. */
function requireWish(seen: Seen): void {
  const { wish = {} } = seen.scenario
  const [first] = seen.attempts
  if (first === undefined) {
    // Requests to a wrong address are judged by where they went.
    if (seen.strays.length > 0 && wish.path !== undefined) return
    return requireCall(seen)
  }
  const body = bodyOf(first)
  const isStreamed = at(body, 'stream') === true
  if (wish.stream === true && !isStreamed)
    throw new NotApplicable('asked to stream, the program sent no `stream`')
  if (wish.stream === false && isStreamed)
    throw new NotApplicable('asked for a plain answer, the program sent `stream`')
  const tools = at(body, 'tools')
  if (wish.tools === true && !(Array.isArray(tools) && tools.length > 0))
    throw new NotApplicable('asked to offer tools, the program sent none')
}

function lastMs({ attempts }: Seen): number {
  return Math.max(0, ...attempts.map(({ arrivedMs, reply }) => reply?.lastByteMs ?? arrivedMs))
}
