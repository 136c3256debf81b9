// The record for programs: all results as JSON, and a feed of them.
import { markup } from '../../../../harness/html/markup.ts'
import { entryAddress } from '../addresses.ts'
import { MARKS, countMarks } from '../marks.ts'
import { type PublicRecord, outcomeOf } from '../boards.ts'

const FEED_ENTRIES = 50

/** Every entry with the outcome of each row; its address leads to the page. */
export function renderJson({ boards, date }: PublicRecord): string {
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
  return `${JSON.stringify({ schema: 'touchstone.results/1', date, entries })}\n`
}

/** An Atom feed, the newest entry first. Its addresses are relative to the feed. */
export function renderFeed({ boards, date }: PublicRecord): string {
  const entries = boards.flatMap((board) => board.all.map((judged) => ({ board, judged })))
  const newest = entries
    .toSorted((a, b) => b.judged.entry.date.localeCompare(a.judged.entry.date))
    .slice(0, FEED_ENTRIES)
  return String(markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>Touchstone results</title><id>urn:touchstone:results</id><updated>${date}T00:00:00Z</updated><author><name>Touchstone</name></author>
<link rel="alternate" href="./"/>
${newest.map(({ board, judged }) => {
  const { entry, about } = judged
  const counted = countMarks(board.rows.map(({ id }) => outcomeOf(judged, id)))
  const summary = counted
    .map(({ mark, count }) => `${count} ${mark === MARKS.pass && count !== 1 ? 'hold' : mark.label}`)
    .join(', ')
  return markup`<entry><title>${about.title} ${entry.version}, profile ${entry.profile}</title><id>urn:touchstone:${entryAddress(judged)}</id><updated>${entry.date}T00:00:00Z</updated><link href="${entryAddress(judged)}"/><summary>${summary}</summary></entry>
`
})}</feed>
`)
}
