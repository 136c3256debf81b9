// Makes the entry of a pair from the uses that were tried: a verdict is a name for the outcome of a check.
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { TriedUse } from '../../subjects/index.ts'
import { thisPlatform } from '../results/add-entry.ts'
import { PAIR_SCHEMA, type Pair, type UseId, type Used, type Verdict } from '../results/pair-entry.ts'
import type { createEvidence } from './evidence.ts'

const VERDICT_OF: Readonly<Record<Exclude<Outcome, 'error'>, Verdict>> = {
  pass: 'works',
  warn: 'works-with-a-defect',
  fail: 'fails',
  'not-applicable': 'not-offered',
  inconclusive: 'not-tried',
}

export interface PairToMake extends Pick<Pair, 'client' | 'server' | 'judge' | 'seconds'> {
  /** The uses of the pair in reading order, tried or not. */
  readonly uses: readonly UseId[]
  readonly tried: readonly TriedUse[]
  /** The page of the client's documentation for each use that it does not offer. */
  readonly notOffered: Readonly<Partial<Record<string, string>>>
  readonly evidence: ReturnType<typeof createEvidence>
  /** The command that repeats a use, or all of them. */
  readonly repeat: (use?: UseId) => string
  /** The commands before it, which install the client. */
  readonly before: readonly string[]
  readonly now: Date
}

export function makePair(made: PairToMake): Pair {
  const { client, server, judge, seconds, uses, tried, notOffered, evidence, repeat, before, now } = made
  for (const { runs } of tried) for (const { exchanges } of runs) evidence.add(exchanges)
  const { digest, summaryOf } = evidence.close()
  const usedOf = (id: UseId): Used => {
    const [found, documentation] = [tried.find((one) => one.id === id), notOffered[id]]
    if (found === undefined)
      return {
        verdict: 'not-offered',
        side: 'client',
        text: 'The documentation of the client shows that it does not offer it.',
        ...(documentation === undefined ? {} : { documentation }),
        repeat: repeat(id),
      }
    const { result, side, row, text, shown, isScripted } = found
    const { outcome } = result
    if (outcome === 'error') throw new Error(`${result.id}: ${result.reason}`)
    return {
      verdict: VERDICT_OF[outcome],
      ...(side === undefined ? {} : { side }),
      ...(row === undefined ? {} : { requirement: row }),
      text,
      ...(shown === undefined ? {} : { exchange: summaryOf(shown) }),
      ...(isScripted ? { fromProxy: true as const } : {}),
      repeat: repeat(id),
    }
  }
  return {
    schema: PAIR_SCHEMA,
    catalogue: CATALOGUE_VERSION,
    client,
    server,
    date: now.toISOString().slice(0, 10),
    judge,
    platform: thisPlatform(),
    reproduce: [...before, repeat()],
    evidence: digest,
    seconds,
    uses: Object.fromEntries(uses.map((id) => [id, usedOf(id)])),
  }
}
