// Counts the outcomes of all requests while parts of a cluster were killed, by client and by time, as Markdown.
import type { Exchange } from './traffic.fixture.ts'

/** An outage lasts from a kill to the recovery. Times are of `performance.now()`. */
export interface Outage {
  readonly what: string
  readonly from: number
  readonly to: number
}

export interface Fire {
  /** The exchanges of each kind of client. */
  readonly exchanges: Readonly<Record<string, readonly Exchange[]>>
  /** Requests of one limited key that were admitted up to each point. */
  readonly admittedBy: Readonly<Record<string, number>>
  readonly limit: number
  readonly outages: readonly Outage[]
  /** The pause between a kill and the restart, in milliseconds. */
  readonly downMs: number
}

const COLUMNS = ['200', '401', '429', '503', 'cut', 'broken'] as const

export function fireReport({ exchanges, admittedBy, limit, outages, downMs }: Fire): string {
  const timeOf = ({ startedAt, endedAt }: Exchange): string => {
    const outage = outages.find(({ from, to }) => endedAt >= from && startedAt <= to)
    return outage === undefined ? 'all parts up' : `${outage.what} killed`
  }
  const byTime = Object.groupBy(Object.values(exchanges).flat(), timeOf)
  const admitted = Object.entries(admittedBy).map(([when, count]) => `${when} ${count}`)
  const recovery = outages.map(({ what, from, to }) => `${what} ${((to - from) / 1000).toFixed(1)} s`)
  return [
    ...table('client', exchanges),
    '',
    ...table('time', byTime),
    '',
    `admitted on a limit of ${limit}: ${admitted.join(', ')}`,
    `recovered after a kill, with ${downMs / 1000} s before the restart: ${recovery.join(', ')}`,
    '',
  ].join('\n')
}

function table(what: string, groups: Readonly<Partial<Record<string, readonly Exchange[]>>>): string[] {
  const rows = Object.entries(groups).map(([name, group = []]) => {
    const ends = group.map(({ outcome, status }) => (outcome === 'answered' ? String(status) : outcome))
    return [name, group.length].concat(COLUMNS.map((column) => ends.filter((end) => end === column).length))
  })
  const head = [what, 'offered', ...COLUMNS]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
