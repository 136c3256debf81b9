// The badge of an entry, as SVG: how many judged requirements do not hold. It has no percentage.
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { MARKS, countMarks } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../record.ts'

/** Mean width of a character of the font, in pixels. */
const CHARACTER = 6.6
const COLORS = { f: '#a8281e', q: '#55497e', p: '#1f6b43' } as const

export function renderBadge(judged: Judged, board: Board): string {
  const { entry, about, stale } = judged
  const label = `${about.title} ${entry.version}`
  const { text, color } = verdictOf(judged, board)
  const message = stale === undefined ? text : `${text}, stale`
  const [left, right] = [label, message].map((part) => Math.round(part.length * CHARACTER) + 14) as [
    number,
    number,
  ]
  const words = `${label}: ${message} (Touchstone, profile ${entry.profile}, ${entry.date})`
  return `${String(markup`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${words}"><title>${words}</title>
<rect width="${left + right}" height="20" rx="3" fill="#2b2e33"/><path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${left}z" fill="${stale === undefined ? color : '#62666d'}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${textAt(7, left, label)}${textAt(left + 7, right, message)}</g></svg>`)}\n`
}

function textAt(x: number, width: number, text: string): Markup {
  return markup`<text x="${x}" y="14" textLength="${width - 14}" lengthAdjust="spacingAndGlyphs">${text}</text>`
}

function verdictOf(judged: Judged, { rows }: Board): { readonly text: string; readonly color: string } {
  const counted = new Map(
    countMarks(rows.map(({ id }) => outcomeOf(judged, id))).map(({ mark, count }) => [mark, count]),
  )
  const [fails = 0, open = 0] = [counted.get(MARKS.fail), counted.get(MARKS.inconclusive)]
  const openly = open === 0 ? '' : `, ${open} not judged`
  if (fails > 0)
    return {
      text: `✗ ${fails} ${fails === 1 ? 'requirement does' : 'requirements do'} not hold${openly}`,
      color: COLORS.f,
    }
  return open > 0
    ? { text: `? no failure${openly}`, color: COLORS.q }
    : { text: '✓ every MUST holds', color: COLORS.p }
}
