// Judges a bundle again without a network, and compares the outcome of every check with the recorded one.
import type { ConformanceOptions } from '../contract/settings.ts'
import type { Report } from '../contract/report.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { RunTransport } from '../contract/transport.ts'
import type { Bundle } from './bundle-file.ts'
import { type NotRecorded, replayingTransport } from './replaying-transport.ts'

/** A check whose outcome is another one than the recorded. */
export interface Difference {
  readonly check: string
  readonly recorded: Outcome
  readonly now: Outcome
  readonly why: string
}

export interface Verification {
  readonly report: Report
  /** The number of checks with the recorded outcome. */
  readonly same: number
  readonly differences: readonly Difference[]
  /** Checks that send a request that is not in the bundle, with the first difference. */
  readonly notReplayable: readonly { readonly check: string; readonly why: string }[]
  /** Checks that this version has and the recorded run had not, and the other way round. */
  readonly notInBundle: readonly string[]
  readonly notInJudge: readonly string[]
  /** Checks that only the recorder could judge, because they need a second party. */
  readonly recorderOnly: readonly string[]
  /** Every recorded check has its outcome again. */
  readonly isConfirmed: boolean
}

/** Judges with this transport in place of a network. */
export type JudgeAgain = (options: ConformanceOptions, transport: RunTransport) => Promise<Report>

/** Judges the bundle of a server again. */
export async function verifyBundle(
  { manifest, report, lines }: Bundle,
  judge: JudgeAgain,
): Promise<Verification> {
  const { settings, credentials, startedAt } = manifest
  const replay = replayingTransport(lines, Date.parse(startedAt), Object.values(credentials))
  const again = await judge({ ...settings, credentials, environment: {} }, replay.transport)
  return compared(report, again, replay.missing())
}

/** Compares what was recorded with what is judged now. */
export function compared(recorded: Report, now: Report, missing: readonly NotRecorded[]): Verification {
  const before = new Map(recorded.checks.map((check) => [check.id, check]))
  const after = new Map(now.checks.map((check) => [check.id, check]))
  const missingOf = new Map(missing.toReversed().map(({ check, difference }) => [check, difference]))
  const both = recorded.checks.flatMap((check) => {
    const again = after.get(check.id)
    return again === undefined ? [] : [{ check, again }]
  })
  const differing = both.filter(({ check, again }) => check.outcome !== again.outcome)
  const isMissing = ({ check, again }: (typeof both)[number]): boolean =>
    missingOf.has(check.id) || again.reason?.startsWith('not in the bundle') === true
  const notInJudge = [...before.keys()].filter((id) => !after.has(id))
  return {
    report: now,
    isConfirmed: differing.length === 0 && notInJudge.length === 0,
    recorderOnly: [],
    same: both.length - differing.length,
    differences: differing
      .filter((one) => !isMissing(one))
      .map(({ check, again }) => ({
        check: check.id,
        recorded: check.outcome,
        now: again.outcome,
        why: again.reason ?? `recorded: ${check.reason ?? 'no reason'}`,
      })),
    notReplayable: differing
      .filter(isMissing)
      .map(({ check, again }) => ({ check: check.id, why: missingOf.get(check.id) ?? again.reason ?? '' })),
    notInBundle: [...after.keys()].filter((id) => !before.has(id)),
    notInJudge,
  }
}
