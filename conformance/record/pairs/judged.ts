// A verdict on one run of a use, or the reason why there is none.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import type { CheckResult } from '../../contract/result.ts'
import type { Used } from '../results/pair-entry.ts'

/** The verdict, and the exchange that shows it, if there is one. */
export interface Judged extends Pick<Used, 'verdict' | 'side' | 'requirement' | 'text'> {
  readonly shown?: RecordedExchange | undefined
}

/** The use did not come about, for a reason that another try may change. */
export interface NotShown {
  readonly reason: string
  /** The server took a request that it should refuse: the proxy can refuse it in its place. */
  readonly isAccepted?: true
  readonly shown?: RecordedExchange | undefined
}

/** The results of the checks of each side that only look at exchanges; their place is the index of the exchange. */
export interface Passive {
  readonly server: readonly CheckResult[]
  readonly client: readonly CheckResult[]
}

export function fails(
  side: 'client' | 'server',
  requirement: RequirementId | undefined,
  text: string,
  shown?: RecordedExchange,
): Judged {
  return { verdict: 'fails', side, ...(requirement === undefined ? {} : { requirement }), text, shown }
}
