// Runs cases and turns how each of them ended into an outcome. Prints nothing. Every case is bounded in time; those
// that exhaust the limited key run one after the other, beside the rest.
import { type Level, requirement } from '../../spec/catalogue/requirements.ts'
import type { Case } from './case.ts'
import { CASE_TIMEOUT_MS, startCaseClock } from './case-clock.ts'
import { type CheckResult, type Judged, type JudgeOptions, judgeEnd } from './check-result.ts'
import { caseSeed, createContext } from './context.ts'
import type { Sender } from './sender.ts'
import type { Target } from '../target/target.ts'

/** After so many cases that nobody answered, the target is not asked again: the rest cannot be judged. */
export const MAX_SILENT_CASES = 20
const UNANSWERED = `the target left ${MAX_SILENT_CASES} checks without any answer, and was not asked again`

/** Why a check was not judged in a run that was interrupted. */
export const INTERRUPTED = 'interrupted'

export interface RunOptions extends JudgeOptions {
  readonly target: Target
  readonly sender: Sender
  readonly seed: number
  readonly runs: number
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onStart?: (definition: Case) => void
  readonly onResult?: (result: CheckResult) => void
  /** What a case may take, in milliseconds. Default: a minute. */
  readonly caseTimeoutMs?: number
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
  async function work(queues: readonly Case[][]): Promise<void> {
    for (;;) {
      const next = queues.find((queue) => queue.length > 0)?.shift()
      if (next === undefined) return
      options.onStart?.(next)
      const why = options.signal.aborted ? INTERRUPTED : silent < MAX_SILENT_CASES ? undefined : UNANSWERED
      const result = why === undefined ? await runCase(next, options) : leftOut(next, why)
      if (result.isSilence === true) silent += 1
      results.set(next.id, result)
      options.onResult?.(result)
    }
  }

  // One worker takes the exclusive cases first: they are the longest, and mostly wait.
  const workers = Array.from({ length: options.concurrency }, (_, worker) =>
    work(worker === 0 ? [exclusive, others] : [others]),
  )
  await Promise.all(workers)
  return cases.map(({ id }) => results.get(id)).filter((result) => result !== undefined)
}

async function runCase(definition: Case, options: RunOptions): Promise<CheckResult> {
  const startedAt = performance.now()
  const clock = startCaseClock(options.caseTimeoutMs ?? CASE_TIMEOUT_MS, options.signal)
  const { context, trace } = createContext({
    target: options.target,
    sender: options.sender,
    seed: caseSeed(options.seed, definition),
    runs: options.runs,
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
    : judgeEnd(ended, trace, level, options)
  return { ...common, exchanges: trace.exchanges, ...judged }
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
