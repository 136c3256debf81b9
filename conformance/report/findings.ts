// The failed checks of a report, those of one cause together, the worst first.
import { at, parseJson } from '../../harness/verify/json-value.ts'
import { plural } from './labels.ts'
import type { Report, ReportCheck } from '../contract/report.ts'

/** How a failure meets the users of a service, the worst first. */
const KINDS = [
  { name: 'breaks', title: 'fails on requests that it should answer or refuse' },
  { name: 'refuses', title: 'refuses valid requests' },
  { name: 'differs', title: 'answers otherwise than it should' },
  { name: 'accepts', title: 'answers requests that it should refuse' },
  { name: 'misnames', title: 'refuses with another status or error than it should' },
] as const
type Kind = (typeof KINDS)[number]['name']

/** The name of a field at the beginning of a title. */
const FIELD = /^`([\w.[\]*]+)`/

/** The row that demands a stream that can be read. */
const STREAM_ROW = 'STREAM-1'

/** Fields that are named in one line; the others are counted. */
const NAMED_FIELDS = 6

/**
 * The findings of a report, failed checks that one change is likely to fix: for each requirement one of each kind; errors of the suite last. If streams are broken as such
 * (STREAM-1), what fails because of that belongs to the finding of STREAM-1.
 */
export function findingsOf({ checks }: Pick<Report, 'checks'>) {
  const cause = checks.find(({ requirement, outcome }) => requirement === STREAM_ROW && outcome === 'fail')
  const failed = checks.flatMap((check) => {
    const { outcome } = check
    if (outcome !== 'error' && outcome !== 'fail' && outcome !== 'warn') return []
    if (cause === undefined || outcome === 'error' || !needsStreams(check))
      return [{ check, row: check.requirement, outcome, kind: kindOf(check) }]
    return [{ check, row: STREAM_ROW, outcome: 'fail' as const, kind: kindOf(cause) }]
  })
  const groups = Map.groupBy(failed, ({ row, outcome, kind }) => `${outcome} ${row} ${kind}`)
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group
      return first === undefined ? [] : [{ ...first, checks: group.map(({ check }) => check) }]
    })
    .toSorted((one, other) => rank(one) - rank(other) || other.checks.length - one.checks.length)
    .map(({ check, row, outcome, kind, checks: own }) => ({
      requirement: row,
      level: own.find(({ requirement }) => requirement === row)?.level ?? check.level,
      outcome,
      /** The behaviour of the service, in one line. */
      what: describe(kind, row, own),
      checks: own,
    }))
}

/** The check fails because no stream can be read: a library reads them, or its last answer to `stream: true` has no chunk. */
function needsStreams({ requirement, exchanges }: ReportCheck): boolean {
  if (requirement === STREAM_ROW || requirement.startsWith('SDK-')) return true
  const { request, response } = exchanges.at(-1) ?? {}
  const isStream = at(parseJson(request?.body ?? ''), 'stream') === true
  return isStream && typeof response?.body === 'string' && !/^data: ?\{/m.test(response.body)
}

function rank({ outcome, kind }: { readonly outcome: keyof typeof WEIGHTS; readonly kind: Kind }): number {
  const weight = WEIGHTS[outcome]
  return weight * KINDS.length + KINDS.findIndex(({ name }) => name === kind)
}

const WEIGHTS = { fail: 0, warn: 1, error: 2 } as const

/** The status in a description such as `status 400 (n: 0)`. */
function statusIn(text: string | undefined): number | undefined {
  const [, status] = /^(?:a )?status (\d{3})/.exec(text ?? '') ?? []
  return status === undefined ? undefined : Number(status)
}

function kindOf({ expected, actual, outcome }: ReportCheck): Kind {
  const [due, got] = [statusIn(expected), statusIn(actual)]
  if (outcome !== 'error' && got === undefined && /^an answer$/.test(expected ?? '')) return 'breaks'
  if (outcome === 'error' || got === undefined) return 'differs'
  if (got >= 500) return 'breaks'
  const isRefusalDue = due === undefined ? expected?.startsWith('a success') !== true : due >= 400
  if (got < 400) return isRefusalDue ? 'accepts' : 'differs'
  return isRefusalDue ? 'misnames' : 'refuses'
}

function describe(kind: Kind, row: string, all: readonly ReportCheck[]): string {
  const checks = all.filter(({ requirement }) => requirement === row)
  const others = all.length - checks.length
  const consequence = others === 0 ? '' : `; ${plural(others, 'check')} of other rows for this reason`
  return describeOwn(kind, checks) + consequence
}

function describeOwn(kind: Kind, checks: readonly ReportCheck[]): string {
  const [first] = checks
  if (kind === 'differs') {
    const said =
      first?.actual === undefined ? (first?.reason ?? '') : `${first.expected}; came: ${first.actual}`
    const more = checks.length === 1 ? '' : ` (and ${plural(checks.length - 1, 'other')})`
    return `${first?.title}${more}: ${said}`
  }
  const title = KINDS.find(({ name }) => name === kind)?.title ?? ''
  const tries = new Set(checks.map(({ title: tried }) => FIELD.exec(tried)?.[1] ?? tried))
  // Names of fields say more in less room.
  const fields = [...tries].toSorted((one, other) => Number(/ /.test(one)) - Number(/ /.test(other)))
  const named = fields.slice(0, NAMED_FIELDS).join(', ')
  const rest = fields.length - NAMED_FIELDS
  return `${title}: ${named}${rest > 0 ? ` and ${rest} more` : ''}`
}
