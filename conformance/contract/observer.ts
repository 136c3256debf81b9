// Applies observers to each exchange of a run as it passes, so that none has to be kept.
import type { Observer } from '../subjects/server/case.ts'
import { type Exchange, type SentRequest, isCut } from '../../harness/http/exchange.ts'
import { type CheckEnd, type CheckResult, endOf, headOf, judgeEnd } from './result.ts'
import { CheckFailure, Inconclusive, NotApplicable } from './outcome.ts'
import { INTERRUPTED } from '../subjects/server/run/run-cases.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import type { Verifier } from '../../harness/verify/verify.ts'

interface Finding {
  readonly observer: Observer
  readonly verifiers: readonly Verifier[]
  /** An exchange applied to the observer. */
  isUsed: boolean
  /** The first failure, or error of the suite. */
  end?: CheckEnd
  by?: string | undefined
}

/** Watches the exchanges of a run under `/v1`; the first that fails a verifier is the evidence. */
export function watch(
  observers: readonly Observer[],
  target: () => TargetFacts,
  { strict }: { readonly strict: boolean },
) {
  const findings: Finding[] = observers.map((observer) => {
    const { verifiers } = observer
    return { observer, verifiers: typeof verifiers === 'function' ? verifiers() : verifiers, isUsed: false }
  })
  return {
    /** `by` is the id of the check that sent the request. */
    see(exchange: Exchange, by?: string): void {
      // The missing part of a cut answer could have changed the result.
      if (isCut(exchange)) return
      if (!isApi(exchange.request)) return
      for (const finding of findings) {
        if (finding.end !== undefined) continue
        const end = endOf(() => verify(finding, exchange, target()))
        if ('thrown' in end) Object.assign(finding, { end, by })
      }
    },
    /** The connection of a request broke twice before an answer. */
    seeBroken(error: TransportError, by?: string): void {
      if (!isApi(error.request)) return
      for (const finding of findings) {
        if (finding.observer.includesBroken !== true || finding.end !== undefined) continue
        Object.assign(finding, { end: { thrown: error }, by })
      }
    },
    /** Returns one result for each observer. After an interrupted run, only a failure is certain. */
    results: (interrupted = false): readonly CheckResult[] =>
      findings.map((finding) => resultOf(finding, strict, interrupted)),
  }
}

function isApi({ path }: SentRequest): boolean {
  return /^\/v1($|[/?#])/.test(path)
}

/** Throws if the exchange applies to the observer and fails one of its verifiers. */
function verify(finding: Finding, exchange: Exchange, target: TargetFacts): void {
  if (!finding.observer.applies(exchange)) return
  finding.isUsed = true
  for (const verifier of finding.verifiers) {
    const mismatch = verifier(exchange, target)
    if (mismatch !== undefined) throw new CheckFailure(mismatch, exchange)
  }
}

function resultOf(
  { observer, isUsed, end, by }: Finding,
  strict: boolean,
  interrupted: boolean,
): CheckResult {
  const head = headOf(observer)
  return {
    ...head,
    durationMs: 0,
    exchanges: [],
    ...judgeEnd(end ?? endWithoutFailure(isUsed, interrupted), head, { strict }),
    ...(by === undefined ? {} : { observedIn: by }),
  }
}

function endWithoutFailure(isUsed: boolean, interrupted: boolean): CheckEnd {
  if (interrupted) return { thrown: new Inconclusive(INTERRUPTED) }
  return isUsed ? {} : { thrown: new NotApplicable('nothing of the kind was seen in this run') }
}
