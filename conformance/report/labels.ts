// The labels that every report shares: the sections of the catalogue and their names, and what was judged of it.
import type { Report } from './schema.ts'

/** The sections of the catalogue, in reading order, by the prefix of their ids. */
export const SECTIONS = [
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
  { prefix: 'SDK', name: 'Client libraries' },
] as const

/** The name of the section that a requirement belongs to. */
export function sectionOf(id: string): string {
  const [prefix] = id.split('-')
  return SECTIONS.find((section) => section.prefix === prefix)?.name ?? 'Other'
}

/** `1 check`, `2 checks`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}

/** The text as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

export interface JudgedRows {
  /** `70 of 73 MUST judged`, or the same of the other rows where no MUST was selected. */
  readonly what: string
  readonly hold: number
  readonly failed: number
  /** Rows that apply and were not judged. */
  readonly open: number
}

/** What was judged of the MUST rows that apply; of a selection without any, what was judged of the rows it has. */
export function judgedRows({
  requirements,
  coverage,
}: Pick<Report, 'requirements' | 'coverage'>): JudgedRows {
  const count = (rows: Report['requirements'], ...outcomes: readonly string[]): number =>
    rows.filter(({ outcome }) => outcomes.includes(outcome)).length
  const musts = requirements.filter(({ level }) => level === 'MUST')
  if (musts.length > 0) {
    const failed = count(musts, 'fail')
    const what = `${coverage.judged} of ${coverage.applicable} MUST judged`
    return { what, hold: coverage.judged - failed, failed, open: coverage.applicable - coverage.judged }
  }
  const [hold, failed] = [count(requirements, 'pass'), count(requirements, 'warn', 'fail')]
  const what = `no MUST selected, ${hold + failed} of ${plural(requirements.length, 'other row')} judged`
  return { what, hold, failed, open: count(requirements, 'inconclusive') }
}
