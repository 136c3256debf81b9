// Judges the exchanges of one service of a recording: each passes the observers of a live run, and the calls that are joined
// from them pass the checks of clients.
import type { Check } from '../../contract/check.ts'
import { type Observer, watch } from '../../contract/observer.ts'
import { type CheckResult, notApplicable } from '../../contract/result.ts'
import type { Subject } from '../../contract/subject.ts'
import { readAnswer } from '../../exchanges/read-answer.ts'
import { type RecordedExchange, authorizationsOf } from '../../exchanges/recorded-exchange.ts'
import { createTokenMeter } from '../../exchanges/token-meter.ts'
import { type Exchange, header, isCut, requestJson } from '../../../harness/http/exchange.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import { at } from '../../../harness/json-value.ts'
import type { Profile } from '../../../harness/target-facts.ts'
import { requirement } from '../../../spec/catalogue/requirements.ts'

/** The checks of clients that look at recorded calls. */
export interface RecordedCalls {
  readonly checks: readonly Check[]
  judge(
    wanted: (check: Check) => boolean,
    strict: boolean,
  ): { add(exchange: RecordedExchange, place: string): void; results(): readonly CheckResult[] }
}

/** The checks that a recording is judged by: those of servers at each exchange, and those of clients at each call. */
export interface JudgedSides {
  readonly server: Pick<Subject, 'rows'> & { readonly catalogue: { readonly observers: readonly Observer[] } }
  readonly client: Pick<Subject, 'rows'> & { readonly recordedCalls: RecordedCalls }
}

interface ServiceOptions {
  readonly baseUrl: string
  readonly profile: Profile
  readonly strict: boolean
  readonly observers: readonly Observer[]
  readonly recordedCalls: RecordedCalls
  wanted(check: Check): boolean
}

/** The most models that a report names. */
const MOST_MODELS = 20

const isChat = ({ request }: RecordedExchange): boolean =>
  request.method === 'POST' && request.path === '/v1/chat/completions'

/** The observer does not look at an answer for a header that was perhaps not recorded. */
function ofKnownHeaders(observer: Observer): Observer {
  const { about } = requirement(observer.requirement)
  if (about === undefined) return observer
  if (about === 'key')
    return {
      ...observer,
      applies: (exchange) => exchange.areSentHeadersUnknown !== true && observer.applies(exchange),
    }
  const isKnown = (exchange: Exchange): boolean =>
    exchange.areHeadersUnknown !== true ||
    (about === 'content type' && header(exchange, 'content-type') !== undefined)
  return { ...observer, applies: (exchange) => isKnown(exchange) && observer.applies(exchange) }
}

export type ServiceJudge = ReturnType<typeof createServiceJudge>

/** Makes the judge of one service. Its exchanges have the paths of a live run (`underService`). */
export function createServiceJudge(options: ServiceOptions) {
  const { baseUrl, profile, strict, observers, recordedCalls, wanted } = options
  let facts = { baseUrl, profile, model: '' }
  let isKeyed = false
  const counts = { exchanges: 0, unanswered: 0, completions: 0 }
  const models = new Set<string>()
  const meter = createTokenMeter()
  const watched = watch(observers.filter(wanted).map(ofKnownHeaders), () => facts, { strict, profile })
  const calls = recordedCalls.judge(wanted, strict)

  return {
    baseUrl,
    counts,
    models,
    tokens: meter.count,
    /** Judges an exchange; `place` is its place in the recording. */
    see(recorded: RecordedExchange, place: string): void {
      const { response, error, ...rest } = recorded
      counts.exchanges += 1
      isKeyed ||= authorizationsOf(recorded).length > 0
      const model = at(requestJson(recorded.request), 'model')
      if (typeof model === 'string') {
        facts = { ...facts, model }
        if (models.size < MOST_MODELS) models.add(model)
      }
      if (response === null) {
        counts.unanswered += 1
        if (error !== undefined) watched.seeBroken(new TransportError(error, recorded.request), place)
      } else {
        const exchange: Exchange = { ...rest, response }
        if (isChat(recorded) && isReadable(exchange)) counts.completions += 1
        watched.see(exchange, place)
        meter.see(exchange)
      }
      // How long a client has to wait is in a header.
      const isWaitUnknown = recorded.areHeadersUnknown === true && (response?.status ?? 0) >= 400
      const isCallUnknown = recorded.areSentHeadersUnknown === true || isWaitUnknown
      if (isChat(recorded) && !isCallUnknown) calls.add(recorded, place)
    },
    /** Returns a result for each wanted check, in the same order for each service. */
    results: (): readonly CheckResult[] =>
      [...watched.results().map(placed), ...calls.results()].map((result) =>
        !isKeyed && requirement(result.requirement).about === 'key'
          ? notApplicable(result, 'the recording has no `Authorization` header')
          : result,
      ),
  }
}

/** Whether an answer to a request for a completion is one that can be judged. */
function isReadable(exchange: Exchange): boolean {
  const isThere = exchange.response.status === 200 && exchange.isBodyUnknown !== true && !isCut(exchange)
  return isThere && readAnswer(exchange).kind !== 'unreadable'
}

/** The result of an observer, which calls the place of its evidence a check. */
function placed({ observedIn, ...result }: CheckResult): CheckResult {
  return observedIn === undefined ? result : { ...result, place: observedIn }
}
