// Runs cases and turns how each of them ended into an outcome. Prints nothing. Every case is bounded in time; those
// that use up the limited key run one after the other, beside the rest.
import type { Level, RequirementId } from '../spec/requirements.ts'
import { requirement } from '../spec/requirements.ts'
import type { Case, Outcome } from './case.ts'
import { type CaseTrace, caseSeed, createContext } from './context.ts'
import type { Exchange, SentRequest } from './probe.ts'
import type { Sender } from './sender.ts'
import { CheckFailure, Inconclusive, NotApplicable, TransportError } from './signals.ts'
import type { Target } from './target.ts'
import type { Mismatch } from './verify.ts'

/** The most that a case may take, waits for a 429 aside, in milliseconds; and what it may wait in all. */
export const CASE_TIMEOUT_MS = 60_000
export const CASE_WAIT_MS = 240_000

/** After so many cases that nobody answered, the target is not asked again: the rest cannot be judged. */
export const MAX_SILENT_CASES = 20

/** How long a case that was told to end may take to end. */
const GRACE_MS = 2_000

/** How one check ended, with its evidence. */
export interface CheckResult {
  readonly id: string
  readonly requirement: RequirementId
  readonly level: Level
  readonly title: string
  readonly outcome: Outcome
  readonly mismatch?: Mismatch
  /** Why, on everything that is not a pass. */
  readonly reason?: string
  /** The environment variable that would let it be judged. */
  readonly variable?: string
  readonly durationMs: number
  /** The latest exchanges; on a failure the evidence is the last one. */
  readonly exchanges: readonly Exchange[]
  /** The request that no answer came to. */
  readonly unanswered?: SentRequest
  /** Nobody was there to answer it at all. */
  readonly isSilence?: boolean
}

export interface RunOptions {
  readonly target: Target
  readonly sender: Sender
  readonly seed: number
  readonly runs: number
  readonly concurrency: number
  /** A SHOULD that does not hold fails. */
  readonly strict: boolean
  /** Capabilities whose refusal fails the rows that need them. */
  readonly require: readonly string[]
  readonly signal: AbortSignal
  readonly onStart?: (definition: Case) => void
  readonly onResult?: (result: CheckResult) => void
  /** For tests. */
  readonly caseTimeoutMs?: number
}

/** Runs all of these cases and returns their results in the order of the cases. */
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
      const result = silent < MAX_SILENT_CASES ? await runCase(next, options) : leftOut(next)
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
  const clock = createCaseClock(options.caseTimeoutMs ?? CASE_TIMEOUT_MS, options.signal)
  const { context, trace } = createContext({
    target: options.target,
    sender: options.sender,
    seed: caseSeed(options.seed, definition),
    runs: options.runs,
    signal: clock.signal,
    onWait: clock.onWait,
  })
  const ended = await clock.bound(definition.run(context))
  clock.stop()
  const { level } = requirement(definition.requirement)
  const common = {
    id: definition.id,
    requirement: definition.requirement,
    level,
    title: definition.title,
    durationMs: Math.round(performance.now() - startedAt),
  }
  return { ...common, exchanges: trace.exchanges, ...judged(ended, trace, level, options) }
}

/** A case that is not run, because nobody has answered for long. */
function leftOut({ id, requirement: row, title }: Case): CheckResult {
  const { level } = requirement(row)
  const reason = `the target left ${MAX_SILENT_CASES} checks without any answer, and was not asked again`
  return { id, requirement: row, level, title, outcome: 'inconclusive', reason, durationMs: 0, exchanges: [] }
}

/** What a case was ended by, also where a client library has wrapped it; undefined for anything else. */
function signalIn(thrown: unknown): unknown {
  const kinds = [CheckFailure, TransportError, NotApplicable, Inconclusive]
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (kinds.some((kind) => error instanceof kind)) return error
  return undefined
}

type Judged = Pick<CheckResult, 'outcome'> &
  Partial<Pick<CheckResult, 'mismatch' | 'reason' | 'variable' | 'exchanges' | 'unanswered' | 'isSilence'>>

