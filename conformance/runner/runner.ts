// Runs cases and turns how each of them ended into an outcome. Prints nothing. Every case is bounded in time; those
// that exhaust a limit run last, one after the other, with nothing else in flight: the scope of limits is open.
import { type Level, requirement } from '../../spec/catalogue/requirements.ts'
import type { Case } from './case.ts'
import { CASE_TIMEOUT_MS, startCaseClock } from './case-clock.ts'
import { type CheckResult, type Judged, type JudgeOptions, judgeEnd } from './check-result.ts'
import { caseSeed, createContext } from './context.ts'
import type { Sender } from './sender.ts'
import type { Target } from '../target/target.ts'

/** After so many cases in a row that nobody answered, the target is not asked again: the rest cannot be judged. */
export const MAX_SILENT_CASES = 20
const UNANSWERED = `the target left ${MAX_SILENT_CASES} checks in a row without any answer, and was not asked again`

/** After so many cases in a row that were refused for a limit or a quota, too. */
export const MAX_REFUSED_CASES = 5
const REFUSED = `the target refused ${MAX_REFUSED_CASES} checks in a row for a limit or a quota, and was not asked again`

/** Why a check was not judged in a run that was interrupted. */
export const INTERRUPTED = 'interrupted'

export interface RunOptions extends JudgeOptions {
  readonly target: Target
  readonly sender: Sender
  readonly seed: number
  readonly runs: number
  readonly quick?: boolean
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onStart?: (definition: Case) => void
  readonly onResult?: (result: CheckResult) => void
  /** What a case may take, in milliseconds. Default: a minute. */
  readonly caseTimeoutMs?: number
  /** What it may wait beside that, for a target that refuses. Default: four minutes. */
  readonly caseWaitMs?: number
}

/**
 * Runs all of these cases and returns their results in the order of the cases. Where the signal is aborted, cases in
 * flight are ended and the rest is not run; neither can be judged then.
 */
export async function runCases(cases: readonly Case[], options: RunOptions): Promise<readonly CheckResult[]> {
  const results = new Map<string, CheckResult>()
  const exclusive = cases.filter((definition) => definition.exclusive === true)
  const others = cases.filter((definition) => definition.exclusive !== true)

  let silent = 0
  let refused = 0
  function whyNot(): string | undefined {
    if (options.signal.aborted) return INTERRUPTED
    if (silent >= MAX_SILENT_CASES) return UNANSWERED
    return refused >= MAX_REFUSED_CASES ? REFUSED : undefined
  }
  /** One late answer is no silence: only what is met by every check in a row ends a run. */
  function count({ isSilence = false, isRefused = false, exchanges }: CheckResult): void {
    if (isSilence) silent += 1
    else if (exchanges.length > 0) silent = 0
    if (isRefused) refused += 1
    else if (exchanges.length > 0) refused = 0
  }
  async function work(queue: Case[]): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      options.onStart?.(next)
      const why = whyNot()
      const result = why === undefined ? await runCase(next, options) : leftOut(next, why)
      count(result)
      results.set(next.id, result)
      options.onResult?.(result)
    }
  }

  await Promise.all(Array.from({ length: options.concurrency }, () => work(others)))
  await work(exclusive)
  return cases.map(({ id }) => results.get(id)).filter((result) => result !== undefined)
}

async function runCase(definition: Case, options: RunOptions): Promise<CheckResult> {
  const startedAt = performance.now()
  const clock = startCaseClock(options.caseTimeoutMs ?? CASE_TIMEOUT_MS, options.signal, options.caseWaitMs)
  const { context, trace } = createContext({
    definition,
    target: options.target,
    sender: options.sender,
    seed: caseSeed(options.seed, definition),
    runs: options.runs,
    quick: options.quick ?? false,
    signal: clock.signal,
    onWait: clock.onWait,
  })
  const ended = await clock.bound((async () => definition.run(context))())
  clock.stop()
  const level = levelOf(definition)
  const common = {
    id: definition.id,
    requirement: definition.requirement,
    level,
    title: definition.title,
    durationMs: Math.round(performance.now() - startedAt),
  }
  // How a case ends that is aborted says nothing of the target.
  const judged: Judged = options.signal.aborted
    ? { outcome: 'inconclusive', reason: INTERRUPTED }
    : judgeEnd(ended, trace, { level, requirement: definition.requirement }, options)
  const { prompt, completion } = trace.meter.count()
  const spent = { requests: trace.requests, tokens: prompt + completion }
  return { ...common, ...spent, exchanges: trace.exchanges, ...judged }
}

function levelOf({ level, requirement: row }: Case): Level {
  return level ?? requirement(row).level
}

/** A case that is not run, for this reason. */
function leftOut(definition: Case, reason: string): CheckResult {
  const { id, requirement: row, title } = definition
  const level = levelOf(definition)
  return { id, requirement: row, level, title, outcome: 'inconclusive', reason, durationMs: 0, exchanges: [] }
}
