// The parts that several pages of the site share.
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import type { Entry, Kind } from '../../results/result-entry.ts'
import { entryAddress, requirementAddress, webAddress } from '../addresses.ts'
import { CHECKS } from '../../results/check-index.ts'
import { lineOf } from '../../../report/labels.ts'
import { type Mark, countMarks, plate } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../boards.ts'

export const BOARD_TITLES: Readonly<Record<Kind, string>> = {
  server: 'Servers',
  gateway: 'Gateways',
  client: 'Client libraries',
}

/** The name of a kind for a number of implementations. */
export const KIND_NAMES: Readonly<Record<Kind, (count: number) => string>> = {
  server: (count) => (count === 1 ? 'server' : 'servers'),
  gateway: (count) => (count === 1 ? 'gateway' : 'gateways'),
  client: (count) => (count === 1 ? 'client library' : 'client libraries'),
}

export function boardTitle({ kind, profile, catalogue }: Board): string {
  return `${BOARD_TITLES[kind]}, profile ${profile}, catalogue ${catalogue}`
}

/** The rows of each profile, in words. */
export const PROFILES: Readonly<Record<Entry['profile'], string>> = {
  wire: 'The chat completions format alone, with any keys and error codes',
  service: 'The whole specification: authentication, keys, models, chat, errors, limits and the wire format',
  gateway: 'The rules for a program between a client and a service: what it must not change',
  client: 'What a program sends, when it retries, and how it reads answers',
}

export const PROVENANCES: Readonly<Record<Entry['provenance'], string>> = {
  reproduced: 'reproduced by this project',
  vendor: 'sent by its makers',
  'third-party': 'sent by a third party',
}

/** The mark of an entry whose bundle this judge has confirmed. */
export function verified({ bundle }: Pick<Entry, 'bundle'>): Markup | undefined {
  return bundle === undefined ? undefined : markup`<span class="verified">verified</span>`
}

export function staleNote(stale: string | undefined): Markup | undefined {
  if (stale === undefined) return undefined
  return markup` <span class="stale" title="${stale}">stale<span class="visually-hidden">: ${stale}</span></span>`
}

/** `vLLM 0.32.0` with a link to the entry, or to one of its rows. */
export function nameOf(judged: Judged, row?: string): Markup {
  const { entry, about, stale } = judged
  const address = `${entryAddress(judged)}${row === undefined ? '' : `#${row}`}`
  return markup`<a href="${address}">${about.title} <span class="version">${entry.version}</span></a>${staleNote(stale)}`
}

export function requirementLink(id: Parameters<typeof requirementAddress>[0]): Markup {
  return markup`<a class="id" href="${requirementAddress(id)}">${id}</a>`
}

/** The number of rows of a board with each mark: every row has one; and the rows of each tier that hold. */
export function counts(judged: Judged, board: Board): Markup {
  const all = countMarks(board.rows.map(({ id }) => outcomeOf(judged, id)))
  return markup`<span class="counts">${all.map(({ mark, count }) => plate(mark, `${count} ${LABELS[mark.kind](count)}`))}</span>${judged.tiers && markup` <span class="tiers">${lineOf(judged.tiers)}</span>`}`
}

const LABELS: Readonly<Record<Mark['kind'], (count: number) => string>> = {
  pass: (count: number) => (count === 1 ? 'holds' : 'hold'),
  fail: (count: number) => (count === 1 ? 'does not hold' : 'do not hold'),
  warn: (count: number) => (count === 1 ? 'SHOULD does not hold' : 'SHOULD do not hold'),
  'not-applicable': () => 'not offered',
  inconclusive: () => 'not judged',
  error: () => 'not judged',
}

/** A link to a page of the web that an entry names; its text, if it is not an address of the web. */
export function outside(address: string, label?: string): Markup {
  const href = webAddress(address)
  if (href === undefined) return markup`<code>${address}</code>`
  return markup`<a href="${href}" rel="nofollow noopener noreferrer">${label ?? threadOf(href)}</a>`
}

/** `owner/name#1` for a thread on GitHub, otherwise the address without its protocol. */
function threadOf(href: string): string {
  const [, owner, name, number] =
    /^https:\/\/github\.com\/([^/]+)\/([^/]+)\/(?:issues|pull|discussions)\/(\d+)/.exec(href) ?? []
  return owner === undefined ? href.replace(/^https?:\/\//, '') : `${owner}/${name}#${number}`
}

interface SelectFilter {
  readonly name: string
  readonly label: string
  /** The values and their labels, beside the choice of all. */
  readonly choices: readonly (readonly [value: string, label: string])[]
}

/** The filters of a page, which need the script; it keeps their values in the address. */
export function renderFilters(filters: readonly SelectFilter[], more?: Markup): Markup {
  const used = filters.filter(({ choices }) => choices.length > 1)
  return markup`<form class="filters" id="filters" data-filters hidden aria-label="Filters">
${used.map(
  ({ name, label, choices }) =>
    markup`<label><span>${label}</span><select name="${name}"><option value="">all</option>${choices.map(([value, text]) => markup`<option value="${value}">${text}</option>`)}</select></label>`,
)}
${more}
<button class="button" type="reset">Reset</button>
<p class="small quiet" role="status" data-status></p>
</form>`
}

export function checkName(id: string): Markup {
  return markup`${prose(CHECKS.get(id)?.title ?? '')} <code class="quiet">${id}</code>`
}

export function ruleOf({ level, text }: Board['rows'][number]): Markup {
  return markup`<span class="level">${level}</span> ${prose(text)}`
}
