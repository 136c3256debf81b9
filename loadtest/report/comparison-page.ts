// A comparison of two measurements as one page that loads nothing: the distributions over each other, and each difference
// with its interval.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { type Difference, meaningOf } from '../latency/compare-latency.ts'
import type { LatencyVerdict } from '../latency/latency-verdict.ts'
import { histograms } from './distributions.ts'
import { firstTokens } from './latency-page.ts'
import { OUTCOMES, type Tile, loadPage, plate, tableCard } from './page.ts'
import { renderPlot } from './plots.ts'
import { cellOf, intervalOf, loadsDiffer, signedCellOf } from './render-comparison.ts'
import { loadLine } from './render-latency.ts'
import { FIGURES } from './table.ts'

const MEANINGS = {
  better: OUTCOMES.pass,
  worse: OUTCOMES.fail,
  noise: { kind: 'absent', sign: '≈' },
} as const

export function renderComparisonPage(
  names: readonly [a: string, b: string],
  [a, b]: readonly [LatencyVerdict, LatencyVerdict],
  differences: readonly Difference[],
): string {
  const overlay = histograms('Time to first token', [
    { name: 'A', style: 'b', values: firstTokens(a) },
    { name: 'B', style: 'e', values: firstTokens(b) },
  ])
  return loadPage({
    title: 'comparison',
    heading: 'Two measurements',
    tiles: tilesOf(differences),
    notes: [
      `A: ${names[0]}, ${a.target}, ${a.model}, ${loadLine(a)}`,
      `B: ${names[1]}, ${b.target}, ${b.model}, ${loadLine(b)}`,
      ...loadsDiffer(a, b),
    ],
    content: markup`${overlay && renderPlot(overlay)}
${tableCard('Differences, in milliseconds', ['', 'A', 'B', 'B − A', '95 % interval', ''], differences.map(rowOf), 'figures intervals')}`,
  })
}

function rowOf(one: Difference): readonly (string | Markup)[] {
  return [
    nameOf(one),
    cellOf(one, one.a),
    cellOf(one, one.b),
    signedCellOf(one, one.difference),
    intervalOf(one),
    plate(MEANINGS[meaningOf(one)], meaningOf(one)),
  ]
}

function tilesOf(differences: readonly Difference[]): readonly Tile[] {
  const middle = differences.find(({ figure, statistic }) => figure === 'ttft' && statistic === 'p50')
  return [
    ...(['worse', 'better', 'noise'] as const).map((meaning) => ({
      name: `B is ${meaning === 'noise' ? 'within the noise' : meaning} in`,
      value: String(differences.filter((one) => meaningOf(one) === meaning).length),
      about: `of ${differences.length} figures`,
    })),
    ...(middle === undefined
      ? []
      : [
          {
            name: 'Time to first token, median',
            value: `${cellOf(middle, middle.a)} → ${cellOf(middle, middle.b)} ms`,
            about: `${signedCellOf(middle, middle.difference)} ms (${intervalOf(middle)}): ${meaningOf(middle)}`,
          },
        ]),
  ]
}

function nameOf({ figure, statistic }: Difference): string {
  return figure === 'goodput' ? 'Goodput' : `${FIGURES[`${figure}Ms`][0]}, ${statistic}`
}
