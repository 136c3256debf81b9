// Labels that all forms of a report share: sections of the catalogue, counts, and how much was judged.
import { isRequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import { TIERS, type Tier } from '../../spec/catalogue/section.ts'
import type { Report } from '../contract/report.ts'
import { type TierCounts, tierCounts } from '../contract/verdict.ts'

/** The sections of the catalogue, in reading order, by the prefix of their ids. */
const SECTIONS = [
  { prefix: 'AUTH', name: 'Authentication' },
  { prefix: 'KEY', name: 'Keys' },
  { prefix: 'MODEL', name: 'Models' },
  { prefix: 'CHAT', name: 'Chat' },
  { prefix: 'ERR', name: 'Errors' },
  { prefix: 'LIMIT', name: 'Limits' },
  { prefix: 'RETRY', name: 'Retries' },
  { prefix: 'CALL', name: 'What a client sends' },
  { prefix: 'READ', name: 'How a client reads' },
  { prefix: 'VERS', name: 'Versioning' },
  { prefix: 'WIRE', name: 'Wire format' },
  { prefix: 'STREAM', name: 'Streaming' },
  { prefix: 'TOOL', name: 'Tool calls' },
  { prefix: 'PARSE', name: 'Engines' },
  { prefix: 'SDK', name: 'Client libraries' },
  { prefix: 'GATE', name: 'Gateways' },
] as const

/** The subject of a report: an address, or the program that calls one. */
export function subjectOf({ subject, target }: Pick<Report, 'subject' | 'target'>): string {
  if (subject === undefined) return target.baseUrl
  if (subject === 'recording') return `recording of ${target.baseUrl}`
  if (subject === 'gateway') return `gateway ${target.baseUrl}`
  if (subject === 'pair') return `${target.command?.join(' ')} with ${target.baseUrl}`
  return target.command === undefined ? `clients of ${target.baseUrl}` : target.command.join(' ')
}

export function judgedAs({ subject, target }: Pick<Report, 'subject' | 'target'>): string {
  if (subject === 'client') return 'a client of the service'
  if (subject === 'gateway') return 'a gateway before a service'
  if (subject === 'pair') return 'a client with a service'
  const profile = `profile ${target.profile}, ${target.profile === 'service' ? 'the whole specification' : 'the chat completions format alone'}`
  return subject === undefined ? profile : `a recording, ${profile}`
}

export function sectionOf(id: string): string {
  const [prefix] = id.split('-')
  return SECTIONS.find((section) => section.prefix === prefix)?.name ?? 'Other'
}

/** The rows of each section, in reading order; empty sections are left out. */
export function bySection<Row extends { readonly id: string }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, ({ id }) => sectionOf(id))
  return SECTIONS.flatMap(({ prefix, name }) => {
    const own = groups.get(name)
    return own === undefined ? [] : [{ prefix, name, rows: own }]
  })
}

/** The text of a requirement; empty if this version does not know it. */
export function textOf(id: string): string {
  return isRequirementId(id) ? requirement(id).text : ''
}

/** The members of an error that only profile `service` requires. */
const OF_SERVICE_ERRORS = /\b(?:type|code) (?:and code )?`/

/** The source of a requirement, and how much of it a profile demands. */
export function sourceOf(id: string, profile?: string): string {
  if (!isRequirementId(id)) return ''
  const { source, text, isOfThisService } = requirement(id)
  if (source === 'wire') return 'the wire format'
  if (source === 'gateways') return 'beyond the specification: what a gateway must not change'
  if (isOfThisService)
    return `${source}; these rows are this service's rules, which other services may not have`
  const isPart = profile === 'wire' && OF_SERVICE_ERRORS.test(text)
  return isPart ? `${source}; profile wire demands only the status and an error with a message` : source
}

/** `3 checks` of a requirement, or `2 of 3 checks` if the others have another outcome than the requirement. */
export function tally(outcome: string, checks: readonly Report['checks'][number][]): string {
  const same = checks.filter((check) => check.outcome === outcome).length
  const all = plural(checks.length, 'check')
  return same === checks.length ? all : `${same} of ${all}`
}

