// Plots as SVG: series with one value for each second, or each step of another axis, and labelled axes. Colours are classes
// of the page.
import { type Markup, markup, trusted } from '../../harness/html/markup.ts'

const WIDTH = 860
const HEIGHT = 220
const LEFT = 52
const RIGHT = 12
const TOP = 10
const BOTTOM = 30
const PLOT_WIDTH = WIDTH - LEFT - RIGHT
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM

export interface Series {
  readonly name: string
  /** One of the classes `a` to `e`, `bound` and `lower`. */
  readonly style: string
  /** One value for each second from the start; undefined for a gap. */
  readonly values: readonly (number | undefined)[]
  readonly kind: 'line' | 'bars'
}

export interface Plot {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  /** Bars are stacked. */
  readonly stacked?: boolean
  /** The axis of the values; default: seconds from the start. */
  readonly axis?: Axis
}

/** Values `step` apart in this unit, or one value for each label. */
export type Axis = { readonly step: number; readonly unit: string } | { readonly labels: readonly string[] }

const SECONDS: Axis = { step: 1, unit: 's' }

function seriesOf(kind: Series['kind']) {
  return (name: string, style: string, values: Series['values']): Series => ({ name, style, values, kind })
}

export const bars = seriesOf('bars')
export const line = seriesOf('line')

/** A figure with its legend. */
export function renderPlot({ title, unit, series, stacked = false, axis = SECONDS }: Plot): Markup {
  const seconds = Math.max(1, ...series.map(({ values }) => values.length))
  const top = niceCeiling(Math.max(1, highest(series, stacked)), [1, 1.5, 2, 3, 4, 5, 6, 8])
  const x = (second: number): number => LEFT + (second / seconds) * PLOT_WIDTH
  const y = (value: number): number => TOP + PLOT_HEIGHT * (1 - Math.min(value, top) / top)
  const floor = Array<number>(seconds).fill(0)
  const drawn = series.map((one) => {
    if (one.kind === 'line') return path(one, x, y)
    return one.values.map((value = 0, second) => {
      const from = stacked ? (floor[second] ?? 0) : 0
      if (stacked) floor[second] = from + value
      if (value === 0) return undefined
      const width = (x(1) - x(0)) * 0.8
      return markup`<rect class="${one.style}" x="${round(x(second) + width / 8)}" y="${round(y(from + value))}" width="${round(width)}" height="${round(y(from) - y(from + value))}"/>`
    })
  })
  return markup`<figure class="card plot">
<figcaption><h2>${title}</h2><ul class="legend">${series.map(({ name, style, kind }) => markup`<li><svg viewBox="0 0 16 10" aria-hidden="true">${kind === 'line' ? markup`<path class="${style}" d="M0 5H16"/>` : markup`<rect class="${style}" width="16" height="10" rx="2"/>`}</svg>${name}</li>`)}</ul></figcaption>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}, ${unit}">
${ticks(top).map((value) => markup`<path class="grid" d="M${LEFT} ${round(y(value))}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${round(y(value) + 4)}" text-anchor="end">${value}</text>`)}
${axisTicks(axis, seconds).map(({ at, text }) => markup`<text x="${round(x(at))}" y="${HEIGHT - 8}" text-anchor="middle">${text}</text>`)}
${drawn}
</svg>
<p class="small quiet">${unit}</p>
</figure>`
}

function path(
  { style, values }: Series,
  x: (second: number) => number,
  y: (value: number) => number,
): Markup {
  let drawn = ''
  let isDrawing = false
  for (const [second, value] of values.entries()) {
    if (value !== undefined) drawn += `${isDrawing ? 'L' : 'M'}${round(x(second + 0.5))} ${round(y(value))}`
    isDrawing = value !== undefined
  }
  return trusted(`<path class="${style}" d="${drawn}"/>`)
}

function highest(series: readonly Series[], stacked: boolean): number {
  const seconds = Math.max(1, ...series.map(({ values }) => values.length))
  const sums = Array.from({ length: seconds }, (_, second) =>
    series.reduce((sum, { values, kind }) => sum + (kind === 'bars' ? (values[second] ?? 0) : 0), 0),
  )
  const values = series.flatMap(({ values }) => values.map((value) => value ?? 0))
  return [...values, ...(stacked ? sums : [])].reduce((most, value) => Math.max(most, value), 0)
}

/** Rounds a value above 0 up to one of these leading digits. */
export function niceCeiling(value: number, digits: readonly number[] = [1, 2, 5]): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return Number(((digits.find((step) => step * power >= value) ?? 10) * power).toPrecision(2))
}

/** About five steps from 0 to the top, at whole numbers if `isWhole`. */
function ticks(top: number, isWhole = true): readonly number[] {
  const step = Math.max(isWhole || top > 5 ? 1 : 0, niceCeiling(top / 5))
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => Number((index * step).toFixed(3)))
}

function axisTicks(axis: Axis, count: number): readonly { readonly at: number; readonly text: string }[] {
  if ('labels' in axis) return axis.labels.map((text, index) => ({ at: index + 0.5, text }))
  const { step, unit } = axis
  return ticks(count * step, step >= 1).map((value) => ({ at: value / step, text: `${value} ${unit}` }))
}

const round = (value: number): number => Math.round(value * 10) / 10
