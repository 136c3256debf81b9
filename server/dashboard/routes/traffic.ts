// What keys were used for, in spans of equal length, and a drawing of it that needs no script.
import { html } from 'hono/html'
import type { UsageRecord } from '../../keys/storage.ts'
import type { Html } from '../pages/layout.ts'
import { count } from '../pages/labels.ts'

export const MINUTE_MS = 60_000

/** The minute since the epoch of a time in milliseconds. */
export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}

/** Requests in each of `spans` spans of `minutes`, the first of which begins at `from`; oldest first. */
export function series(
  records: readonly UsageRecord[],
  { from, minutes, spans }: { from: number; minutes: number; spans: number },
): number[] {
  const requests = Array<number>(spans).fill(0)
  for (const record of records) {
    const at = Math.floor((record.minute - from) / minutes)
    // A record of an instance whose clock runs ahead counts as one of now.
    if (at >= 0)
      requests[Math.min(at, spans - 1)] = (requests[Math.min(at, spans - 1)] ?? 0) + record.requests
  }
  return requests
}

export function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** Units of the drawing; what it measures on the page is for the style to say. */
const BAR = 8
const GAP = 2
const HEIGHT = 100
/** How high a bar for 0 is, so that it is about a pixel on the page. */
const NONE = { spark: 6, chart: 2 }

export interface Bars {
  readonly values: readonly number[]
  /** What the highest bar stands for, where several drawings are compared. */
  readonly max?: number
  /** The whole drawing in words. */
  readonly label: string
  readonly className: 'spark' | 'chart'
}

/** A bar for each value; one for 0 is a line at the bottom. */
export function bars({ values, max = Math.max(...values), label, className }: Bars): Html {
  const bar = (value: number, at: number) => {
    // What was used at all can be seen.
    const height = value === 0 ? NONE[className] : Math.max(8, Math.round((value / max) * HEIGHT))
    return html`<rect
      x="${at * (BAR + GAP)}"
      y="${HEIGHT - height}"
      width="${BAR}"
      height="${height}"
      ${value === 0 && html`class="none"`}
    />`
  }
  return html`<svg
    class="${className}"
    viewBox="0 0 ${values.length * (BAR + GAP) - GAP} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${values.map(bar)}
  </svg>`
}

/** The requests of the last day, an hour each. */
export function daySpark(hours: readonly number[]): Html {
  const most = Math.max(...hours)
  const label =
    most === 0
      ? 'no request in 24 hours'
      : `${count(total(hours), 'request')} in 24 hours, at most ${count(most, 'request')} in one`
  return bars({ values: hours, label, className: 'spark' })
}
