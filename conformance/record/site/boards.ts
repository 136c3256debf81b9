// The record as the pages show it: boards, which are the entries that may be compared, and implementations with their
// versions. There is no ranking: implementations are in the order of their names.
import { type RequirementId, isRequirementId, requirement } from '../../../spec/catalogue/requirements.ts'
import type { Pair } from '../results/pair-entry.ts'
import type { Entry, Implementation, Kind } from '../results/result-entry.ts'
import { type Recorded, compareVersions } from '../results/public-record.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { type TierCounts, rollUp, tierCounts } from '../../contract/verdict.ts'
import { CHECKS, checksOf, rowsOfProfile } from '../results/check-index.ts'

/** One entry, and what its folder says about the implementation. */
export interface Published {
  readonly entry: Entry
  readonly about: Implementation
}

/** One entry with the outcome of each row. */
export interface Judged extends Published {
  readonly board: string
  /** The outcome of its worst check; a row without a check has none. */
  readonly rows: ReadonlyMap<RequirementId, Outcome>
  /** The rows that hold, by tier; undefined if the entry judges no server. */
  readonly tiers: TierCounts | undefined
  readonly stale: string | undefined
}

/** A server that no client was tried with. */
export interface UntriedServer {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly reason: string
}

/** The entries of one catalogue, kind and profile: only these are compared. */
export type Board = ReturnType<typeof boardOf>

/** An implementation with the entries of each of its boards, the newest first. */
export type JudgedImplementation = ReturnType<typeof subjectOf>

export type PublicRecord = ReturnType<typeof arrange>

/** A version that an earlier catalogue judged. */
export type Earlier = ReturnType<typeof earlierOf>[number]

/** An implementation of which there are only such versions. */
export interface Historic {
  readonly kind: Kind
  readonly name: string
  readonly about: Implementation
}

/** The days, and the number of newer versions, after which an entry is stale. */
const STALE_DAYS = 365
const STALE_VERSIONS = 2

const KINDS: readonly Kind[] = ['server', 'gateway', 'client']
const byTitle = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** The entries of a record, each with its implementation. */
export function publishedIn(record: readonly Recorded[]): readonly Published[] {
  return record.flatMap(({ implementation, entries }) => {
    const about = aboutOf(implementation)
    return entries.map((entry) => ({ entry, about }))
  })
}

/** The implementations of a record that have no entry, but earlier versions. */
export function historicIn(record: readonly Recorded[]): readonly Historic[] {
  return record
    .filter(({ entries, implementation }) => entries.length === 0 && implementation.earlier !== undefined)
    .map(({ kind, name, implementation }) => ({ kind, name, about: aboutOf(implementation) }))
}

/** A title is also the text of attributes, which have no code. */
function aboutOf(implementation: Implementation): Implementation {
  return { ...implementation, title: withoutCode(implementation.title) }
}

const withoutCode = (title: string): string => title.replaceAll('`', '')

/** Arranges the entries and pairs. Throws if an entry names a check that does not exist, or two entries are the same. */
export function arrange(
  published: readonly Published[],
  date: string,
  tried: readonly Pair[] = [],
  untried: readonly UntriedServer[] = [],
  historic: readonly Historic[] = [],
) {
  const keyOf = ({ entry }: Published): string => `${entry.kind} ${entry.name}`
  const versions = Map.groupBy(published, keyOf)
  const judged = published
    .map((one): Judged => {
      const { entry } = one
      const stale = staleReason(
        entry,
        versions.get(keyOf(one))?.map(({ entry }) => entry.version) ?? [],
        date,
      )
      const board = `${entry.catalogue}/${entry.kind}-${entry.profile}`
      const rows = rowsIn(entry)
      return {
        ...one,
        board,
        rows: new Map(rows.map(({ id, outcome }) => [id, outcome])),
        tiers: tierCounts(rows),
        stale,
      }
    })
    .toSorted(order)
  const boards = [...Map.groupBy(judged, ({ board }) => board).values()].map(boardOf)
  const sorted = boards.toSorted(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || byTitle.compare(b.profile, a.profile),
  )
  const names = Map.groupBy(judged, keyOf)
  const pairs = tried.map((pair) => ({
    ...pair,
    client: { ...pair.client, title: withoutCode(pair.client.title) },
    server: { ...pair.server, title: withoutCode(pair.server.title) },
  }))
  return {
    /** The day of the build, `YYYY-MM-DD`. */
    date,
    /** Servers, gateways, then clients. */
    boards: sorted,
    subjects: [
      ...[...names.values()].map((own) => subjectOf(own, sorted, pairs)),
      ...historic.map((one) => ({ ...one, boards: [], pairs: [] })),
    ].toSorted((a, b) => byTitle.compare(a.about.title, b.about.title)),
    /** Which client works with which server. */
    pairs,
    untried: untried.filter(({ name }) => pairs.every(({ server }) => server.name !== name)),
    /** The day of the newest entry or pair. */
    newestResult: newestDate(published, tried),
  }
}