/** `1 holds, 2 do not`, or `1 holds, 2 do not, 3 are known failures of the baseline`. */
export function holdAndNot({ hold, failed, known }: ReturnType<typeof judgedRows>): string {
  const others = failed - known
  const counts = `${hold} ${hold === 1 ? 'holds' : 'hold'}, ${others} ${others === 1 ? 'does' : 'do'} not`
  if (known === 0) return counts
  return `${counts}, ${known === 1 ? '1 is a known failure' : `${known} are known failures`} of the baseline`
}

/** `Interop 41 of 43 · Strict 5 of 12`: the rows of each tier that hold, of those that were judged; empty without such rows. */
export function tierLine(rows: Parameters<typeof tierCounts>[0]): string {
  const counts = tierCounts(rows)
  return counts === undefined ? '' : lineOf(counts)
}

export function lineOf(counts: TierCounts): string {
  const judged = TIERS.filter((tier) => counts[tier].judged > 0)
  return judged.map((tier) => `${TIER_NAMES[tier]} ${holdOf(counts[tier])}`).join(' · ')
}

export const TIER_NAMES: Readonly<Record<Tier, string>> = { interop: 'Interop', strict: 'Strict' }

/** `41 of 43`. */
export function holdOf({ hold, judged }: TierCounts[Tier]): string {
  return `${hold} of ${judged}`
}

/** The heading of the checks that are not applicable and not in the baseline. */
export const NO_LONGER_OFFERED = 'No longer offered: not applicable, and not in the baseline'

/** Reasons against the verdict `pass` that are not checks. */
export function verdictNotes({
  endedEarly,
  staleBaseline,
  missingCapabilities,
  unknownCapabilities = [],
}: Report): readonly string[] {
  return [
    ...(endedEarly === undefined ? [] : [`the run ended early: ${endedEarly}`]),
    ...staleBaseline.map((id) => `${id} passes now: remove it from the baseline`),
    ...missingCapabilities.map((name) => `${name} is required and not offered`),
    ...unknownCapabilities.map((name) => `${name} is required and could not be asked about`),
  ]
}

/** Text for a cell of a Markdown table: a bar would end the cell. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').trim()
}

/** `1 check`, `2 checks`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}

/** Returns up to three checks by name, and the number of the others. */
export function listed(checks: readonly string[]): string {
  const more = checks.length - 3
  const named = checks.slice(0, 3).map((id) => `\`${id}\``)
  return `${named.join(', ')}${more > 0 ? ` and ${plural(more, 'other')}` : ''}`
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/**
 * Counts the applicable MUST rows that were judged, for example `70 of 73 MUST judged`; if no MUST was selected,
 * it counts the selected rows. `open` are those that apply and were not judged, and `known` the failed rows of which the
 * baseline expects every failure.
 */
export function judgedRows({
  requirements,
  coverage,
  checks,
}: Pick<Report, 'requirements' | 'coverage' | 'checks'>) {
  const own = Map.groupBy(checks, ({ requirement: row }) => row)
  const isKnown = ({ id, outcome }: Report['requirements'][number]): boolean => {
    const broken = (own.get(id) ?? []).filter((check) => check.outcome === outcome)
    return broken.length > 0 && broken.every(({ baseline }) => baseline !== undefined)
  }
  const count = (rows: Report['requirements'], ...outcomes: readonly string[]): number =>
    rows.filter(({ outcome }) => outcomes.includes(outcome)).length
  const musts = requirements.filter(({ level }) => level === 'MUST')
  if (musts.length > 0) {
    const failed = count(musts, 'fail')
    const what = `${coverage.judged} of ${coverage.applicable} MUST judged`
    const known = musts.filter((row) => row.outcome === 'fail' && isKnown(row)).length
    return {
      what,
      hold: coverage.judged - failed,
      failed,
      known,
      open: coverage.applicable - coverage.judged,
    }
  }
  const [hold, failed] = [count(requirements, 'pass'), count(requirements, 'warn', 'fail')]
  const what = `no MUST selected, ${hold + failed} of ${plural(requirements.length, 'other row')} judged`
  const known = requirements.filter(
    (row) => (row.outcome === 'warn' || row.outcome === 'fail') && isKnown(row),
  ).length
  return { what, hold, failed, known, open: count(requirements, 'inconclusive') }
}

/** The id of a check with its outcome. */
export const withOutcome = ({ id, outcome }: { readonly id: string; readonly outcome: string }): string =>
  `${id} (${outcome})`
