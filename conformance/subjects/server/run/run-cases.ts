// Runs cases and turns the end of each into an outcome. Prints nothing. Every case is bounded in time. Cases that exhaust
// a limit run last, one after the other, with nothing else in flight: the specification leaves the scope of limits open.
import type { Case } from '../case.ts'
import { CASE_TIMEOUT_MS, startCaseClock } from './case-clock.ts'
import { type CheckResult, type JudgeOptions, headOf, judgeEnd, notRun } from '../../../contract/result.ts'
import { type CaseRun, createContext } from './context.ts'

/** After this number of cases in a row without any answer, the run stops: the rest cannot be judged. */
export const MAX_SILENT_CASES = 20
const UNANSWERED = `the target left ${MAX_SILENT_CASES} checks in a row without any answer, and was not asked again`

/** After this number of cases in a row that were refused for a limit or a quota, it stops too. */
export const MAX_REFUSED_CASES = 5
const REFUSED = `the target refused ${MAX_REFUSED_CASES} checks in a row for a limit or a quota, and was not asked again`

export const INTERRUPTED = 'interrupted'
const INTERRUPTED_CHECK = { outcome: 'inconclusive', reason: INTERRUPTED } as const

export interface RunOptions extends JudgeOptions, CaseRun {
  /** The number of cases that may run concurrently; a function is called before each case. */
  readonly concurrency: number | (() => number)
  readonly signal: AbortSignal
  readonly onStart?: (definition: Case) => void
  readonly onResult?: (result: CheckResult) => void
  /** Time limit of a case, in milliseconds. Default: one minute. */
  readonly caseTimeoutMs?: number
  /** Time that it may wait in addition for a target that refuses. Default: four minutes. */
  readonly caseWaitMs?: number
}

/**
 * Runs these cases and returns their results in the same order. When the signal is aborted, cases in flight are ended
 * and the rest is not run; both are then inconclusive.
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
  /** Only silence or refusal of every check in a row ends a run: one late answer does not. */
  function count({ isSilence = false, isRefused = false, exchanges }: CheckResult): void {
    if (isSilence) silent += 1
    else if (exchanges.length > 0) silent = 0
    if (isRefused) refused += 1
    else if (exchanges.length > 0) refused = 0
  }
  async function work(next: Case): Promise<void> {
    options.onStart?.(next)
    const why = whyNot()
    const result = why === undefined ? await runCase(next, options) : notRun(headOf(next), why)
    count(result)
    results.set(next.id, result)
    options.onResult?.(result)
  }
  async function workAll(queue: readonly Case[], concurrency: RunOptions['concurrency']): Promise<void> {
    const running = new Set<Promise<void>>()
    const most = (): number => (typeof concurrency === 'number' ? concurrency : concurrency())
    for (const next of queue) {
      while (running.size >= most()) await Promise.race(running)
      const ending = work(next).finally(() => running.delete(ending))
      running.add(ending)
    }
    await Promise.all(running)
  }

  await workAll(others, options.concurrency)
  await workAll(exclusive, 1)
  return cases.flatMap(({ id }) => results.get(id) ?? [])
}

async function runCase(definition: Case, options: RunOptions): Promise<CheckResult> {
  const startedAt = performance.now()
  const clock = startCaseClock(options.caseTimeoutMs ?? CASE_TIMEOUT_MS, options.signal, options.caseWaitMs)
  const { context, trace } = createContext(definition, options, clock)
  const ended = await clock.bound((async () => definition.run(context))())
  clock.stop()
  const head = headOf(definition)
  const { prompt, completion } = trace.meter.count()
  return {
    ...head,
    durationMs: Math.round(performance.now() - startedAt),
    requests: trace.requests,
    tokens: prompt + completion,
    exchanges: trace.exchanges,
    // How a case ends after an abort says nothing about the target.
    ...(options.signal.aborted
      ? INTERRUPTED_CHECK
      : judgeEnd(ended, { ...definition, ...head }, options, trace)),
  }
}
