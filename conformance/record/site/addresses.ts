// The addresses of the pages, relative to the root of the site: every page has a `<base>` that leads there.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Pair } from '../results/pair-entry.ts'
import type { Kind } from '../results/result-entry.ts'
import { entryKey } from '../results/public-record.ts'
import type { Board, Judged } from './boards.ts'

export const SEARCH = 'search/'
export const COMPARE = 'compare/'
export const PAIRS = 'pairs/'
export const ENGINES = 'engines/'
export const REQUIREMENTS = 'requirements/'

export function subjectAddress({ kind, name }: { readonly kind: Kind; readonly name: string }): string {
  return `${kind}/${name}/`
}

export function entryAddress({ entry }: Pick<Judged, 'entry'>): string {
  return `${subjectAddress(entry)}${entry.catalogue}/${entryKey(entry)}/`
}

export function badgeAddress({ entry }: Pick<Judged, 'entry'>): string {
  return `badges/${entry.catalogue}/${subjectAddress(entry)}${entryKey(entry)}.svg`
}

export function bundleAddress({ entry }: Pick<Judged, 'entry'>): string {
  return `bundles/${entry.catalogue}/${subjectAddress(entry)}${entryKey(entry)}.zip`
}

export function boardAddress({ id }: Pick<Board, 'id'>): string {
  return `matrix/${id}/`
}

export function requirementAddress(id: RequirementId): string {
  return `${REQUIREMENTS}${id}/`
}

/** The page that compares the newest entries of two implementations: one page, in the order of their names. */
export function comparisonAddress({ id }: Pick<Board, 'id'>, one: string, other: string): string {
  const [a = '', b = ''] = [one, other].toSorted()
  return `${COMPARE}${id}/${a}/${b}/`
}

export function pairAddress({
  catalogue,
  client,
  server,
}: Pick<Pair, 'catalogue' | 'client' | 'server'>): string {
  return `${PAIRS}${catalogue}/${client.name}/${server.name}/`
}

/** The id of the changes between two entries of an implementation, on its page. */
export function stepId(before: Judged, after: Judged): string {
  return `history-${before.board.replace('/', '-')}-${before.entry.version}-${after.entry.version}`
}

/** The id of the list of comparisons of an implementation, on its page. */
export function comparisonsId({ id }: Pick<Board, 'id'>): string {
  return `compare-${id.replace('/', '-')}`
}

/** The address of text of a stranger, if it leads to a web page: never a script. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined
}
