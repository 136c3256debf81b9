// Draws curves of growth as small logarithmic plots in one SVG file, each with a dashed line of linear growth.
import { markup } from '../../../harness/html/markup.ts'
import type { Curve } from './curves.ts'
import type { Point } from './exponent.ts'

export interface Measured extends Pick<Curve, 'name' | 'unit'> {
  readonly points: readonly Point[]
}

const WIDTH = 900
const COLUMNS = 3
const PANEL = { width: WIDTH / COLUMNS, height: 210, left: 52, right: 14, top: 34, bottom: 40 }

/** The SVG of the curves. */
export function growthChart(measured: readonly Measured[]): string {
  const height = Math.ceil(measured.length / COLUMNS) * PANEL.height
  return String(markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11" role="img" aria-label="Processor time of a request against its size and the state of the server">
<rect width="100%" height="100%" fill="#fff"/>
${measured.map((one, at) => markup`<g transform="translate(${(at % COLUMNS) * PANEL.width} ${Math.floor(at / COLUMNS) * PANEL.height})">${panel(one)}</g>`)}
</svg>
`)
}

function panel({ unit, points }: Measured) {
  const { width, height, left, right, top, bottom } = PANEL
  const sizes = points.map(({ size }) => size)
  const costs = points.map(({ cpuMicros }) => cpuMicros)
  const x = scale(Math.min(...sizes), Math.max(...sizes), left, width - right)
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...costs)))
  // Two decades at least, so that noise does not look like growth.
  const highest = Math.max(100 * lowest, 10 ** Math.ceil(Math.log10(Math.max(...costs))))
  const y = scale(lowest, highest, height - bottom, top)
  const path = points.map(({ size, cpuMicros }) => `${x(size)} ${y(cpuMicros)}`).join('L')
  const last = points.at(-1) ?? { size: 1, cpuMicros: 1 }
  const start = Math.max(Math.min(...sizes), (last.size * lowest) / last.cpuMicros)
  return markup`<text x="${left}" y="18" font-weight="bold">${unit}</text>
${decades(lowest, highest).map((value) => markup`<path d="M${left} ${y(value)}H${width - right}" stroke="#ddd"/><text x="${left - 6}" y="${y(value) + 4}" text-anchor="end">${amount(value)} µs</text>`)}
${points.map(({ size }) => markup`<text x="${x(size)}" y="${height - bottom + 16}" text-anchor="middle">${amount(size)}</text>`)}
<path d="M${x(start)} ${y((last.cpuMicros * start) / last.size)}L${x(last.size)} ${y(last.cpuMicros)}" stroke="#999" stroke-dasharray="4 3" fill="none"/>
<path d="M${path}" stroke="#1f5fa8" stroke-width="2" fill="none"/>
${points.map(({ size, cpuMicros }) => markup`<circle cx="${x(size)}" cy="${y(cpuMicros)}" r="3" fill="#1f5fa8"><title>${amount(size)} ${unit}: ${Math.round(cpuMicros)} µs</title></circle>`)}`
}

/** Maps values on a logarithmic axis to pixels. */
function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  return (value) =>
    Math.round((start + ((end - start) * Math.log(value / from)) / Math.log(to / from)) * 10) / 10
}

function decades(from: number, to: number): readonly number[] {
  const count = Math.round(Math.log10(to / from)) + 1
  return Array.from({ length: count }, (_, power) => from * 10 ** power)
}

/** A number with at most three digits, `k` for thousands and `M` for millions. */
function amount(value: number): string {
  if (value >= 1e6) return `${Math.round(value / 1e6)}M`
  return value >= 1000 ? `${Math.round(value / 1000)}k` : String(value)
}
