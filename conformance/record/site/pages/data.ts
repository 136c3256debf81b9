// The record for programs: all results as JSON, and a feed of results, changes and pairs in two formats.
import { markup } from '../../../../harness/html/markup.ts'
import { type Pair, type Used, USE_IDS } from '../../results/pair-entry.ts'
import { entryAddress, pairAddress, stepId, subjectAddress } from '../addresses.ts'
import { TURNS, changesBetween, stepsOf, turnOf } from '../changes.ts'
import { MARKS, countMarks } from '../marks.ts'
import { type Board, type Judged, type PublicRecord, outcomeOf } from '../boards.ts'
import { TURN_TITLES } from './history.ts'
import { pairTitle } from './pairs/pair-page.ts'
import { countsOf } from './pairs/verdicts.ts'

const FEED_TITLE = 'Touchstone results'

/** The most items of a feed, and the most checks that an item names for each kind of change. */
const FEED_ITEMS = 100
const CHECKS_OF_ITEM = 10

/** Every entry with the outcome of each row, and every pair with the verdict on each use; an address leads to the page. */
export function renderJson({ boards, date, pairs }: PublicRecord): string {
  const entries = boards.flatMap((board) =>
    board.all.map((judged) => {
      const { catalogue, kind, name, version, profile, date, provenance, model } = judged.entry
      const rows = Object.fromEntries(board.rows.map(({ id }) => [id, outcomeOf(judged, id)]))
      const own = { catalogue, kind, name, version, profile, date, provenance, model }
      return {
        ...own,
        address: entryAddress(judged),
        stale: judged.stale ?? null,
        tiers: judged.tiers ?? null,
        rows,
      }
    }),
  )
  return `${JSON.stringify({ schema: 'touchstone.results/1', date, entries, pairs: pairs.map(pairData) })}\n`
}

function pairData(pair: Pair) {
  const { catalogue, client, server, date, uses } = pair
  const verdict = ({ verdict, side, requirement }: Partial<Used> = {}) => ({ verdict, side, requirement })
  return {
    catalogue,
    client,
    server,
    date,
    address: pairAddress(pair),
    uses: Object.fromEntries(USE_IDS.map((id) => [id, verdict(uses[id])])),
  }
}

interface Item {
  readonly address: string
  readonly title: string
  readonly text: string
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly tags: readonly string[]
}

/** The newest entries, changes between versions, and pairs; the newest first. */
function itemsOf({ boards, subjects, pairs }: PublicRecord): readonly Item[] {
  const items = [
    ...boards.flatMap((board) => board.all.map((judged) => entryItem(judged, board))),
    ...subjects.flatMap((subject) =>
      subject.boards.flatMap(({ entries }) =>
        stepsOf(entries).map(({ before, after }) => stepItem(before, after)),
      ),
    ),
    ...pairs.map(pairItem),
  ]
  return items.toSorted((a, b) => b.date.localeCompare(a.date)).slice(0, FEED_ITEMS)
}

function entryItem(judged: Judged, { rows, kind, profile }: Board): Item {
  const { entry, about } = judged
  const counted = countMarks(rows.map(({ id }) => outcomeOf(judged, id)))
  return {
    address: entryAddress(judged),
    title: `${about.title} ${entry.version}, profile ${profile}`,
    text: counted
      .map(({ mark, count }) => `${count} ${mark === MARKS.pass && count !== 1 ? 'hold' : mark.label}`)
      .join(', '),
    date: entry.date,
    tags: ['result', kind],
  }
}

function stepItem(before: Judged, after: Judged): Item {
  const turns = Map.groupBy(changesBetween(before, after), turnOf)
  const lines = TURNS.flatMap((turn) => {
    const checks = (turns.get(turn) ?? []).map(({ check }) => check)
    return checks.length === 0 ? [] : [`${TURN_TITLES[turn]}: ${listed(checks)}.`]
  })
  const { kind, version, profile } = after.entry
  return {
    address: `${subjectAddress(after.entry)}#${stepId(before, after)}`,
    title: `${after.about.title} from ${before.entry.version} to ${version}, profile ${profile}`,
    text: lines.length === 0 ? 'No check changed.' : lines.join(' '),
    date: after.entry.date,
    tags: ['change', kind],
  }
}

function listed(checks: readonly string[]): string {
  const more = checks.length - CHECKS_OF_ITEM
  return `${checks.slice(0, CHECKS_OF_ITEM).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function pairItem(pair: Pair): Item {
  const text = countsOf(pair).map(({ mark, count }) => `${count} ${mark.label}`)
  return {
    address: pairAddress(pair),
    title: pairTitle(pair),
    text: text.join(', '),
    date: pair.date,
    tags: ['pair'],
  }
}

const idOf = ({ address }: Item): string => `urn:touchstone:${address}`

const linkTo = (address: string, site: string | undefined): string =>
  site === undefined ? address : new URL(address, site).href

const timeOf = (date: string): string => `${date}T00:00:00Z`

/** An Atom feed. Its addresses are relative to the feed if that of the site is not known. */
export function renderFeed(record: PublicRecord, site: string | undefined): string {
  return String(markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${FEED_TITLE}</title><id>urn:touchstone:results</id><updated>${timeOf(record.date)}</updated><author><name>Touchstone</name></author>
<link rel="alternate" href="${linkTo('./', site)}"/><link rel="self" href="${linkTo('feed.xml', site)}"/>
${itemsOf(record).map((item) => {
  return markup`<entry><title>${item.title}</title><id>${idOf(item)}</id><updated>${timeOf(item.date)}</updated><link href="${linkTo(item.address, site)}"/><summary>${item.text}</summary></entry>
`
})}</feed>
`)
}

/** A JSON Feed 1.1 of these items. */
export function renderJsonFeed(record: PublicRecord, site: string | undefined): string {
  const items = itemsOf(record).map((item) => ({
    id: idOf(item),
    url: linkTo(item.address, site),
    title: item.title,
    content_text: item.text,
    date_published: timeOf(item.date),
    tags: item.tags,
  }))
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: FEED_TITLE,
    home_page_url: linkTo('./', site),
    feed_url: linkTo('feed.json', site),
    language: 'en',
    authors: [{ name: 'Touchstone' }],
    items,
  }
  return `${JSON.stringify(feed, undefined, 2)}\n`
}