/** What the end of a case means: an empty object for a return, or what was thrown. */
function judged(
  ended: { readonly thrown?: unknown },
  trace: CaseTrace,
  level: Level,
  options: Pick<RunOptions, 'strict' | 'require'>,
): Judged {
  const { thrown } = ended
  const doesNotHold = (mismatch: Mismatch, more: Partial<Judged> = {}): Judged => ({
    ...notHolding(level, mismatch, options.strict),
    ...more,
  })
  if (!('thrown' in ended)) {
    if (trace.requests === 0) return { outcome: 'error', reason: 'the check sent no request' }
    if (trace.assertions === 0) return { outcome: 'error', reason: 'the check evaluated no assertion' }
    return { outcome: 'pass' }
  }
  if (thrown instanceof CheckFailure) {
    const { exchange, mismatch } = thrown
    if (exchange === undefined) return doesNotHold(mismatch)
    return doesNotHold(mismatch, {
      exchanges: [...trace.exchanges.filter((other) => other !== exchange), exchange],
    })
  }
  if (thrown instanceof TransportError)
    return doesNotHold(
      { expected: 'an answer', actual: thrown.message },
      { unanswered: thrown.request, isSilence: thrown.isSilence },
    )
  if (thrown instanceof NotApplicable) {
    const missing = options.require.filter((capability) => trace.refused.has(capability))
    if (missing.length === 0) return { outcome: 'not-applicable', reason: thrown.message }
    const expected = `${missing.join(', ')}, which --require names`
    return { outcome: 'fail', mismatch: { expected, actual: thrown.message }, reason: thrown.message }
  }
  if (thrown instanceof Inconclusive) {
    const variable = thrown.variable === undefined ? {} : { variable: thrown.variable }
    return { outcome: 'inconclusive', reason: thrown.message, ...variable }
  }
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { outcome: 'error', reason }
}

/** What it means that a row does not hold: nothing for a MAY, a warning for a SHOULD unless judged strictly. */
export function notHolding(level: Level, mismatch: Mismatch, strict: boolean): Judged {
  const reason = `expected ${mismatch.expected}, got ${mismatch.actual}`
  if (level === 'MAY') return { outcome: 'not-applicable', reason: `optional, and not so here: ${reason}` }
  return { outcome: level === 'SHOULD' && !strict ? 'warn' : 'fail', mismatch, reason }
}

/** The time of one case: it stands still while a 429 is waited out. */
function createCaseClock(timeoutMs: number, run: AbortSignal) {
  const controller = new AbortController()
  const signal = AbortSignal.any([run, controller.signal])
  const end = (reason: string): void => controller.abort(new Inconclusive(reason))
  let remainingMs = timeoutMs
  let startedAt = performance.now()
  let waits = 0
  let grace: NodeJS.Timeout | undefined
  const over = (): void => end(`not judged within ${timeoutMs / 1000} s`)
  let active = setTimeout(over, timeoutMs)
  const allWaits = setTimeout(() => end('the target kept refusing for too long'), timeoutMs + CASE_WAIT_MS)

  return {
    signal,
    onWait(waiting: boolean): void {
      waits += waiting ? 1 : -1
      if (waiting && waits === 1) {
        clearTimeout(active)
        remainingMs -= performance.now() - startedAt
      }
      if (!waiting && waits === 0) {
        startedAt = performance.now()
        active = setTimeout(over, remainingMs)
      }
    },
    /** Waits for the end of a case; one that does not end when its time is over is left behind. */
    async bound(running: Promise<void>): Promise<{ readonly thrown?: unknown }> {
      const settled = running.then(
        () => ({}),
        (thrown: unknown) => ({ thrown: signalIn(thrown) ?? (signal.aborted ? signal.reason : thrown) }),
      )
      const leftBehind = new Promise<{ readonly thrown: unknown }>((resolve) => {
        const leave = (): void => {
          grace = setTimeout(() => resolve({ thrown: signal.reason }), GRACE_MS)
        }
        signal.addEventListener('abort', leave, { once: true })
      })
      return Promise.race([settled, leftBehind])
    },
    stop(): void {
      for (const timer of [active, allWaits, grace]) clearTimeout(timer)
    },
  }
}
