// Distributions of samples as plots.
import { bars, line, niceCeiling, type Plot } from './plots.ts'
import { nearestRank } from '../theory/statistics.ts'

/** The number of bars, and the quantile at which the plot ends, because a few slow streams would flatten the rest. */
const BINS = 40
const SHOWN_QUANTILE = 0.995

/** The distribution of one set of samples; undefined without any. */
export function histogram(title: string, values: readonly number[]): Plot | undefined {
  return histograms(title, [{ name: 'samples', style: 'a', values }])
}

interface Distribution {
  readonly name: string
  readonly style: string
  readonly values: readonly number[]
}

/** Distributions on one axis; several as lines of shares, so that none hides another and sizes do not matter. */
export function histograms(title: string, all: readonly Distribution[]): Plot | undefined {
  const tops = all.map(({ values }) =>
    nearestRank(
      values.toSorted((one, other) => one - other),
      SHOWN_QUANTILE,
    ),
  )
  const top = Math.max(...tops)
  if (!(top > 0)) return undefined
  const step = niceCeiling(top / BINS)
  const bins = Math.floor(top / step) + 1
  const beyond = all.reduce(
    (sum, { values }) => sum + values.filter((value) => value >= bins * step).length,
    0,
  )
  return {
    title,
    unit: `${all.length === 1 ? 'samples' : 'percent of the samples'} in each ${step} ms${beyond === 0 ? '' : `; ${beyond} lie beyond`}`,
    axis: { step, unit: 'ms' },
    series: all.map(({ name, style, values }) => {
      const counts = Array<number>(bins).fill(0)
      for (const value of values) {
        const bin = Math.floor(value / step)
        if (bin < bins) counts[bin] = (counts[bin] ?? 0) + 1
      }
      if (all.length === 1) return bars(name, style, counts)
      const shares = counts.map((count) => (100 * count) / values.length)
      return line(name, style, shares)
    }),
  }
}
