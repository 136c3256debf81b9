// The list of subjects, and the only place that knows all of them. Each is loaded when it is needed, so that a mistyped
// flag is reported at once. Subjects do not import each other: a gateway before a real service, and a recording, are
// judged by the checks of servers and clients, which they get here.
import type { Redactor } from '../../harness/secrets/redact.ts'
import type { Subject } from '../contract/subject.ts'
import type { PairOptions } from './client/pair/judge-pair.ts'
import type { PairToTry } from './client/pair/try-uses.ts'
import { pairListing, recordingListing } from './listing.ts'

export type { CaseHead, Catalogue, Selection } from './server/selection.ts'
export type { ClientConformanceOptions, ClientRunControl, ExpectedClientRun } from './client/settings.ts'
export type { PairServer, TriedUse } from './client/pair/try-uses.ts'
export type { GatewayControl } from './gateway/judge.ts'

export const loadServer = async () => (await import('./server/subject.ts')).server
export const loadClient = async () => (await import('./client/subject.ts')).client

export async function loadGateway() {
  const [{ gateway }, server] = await Promise.all([import('./gateway/subject.ts'), loadServer()])
  type Through = Parameters<typeof gateway.judgeThrough>
  return {
    ...gateway,
    judgeThrough: (options: Through[0], redactor: Redactor) =>
      gateway.judgeThrough(options, server, redactor),
  }
}

export async function loadRecording() {
  const [{ judgeRecordings }, { judgeExchanges }, { recordedObservers }, server, client] = await Promise.all([
    import('./recording/judge.ts'),
    import('./recording/judge-exchanges.ts'),
    import('./recording/recorded-observers.ts'),
    loadServer(),
    loadClient(),
  ])
  type Options = Parameters<typeof judgeRecordings>[0]
  type Exchanges = Parameters<typeof judgeExchanges>
  return {
    ...recordingListing([...recordedObservers, ...client.recordedCalls.own]),
    judge: (options: Options, redactor: Redactor) => judgeRecordings(options, { server, client }, redactor),
    judgeExchanges: (exchanges: Exchanges[0], options: Exchanges[1]) =>
      judgeExchanges(exchanges, options, { server, client }),
  }
}

/** A client with a server: both are also judged by the checks that only look at exchanges. */
export async function loadPair() {
  const [{ useChecks, uses }, { tryUses }, { firstModel, judgePair, serverAt }, { judgeExchanges }] =
    await Promise.all([
      import('./client/pair/uses.ts'),
      import('./client/pair/try-uses.ts'),
      import('./client/pair/judge-pair.ts'),
      loadRecording(),
    ])
  return {
    ...pairListing(useChecks),
    uses,
    tryUses: (selected: typeof uses, pair: Omit<PairToTry, 'judgeExchanges'>) =>
      tryUses(selected, { ...pair, judgeExchanges }),
    judge: (options: PairOptions, redactor: Redactor) => judgePair(options, redactor, judgeExchanges),
    firstModel,
    serverAt,
  }
}

/** The subjects that have checks of their own in the catalogue, in reading order. */
export function loadSubjects(): Promise<readonly Subject[]> {
  return Promise.all([loadServer(), loadClient(), loadGateway(), loadRecording(), loadPair()])
}
