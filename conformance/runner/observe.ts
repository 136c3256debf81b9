// Observers at work: each exchange of the run is held against them as it passes, so that none has to be kept.
import { requirement } from '../../spec/catalogue/requirements.ts'
import type { Observer } from './case.ts'
import { type Exchange, isCut } from '../../harness/http/exchange.ts'
import { type CheckResult, notHolding } from './check-result.ts'
import { INTERRUPTED } from './runner.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import type { Mismatch, Verifier } from '../../harness/verify/verify.ts'

export interface Watch {
  /** `by` is the id of the check that asked. */
  see(exchange: Exchange, by?: string): void
  /** What was found, one result for each observer; of an interrupted run only what does not hold is certain. */
  results(interrupted?: boolean): readonly CheckResult[]
}

interface Finding {
  readonly observer: Observer
  readonly verifiers: readonly Verifier[]
  seen: number
  failure?: { readonly mismatch: Mismatch; readonly exchange: Exchange; readonly by: string | undefined }
  /** The suite's own fault. */
  error?: unknown
}

/** Watches the exchanges of a run under `/v1`; the first that does not hold up is the evidence. */
export function watch(
  observers: readonly Observer[],
  target: () => TargetFacts,
  { strict }: { readonly strict: boolean },
): Watch {
  const findings: Finding[] = observers.map((observer) => {
    const { verifiers } = observer
    return { observer, verifiers: typeof verifiers === 'function' ? verifiers() : verifiers, seen: 0 }
  })
  return {
    see(exchange, by) {
      // Of an answer that was cut there is no saying what it would have become.
      if (isCut(exchange)) return
      if (!/^\/v1($|[/?#])/.test(exchange.request.path)) return
      for (const finding of findings) {
        if (finding.failure !== undefined || finding.error !== undefined) continue
        try {
          hold(finding, exchange, by, target())
        } catch (error) {
          finding.error = error
        }
      }
    },
    results: (interrupted = false) => findings.map((finding) => resultOf(finding, strict, interrupted)),
  }
}

function hold(finding: Finding, exchange: Exchange, by: string | undefined, target: TargetFacts): void {
  const { observer, verifiers } = finding
  if (!observer.applies(exchange)) return
  finding.seen += 1
  for (const verifier of verifiers) {
    const mismatch = verifier(exchange, target)
    if (mismatch !== undefined) {
      finding.failure = { mismatch, exchange, by }
      return
    }
  }
}

function resultOf(
  { observer, seen, failure, error }: Finding,
  strict: boolean,
  interrupted: boolean,
): CheckResult {
  const { level } = requirement(observer.requirement)
  const { id, title } = observer
  const common = { id, requirement: observer.requirement, level, title, durationMs: 0, exchanges: [] }
  if (error !== undefined)
    return {
      ...common,
      outcome: 'error',
      reason: error instanceof Error ? String(error.stack) : String(error),
    }
  if (failure !== undefined)
    return {
      ...common,
      ...notHolding(level, failure.mismatch, strict),
      exchanges: [failure.exchange],
      ...(failure.by === undefined ? {} : { seenIn: failure.by }),
    }
  if (interrupted) return { ...common, outcome: 'inconclusive', reason: INTERRUPTED }
  if (seen === 0)
    return { ...common, outcome: 'not-applicable', reason: 'nothing of the kind was seen in this run' }
  return { ...common, outcome: 'pass' }
}