/** The outcome of a row; one without a check was not judged. */
export function outcomeOf({ rows }: Pick<Judged, 'rows'>, id: RequirementId): Outcome {
  return rows.get(id) ?? 'inconclusive'
}

function order(a: Judged, b: Judged): number {
  return (
    byTitle.compare(a.about.title, b.about.title) ||
    byTitle.compare(a.entry.name, b.entry.name) ||
    compareVersions(b.entry.version, a.entry.version)
  )
}

/** The versions that an earlier catalogue judged, each with the outcome of its rows. */
export function earlierOf({ earlier = [] }: Implementation) {
  return earlier.map(({ outcomes, ...judged }) => {
    const rows = Object.entries(outcomes).flatMap(([outcome, ids]) =>
      ids
        .split(' ')
        .filter(isRequirementId)
        .map((id) => [id, outcome as Outcome] as const),
    )
    return { ...judged, rows: new Map(rows) }
  })
}

/** The rows that an entry judged. */
function rowsIn({ name, version, profile, checks }: Entry) {
  const judgements = Object.entries(checks).map(([id, outcome]) => {
    const row = CHECKS.get(id)?.requirement
    if (row === undefined) throw new Error(`${name} ${version}: there is no check ${id}`)
    return { id, requirement: row, level: requirement(row).level, outcome }
  })
  return rollUp(judgements, profile === 'wire' ? 'wire' : 'service')
}

function boardOf(all: readonly Judged[]) {
  const [first] = all
  if (first === undefined) throw new Error('a board has at least one entry')
  const { catalogue, kind, profile } = first.entry
  const newest = [...Map.groupBy(all, ({ entry }) => entry.name).values()].flatMap((own) => own.slice(0, 1))
  // An optional row is judged only if the run selected it.
  const covered = new Set([...(checksOf(first.entry)?.values() ?? [])].map(({ requirement: row }) => row))
  const rows = rowsOfProfile(profile).filter(({ id, level }) =>
    level === 'MAY' ? all.some((one) => one.rows.has(id)) : covered.has(id),
  )
  return {
    /** `CATALOGUE/KIND-PROFILE`, its address below `matrix/`. */
    id: first.board,
    catalogue,
    kind,
    profile,
    rows,
    /** The newest entry of each implementation, by title. */
    newest,
    /** All entries, by title, the newest version first. */
    all,
  }
}

function subjectOf(own: readonly Judged[], boards: readonly Board[], pairs: readonly Pair[]) {
  const held = boards
    .map((board) => ({ board, entries: own.filter((one) => one.board === board.id) }))
    .filter(({ entries }) => entries.length > 0)
  const newest = held[0]?.entries[0]
  if (newest === undefined) throw new Error('an implementation has at least one entry')
  const { kind, name } = newest.entry
  const paired = pairs.filter(({ client, server }) => (kind === 'client' ? client : server).name === name)
  return { kind, name, about: newest.about, boards: held, pairs: paired }
}

/** The day of the newest entry or pair; that of the first second of 1970 without any. */
export function newestDate(published: readonly Published[], pairs: readonly Pair[]): string {
  const dates = [...published.map(({ entry }) => entry.date), ...pairs.map(({ date }) => date)]
  return dates.toSorted().at(-1) ?? '1970-01-01'
}

/** The last day on which an entry is valid: a year after its run. */
export function validUntil({ date }: Pick<Entry, 'date'>): string {
  return new Date(Date.parse(date) + STALE_DAYS * 86_400_000).toISOString().slice(0, 10)
}

/** The reason why an entry is stale, or undefined. `versions` are all judged versions of its implementation. */
export function staleReason(
  { version, date }: Pick<Entry, 'version' | 'date'>,
  versions: readonly string[],
  today: string,
) {
  const newer = new Set(versions.filter((other) => compareVersions(other, version) > 0)).size
  if (newer >= STALE_VERSIONS) return `${newer} newer versions were judged`
  const days = (Date.parse(today) - Date.parse(date)) / 86_400_000
  return days > STALE_DAYS ? `judged more than a year before ${today}` : undefined
}
