// The attempts of a client as a picture: a mark for each answer, the wait before it, and above that the due wait.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { renderTimeline, secondsOf } from '../timeline.ts'

/** The size of the picture, in its own units. */
const WIDTH = 720
const LEFT = 16
const RIGHT = 60
const BASE = 44

/** The picture, with a text alternative; nothing if there was only one attempt. */
export function timelineOf(check: ReportCheck): Markup | undefined {
  const { attempts = [] } = check
  if (attempts.length < 2) return undefined
  const lastMs = Math.max(
    ...attempts.map(
      ({ atMs, waitedMs, dueMs }) => atMs - (waitedMs ?? 0) + (shownDue(dueMs, atMs) ?? waitedMs ?? 0),
    ),
  )
  const x = (ms: number): string => (LEFT + (ms / Math.max(1, lastMs)) * (WIDTH - LEFT - RIGHT)).toFixed(1)
  const parts = attempts.map(({ atMs, status, waitedMs, dueMs }) => {
    const from = atMs - (waitedMs ?? 0)
    const due = shownDue(dueMs, atMs)
    const isEarly = waitedMs !== null && dueMs !== null && waitedMs < dueMs
    return markup`${waitedMs !== null && markup`<line class="waited${isEarly && ' early'}" x1="${x(from)}" x2="${x(atMs)}" y1="${BASE}" y2="${BASE}"/>`}
${due !== undefined && markup`<line class="due" x1="${x(from)}" x2="${x(from + due)}" y1="${BASE - 12}" y2="${BASE - 12}"/>`}
<circle class="${status === 200 ? 'good' : 'bad'}" cx="${x(atMs)}" cy="${BASE}" r="5"/>
<text x="${x(atMs)}" y="${BASE - 22}" text-anchor="middle">${status ?? '–'}</text>
<text class="at" x="${x(atMs)}" y="${BASE + 22}" text-anchor="middle">${secondsOf(atMs)}</text>`
  })
  return markup`<figure class="timeline"><svg viewBox="0 0 ${WIDTH} 76" role="img" aria-label="Timeline of the attempts">${parts}</svg>
<figcaption class="small quiet">Below the wait that was taken, above it the wait that was due.</figcaption>
<pre class="small" tabindex="0" aria-label="Timeline as text">${renderTimeline(check).join('\n')}</pre></figure>`
}

/** A wait that is too long for the picture, such as a day, is not drawn. */
function shownDue(dueMs: number | null, atMs: number): number | undefined {
  return dueMs === null || dueMs > atMs + 60_000 ? undefined : dueMs
}

export const TIMELINE_STYLE = `
.timeline { margin: 0; display: grid; gap: .3rem; }
.timeline svg { width: 100%; max-width: 48rem; height: auto; font: 11px var(--mono); fill: var(--text, currentColor); }
.timeline text { fill: currentColor; }
.timeline .at { opacity: .7; }
.timeline .waited { stroke: var(--faint); stroke-width: 4; }
.timeline .waited.early { stroke: var(--bad-fill); }
.timeline .due { stroke: var(--good-fill); stroke-width: 3; stroke-dasharray: 5 3; }
.timeline .good { fill: var(--good-fill); } .timeline .bad { fill: var(--bad-fill); }
`
