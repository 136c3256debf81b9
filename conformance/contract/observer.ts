// Observers: checks that send nothing, and are applied to each exchange of a run as it passes, so that none has to be kept.
import { type Exchange, type SentRequest, headerValues, isCut } from '../../harness/http/exchange.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import type { Verifier } from '../../harness/verify/verify.ts'
import type { RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Check } from './check.ts'
import { CheckFailure, Inconclusive, NotApplicable } from './outcome.ts'
import { type CheckResult, type JudgeOptions, createResults, endOf } from './result.ts'

/**
 * A check that sends nothing itself: it applies to exchanges of the run under `/v1`, so that a rule like "every failed
 * request has the envelope" is judged on all of them. Not applicable if there was no such exchange.
 */
export interface Observer extends Check {
  /** True if a request that breaks its connection each time, or ended the service, fails it, too. */
  readonly includesBroken?: boolean
  /** True if it judges the end of answers, so that it also applies to answers that are cut. */
  readonly includesCut?: boolean
  /** It looks at the request, the status and the headers alone: an answer whose body was not recorded shows them, too. */
  readonly ofHead?: boolean
  applies(exchange: Exchange): boolean
  /** The verifiers of each exchange; a function if they depend on other exchanges of the run. */
  readonly verifiers: readonly Verifier[] | (() => readonly Verifier[])
}

/** Defines an observer: `observe('errors.every-type', 'ERR-2', 'every type').on(failed).verify(typeOfStatus)`. */
export function observe(id: string, requirement: RequirementId, title: string) {
  const withOptions = (options: Pick<Observer, 'level' | 'includesBroken' | 'includesCut' | 'ofHead'>) => ({
    on(applies: Observer['applies']) {
      const observer = { id, requirement, title, applies, ...options }
      return {
        verify: (...verifiers: readonly Verifier[]): Observer => ({ ...observer, verifiers }),
        /** Defines it by a verifier that compares the exchanges of a run: each run makes its own. */
        compare: (make: () => Verifier): Observer => ({ ...observer, verifiers: () => [make()] }),
      }
    },
  })
  return { ...withOptions({}), with: withOptions }
}

/**
 * Watches the exchanges of a run under `/v1`; the first that fails a verifier is the evidence. The unasked observers, which the
 * run does not select, have a result only if a request broke its connection.
 */
export function watch(
  observers: readonly Observer[],
  target: () => TargetFacts,
  options: Pick<JudgeOptions, 'strict' | 'profile'>,
  unasked: readonly Observer[] = [],
) {
  const watching = observers.map((observer) => {
    const { verifiers } = observer
    return { observer, verifiers: typeof verifiers === 'function' ? verifiers() : verifiers }
  })
  const book = createResults(options)
  const seenIn = (by: string | undefined) => () => (by === undefined ? {} : { observedIn: by })
  return {
    /** `by` is the id of the check that sent the request. */
    see(exchange: Exchange, by?: string): void {
      if (!isApi(exchange.request)) return
      const facts = target()
      const isPartial = isCut(exchange)
      for (const { observer, verifiers } of watching) {
        if (book.hasFailed(observer)) continue
        // The missing part of a cut answer could have changed the result.
        if (isPartial && observer.includesCut !== true) continue
        if (exchange.isBodyUnknown === true && observer.ofHead !== true) continue
        let applies = true
        const end = endOf(() => {
          applies = observer.applies(exchange)
          if (applies) verify(verifiers, exchange, facts)
        })
        if (applies) book.add(observer, end, seenIn(by))
      }
    },
    /** A request breaks its connection each time, or ended the service; or a reason why that request is not known. */
    seeBroken(cause: TransportError | Inconclusive, by?: string): void {
      if ('request' in cause && !isApi(cause.request)) return
      for (const observer of [...observers, ...unasked])
        if (observer.includesBroken === true) book.add(observer, { thrown: cause }, seenIn(by))
    },
    /**
     * Returns one result for each observer. After a run that ended early for a reason, only a failure is certain; if the reason
     * is its time, all that was seen is judged, and the reason stands if nothing was.
     */
    results: (endedBy?: string, { isTimeOver = false } = {}): readonly CheckResult[] =>
      [...observers, ...unasked.filter(book.hasFailed)].map((observer) => {
        const unseen =
          endedBy === undefined
            ? new NotApplicable('nothing of the kind was seen in this run')
            : new Inconclusive(endedBy)
        if (endedBy === undefined || isTimeOver || book.hasFailed(observer))
          return book.of(observer, { thrown: unseen })
        return createResults(options).of(observer, { thrown: unseen })
      }),
  }
}

function isApi(request: SentRequest): boolean {
  return /^\/v1($|[/?#])/.test(request.path) && !isPreflight(request)
}

/** Whether a browser sent this request by itself before one of a page: an edge answers it, and not the service. */
export function isPreflight({ method, headers }: SentRequest): boolean {
  return method === 'OPTIONS' && headerValues(headers, 'access-control-request-method').length > 0
}

/** Throws if the exchange fails one of the verifiers. */
function verify(verifiers: readonly Verifier[], exchange: Exchange, target: TargetFacts): void {
  for (const verifier of verifiers) {
    const mismatch = verifier(exchange, target)
    if (mismatch !== undefined) throw new CheckFailure(mismatch, exchange)
  }
}
