// Compares the outcome of every check with the recorded one, and the target that a report names with the rest of its bundle.
import type { Report } from '../contract/report.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Bundle } from './bundle-file.ts'
import type { NotRecorded } from './replaying-transport.ts'

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

/** A run that was judged again, and the requests that its bundle does not have. */
export interface Replayed {
  readonly report: Report
  readonly missing: readonly NotRecorded[]
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
  const isMissing = ({ check, again }: (typeof both)[number]): boolean =>
    missingOf.has(check.id) || again.reason?.startsWith('not in the bundle') === true
  const replayed = both.filter((one) => !isMissing(one))
  const differing = replayed.filter(({ check, again }) => check.outcome !== again.outcome)
  const notReplayable = both.filter(isMissing)
  const notInJudge = [...before.keys()].filter((id) => !after.has(id))
  return {
    report: now,
    isConfirmed: differing.length + notReplayable.length + notInJudge.length === 0,
    recorderOnly: [],
    same: replayed.length - differing.length,
    differences: differing.map(({ check, again }) => ({
      check: check.id,
      recorded: check.outcome,
      now: again.outcome,
      why: again.reason ?? `recorded: ${check.reason ?? 'no reason'}`,
    })),
    notReplayable: notReplayable.map(({ check, again }) => ({
      check: check.id,
      why: missingOf.get(check.id) ?? again.reason ?? '',
    })),
    notInBundle: [...after.keys()].filter((id) => !before.has(id)),
    notInJudge,
  }
}

/** The first difference between the target that the report names and the others of the bundle, as a part of a line. */
export function otherTarget({ report, manifest, lines }: Bundle, now: Report): string | undefined {
  const { baseUrl, model, profile } = report.target
  const { baseUrl: given, model: givenModel } = manifest.settings
  const addresses = lines.flatMap((line) => {
    if (line.kind === 'program') return [line.baseUrl]
    // Of a request that a client left before its answer the address is not known.
    const isOwn = line.kind === 'exchange' && line.hop !== 'upstream' && line.request.url !== ''
    return isOwn ? [line.request.url] : []
  })
  const address = [...(typeof given === 'string' ? [given] : []), ...addresses].find(
    (other) => originOf(other) !== originOf(baseUrl),
  )
  if (address !== undefined) return `the report names ${baseUrl}, and the run was with ${originOf(address)}`
  const models = [...(typeof givenModel === 'string' ? [givenModel] : []), now.target.model]
  const other = models.find((name) => name !== model)
  if (other !== undefined) return `the report names the model ${model}, and the run was with ${other}`
  return profile === now.target.profile
    ? undefined
    : `the report names the profile ${profile}, and the run was with ${now.target.profile}`
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)
