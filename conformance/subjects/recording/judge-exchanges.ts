// Judges exchanges that are in memory, of one service, by the checks that only look at them.
import type { CheckResult } from '../../contract/result.ts'
import { selector } from '../../contract/selection.ts'
import type { RecordedSubject } from '../../contract/settings.ts'
import type { Profile } from '../../../harness/target-facts.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import { type JudgedSides, createServiceJudge } from './judge-service.ts'
import { recordedObservers } from './recorded-observers.ts'

export interface ExchangesOptions {
  readonly baseUrl: string
  readonly profile: Profile
  /** The side that is judged. */
  readonly subject: RecordedSubject
}

/** The results of the checks of one side. The place of a result is the index of the exchange that shows it. */
export function judgeExchanges(
  exchanges: readonly RecordedExchange[],
  { baseUrl, profile, subject }: ExchangesOptions,
  { server, client }: JudgedSides,
): readonly CheckResult[] {
  const rows = subject === 'server' ? server.rows(profile) : client.rows('service')
  const wanted = selector({ rows })
  const judge = createServiceJudge({
    baseUrl,
    profile,
    strict: false,
    observers: [...recordedObservers, ...server.catalogue.observers],
    recordedCalls: client.recordedCalls,
    wanted,
  })
  exchanges.forEach((exchange, place) => judge.see(exchange, String(place)))
  return judge.results()
}
