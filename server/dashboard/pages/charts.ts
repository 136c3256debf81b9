// Bar charts that need no script.
import { html } from 'hono/html'
import { total } from '../data/traffic.ts'
import { count } from './value-labels.ts'
import type { Html } from './layout.ts'

/** Units of the drawing. The stylesheet sets its size on the page. */
const BAR = 8
const GAP = 2
const HEIGHT = 100
/** Height of a bar for 0: about a pixel on the page. */
const NONE = { spark: 6, chart: 2 }

export interface Bars {
  readonly values: readonly number[]
  /** The value of a bar of full height; set it to compare several drawings. */
  readonly max?: number
  /** The text alternative of the drawing. */
  readonly label: string
  readonly className: 'spark' | 'chart'
}

/** One bar per value. A bar for 0 is a line at the bottom. */
export function bars({ values, max = Math.max(...values), label, className }: Bars): Html {
  const bar = (value: number, at: number) => {
    // A single request stays visible.
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

/** The requests in each hour of the last day. */
export function daySpark(hours: readonly number[]): Html {
  const most = Math.max(...hours)
  const label =
    most === 0
      ? 'no request in 24 hours'
      : `${count(total(hours), 'request')} in 24 hours, at most ${count(most, 'request')} in one`
  return bars({ values: hours, label, className: 'spark' })
}
