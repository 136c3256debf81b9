// The figures of a benchmark as rows for programs, and as a table for the terminal.
import { aligned } from '../../harness/cli/text.ts'
import { type Figures } from './compare-rounds.ts'
import { type Interval, median, medianInterval } from '../theory/statistics.ts'

/** One figure. `ratio` is 1 if it equals the reference, and less if it is worse. */
export interface Figure {
  readonly name: string
  readonly metric: string
  readonly ours: number
  /** Absent if the figure has no reference. */
  readonly reference?: number
  readonly referenceName?: string
  readonly ratio?: number
  /** The 95 % interval of a ratio that is the median over the rounds; absent with fewer than six. */
  readonly interval?: Interval | undefined
}

/** The medians of one figure of our server and of the reference in the same rounds, and the median of their ratios. */
function comparedRow(
  row: Pick<Figure, 'name' | 'metric' | 'referenceName'>,
  ours: readonly number[],
  reference: readonly number[],
  { isCost }: { readonly isCost: boolean },
): Figure {
  const ratios = ours.map((own, round) => {
    const other = reference[round] ?? NaN
    return isCost ? other / own : own / other
  })
  const digits = isCost ? 1 : 0
  return {
    ...row,
    ours: round(median(ours), digits),
    reference: round(median(reference), digits),
    ratio: round(median(ratios), 2),
    interval: rounded(medianInterval(ratios)),
  }
}

/** A figure for each other server, or one without a reference. The first figures are ours. */
export function comparedRows(
  row: Pick<Figure, 'name' | 'metric'>,
  [ours = [], ...others]: readonly (readonly number[])[],
  names: readonly string[],
  { isCost }: { readonly isCost: boolean },
): Figure[] {
  if (others.length === 0) return [{ ...row, ours: round(median(ours), isCost ? 1 : 0) }]
  return others.map((other, index) =>
    comparedRow({ ...row, referenceName: names[index + 1] ?? '' }, ours, other, { isCost }),
  )
}

/** The figures of one comparison: the rate, and the CPU time per request if the system reports it. */
export function rowsOf(
  { unit, ...names }: { readonly name: string; readonly unit: string; readonly referenceName: string },
  ours: readonly Figures[],
  reference: readonly Figures[],
): Figure[] {
  const [rates, otherRates] = [ours, reference].map((all) => all.map(({ perSecond }) => perSecond))
  const [costs, otherCosts] = [ours, reference].map((all) => all.flatMap(({ cpuMicros }) => cpuMicros ?? []))
  const rate = comparedRow({ ...names, metric: unit }, rates ?? [], otherRates ?? [], { isCost: false })
  if (costs?.length !== ours.length || otherCosts?.length !== ours.length) return [rate]
  return [rate, comparedRow({ ...names, metric: 'CPU µs/request' }, costs, otherCosts, { isCost: true })]
}

/** Rounds to `digits` decimal places. */
export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}

function rounded(interval: Interval | undefined): Interval | undefined {
  return interval && [round(interval[0], 2), round(interval[1], 2)]
}

/** The rows as aligned text. */
export function table(rows: readonly Figure[]): string {
  const header = ['benchmark', 'metric', 'figure', 'reference', 'ratio', '95 % interval', 'reference is']
  const cells = rows.map((row) => [
    row.name,
    row.metric,
    String(row.ours),
    String(row.reference ?? ''),
    row.ratio?.toFixed(2) ?? '',
    row.interval?.map((bound) => bound.toFixed(2)).join(' – ') ?? '',
    row.referenceName ?? '',
  ])
  return asText(aligned([header, ...cells], new Set([0, 1, 6])))
}

/** Lines as text, with a rule below the first. */
function asText([head = '', ...lines]: readonly string[]): string {
  return [head, '─'.repeat(Math.max(...[head, ...lines].map(({ length }) => length))), ...lines, ''].join(
    '\n',
  )
}
