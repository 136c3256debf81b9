// Runs cases and turns the end of each into an outcome. Prints nothing. Every case is bounded in time. Cases that exhaust
// a limit run last, one after the other, with nothing else in flight: the specification leaves the scope of limits open.
import type { Clock } from '../../../../harness/clock.ts'
import { UncaughtError, containPart } from '../../../../harness/containment.ts'
import type { Case } from '../case.ts'
import { type Exchange, shortened } from '../../../../harness/http/exchange.ts'
import { CASE_TIMEOUT_MS, startCaseClock } from './case-clock.ts'
import {
  type CheckResult,
  EVIDENCE_BYTES,
  INTERRUPTED,
  type JudgeOptions,
  judgeEnd,
  notRun,
  withError,
} from '../../../contract/result.ts'
import { headOf } from '../../../contract/check.ts'
import { type CaseRun, createContext } from './context.ts'
import { judgeUnread } from './unread.ts'

const INTERRUPTED_CHECK = { outcome: 'inconclusive', reason: INTERRUPTED } as const

/** The kept answers of a run up to which each is kept as a report shows it; later ones are shorter. In bytes. */
const MOST_EVIDENCE_BYTES = 16 * 1024 * 1024
const LATER_EVIDENCE_BYTES = 4 * 1024

export interface RunOptions extends JudgeOptions, Omit<CaseRun, 'held'> {
  /** The number of cases that may run concurrently; a function is called before each case. */
  readonly concurrency: number | (() => number)
  readonly signal: AbortSignal
  readonly onStart?: (definition: Case) => void
  readonly onResult?: (result: CheckResult) => void
  /** The clock of these limits. Default: that of the system. */
  readonly clock?: Clock
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
  const held = { bytes: 0 }
  let evidenceBytes = 0
  function kept(exchange: Exchange): Exchange {
    const isLate = evidenceBytes > MOST_EVIDENCE_BYTES
    const own = shortened(exchange, isLate ? LATER_EVIDENCE_BYTES : EVIDENCE_BYTES)
    evidenceBytes += own.response.body.length
    return own
  }
  const exclusive = cases.filter((definition) => definition.exclusive === true)
  const others = cases.filter((definition) => definition.exclusive !== true)

  function whyNot(): string | undefined {
    return options.signal.aborted ? INTERRUPTED : options.sender.dead()?.message
  }
  async function work(next: Case): Promise<void> {
    options.onStart?.(next)
    const why = whyNot()
    const ended =
      why === undefined
        ? await runCase(next, { ...options, held }, crashed)
        : notRun(headOf(next, options.profile), why)
    const result = { ...ended, exchanges: ended.exchanges.map(kept) }
    results.set(next.id, result)
    options.onResult?.(result)

    /** Nothing caught an error of the case, which had ended by then. */
    function crashed(error: UncaughtError): void {
      const known = results.get(next.id)
      if (known !== undefined) results.set(next.id, withError(known, error))
    }
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

async function runCase(
  definition: Case,
  options: RunOptions & CaseRun,
  onCrash: (error: UncaughtError) => void,
): Promise<CheckResult> {
  const { now } = options.sender
  const startedAt = now()
  const timeoutMs = options.caseTimeoutMs ?? CASE_TIMEOUT_MS
  const clock = startCaseClock(timeoutMs, options.signal, options.caseWaitMs, options.clock)
  const { context, trace, end } = createContext(definition, options, clock)
  const late = (error: unknown): void => {
    // A promise that the case has left behind is rejected when its time is over, or that of the run.
    if (error instanceof UncaughtError && !isReason(error.original, clock.signal)) onCrash(error)
  }
  const running = containPart(async () => definition.run(context), late)
  // A case that is abandoned may still end like this.
  running.catch(late)
  const ended = await clock.bound(running)
  clock.stop()
  end()
  const head = headOf(definition, options.profile)
  const { prompt, completion } = trace.meter.count()
  return {
    ...head,
    durationMs: Math.round(now() - startedAt),
    requests: trace.requests,
    tokens: prompt + completion,
    exchanges: trace.exchanges,
    // How a case ends after an abort says nothing about the target.
    ...(options.signal.aborted
      ? INTERRUPTED_CHECK
      : judgeUnread(
          judgeEnd(ended, { ...definition, ...head }, options, trace),
          definition.requirement,
          trace.unread,
        )),
  }
}

/** Whether a promise was rejected because this signal was aborted. */
function isReason(error: unknown, { reason }: AbortSignal): boolean {
  return reason !== undefined && (error === reason || (error instanceof Error && error.cause === reason))
}
