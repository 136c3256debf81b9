// The behaviour of the service that a finding is about, in one line.
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'
import { isRequirementId, requirement } from '../../../spec/catalogue/requirements.ts'
import { FOREIGN_KEY } from '../../facts/discover-target.ts'
import { plural } from '../labels.ts'
import type { Report, ReportCheck } from '../../contract/report.ts'
import { type Cause, everyRefusalIn } from './causes.ts'
import { KINDS, type FailureKind } from './kinds.ts'

/** The name of a field at the beginning of a title. */
const FIELD = /^`([\w.[\]*]+)`/

/** Fields that are named in one line; the others are counted. */
const NAMED_FIELDS = 6

interface Described {
  readonly cause: Cause | undefined
  readonly kind: FailureKind
  readonly row: string
  readonly outcome: ReportCheck['outcome']
  /** All checks of the finding, also those of other rows. */
  readonly checks: readonly ReportCheck[]
}

/** Notes on the whole run: a wrong profile, the same other status in place of every 400, and the waits that were cut short. */
export function runNotes(report: Report): readonly string[] {
  const { checks, shortenedWaits = [] } = report
  const every = everyRefusalIn(checks)
  const foreign = ofServiceAlone(report)
  return [
    ...(foreign === 0
      ? []
      : [
          `keys here do not begin with \`${KEY_PREFIX}\`: \`--profile wire\` judges the format alone, without ${foreign} of the MUSTs that do not hold`,
        ]),
    ...(every === undefined
      ? []
      : [
          `the service answers ${every.status} for every 400: one cause of ${every.count} checks that do not hold`,
        ]),
    ...shortenedWaits.map(({ name, wholeMs, shortMs, count }) => {
      const times = count === 1 ? 'once' : `${count} times`
      return `the judge waited ${shortMs / 1000} s instead of ${wholeMs / 1000} s for ${name}, ${times}, because earlier ones were slow`
    }),
  ]
}

/** The failed MUSTs of profile `service` alone, if the keys show that the service does not follow it. */
function ofServiceAlone({ target, requirements }: Report): number {
  if (target.profile !== 'service' || !target.facts.some(({ name }) => name === FOREIGN_KEY)) return 0
  const own = requirements.filter(({ level, outcome }) => level === 'MUST' && outcome === 'fail')
  return own.filter(({ id }) => isRequirementId(id) && !requirement(id).profiles.includes('wire')).length
}

/** Describes a finding by its cause, or by the failures of its row. */
export function describe({ cause, kind, row, outcome, checks }: Described): string {
  if (cause?.what !== undefined) return cause.what
  const own = checks.filter((check) => check.requirement === row && check.outcome === outcome)
  const others = checks.filter(({ requirement }) => requirement !== row).length
  const consequence = others === 0 ? '' : `; ${plural(others, 'check')} of other rows for this reason`
  return describeOwn(kind, own) + consequence
}

function describeOwn(kind: FailureKind, checks: readonly ReportCheck[]): string {
  const [first] = checks
  if (kind === 'differs') {
    const said =
      first?.actual === undefined
        ? (first?.reason ?? '')
        : `expected ${first.expected}, received ${first.actual}`
    const more = checks.length === 1 ? '' : ` (and ${plural(checks.length - 1, 'other')})`
    return `${first?.title}${more}: ${said}`
  }
  const title = KINDS.find(({ name }) => name === kind)?.title ?? ''
  const tries = new Set(checks.map(({ title: tried }) => FIELD.exec(tried)?.[1] ?? tried))
  // Names of fields come first, because they are shorter than titles.
  const fields = [...tries].toSorted((one, other) => Number(/ /.test(one)) - Number(/ /.test(other)))
  const named = fields.slice(0, NAMED_FIELDS).join(', ')
  const rest = fields.length - NAMED_FIELDS
  return `${title}: ${named}${rest > 0 ? ` and ${rest} more` : ''}`
}
