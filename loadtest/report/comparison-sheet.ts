// The report on two measurements: their distributions over each other, and each difference with its interval.
import { type Difference, meaningOf } from '../latency/compare-latency.ts'
import type { LatencyVerdict } from '../latency/latency-verdict.ts'
import { histograms } from './histograms.ts'
import { describeLoad, firstTokens } from './latency-sheet.ts'
import { FIGURES, LOOKS, type Sheet, type Tile, format } from './sheet.ts'

const MEANINGS = { better: LOOKS.pass, worse: LOOKS.fail, noise: LOOKS.noise } as const

export function comparisonSheet(
  names: readonly [a: string, b: string],
  [a, b]: readonly [LatencyVerdict, LatencyVerdict],
  differences: readonly Difference[],
): Sheet {
  const rows = differences.map((one) => ({
    cells: [
      one.figure === 'goodput' ? 'Goodput' : `${FIGURES[`${one.figure}Ms`][0]}, ${one.statistic}`,
      valueOf(one, one.a),
      valueOf(one, one.b),
      signed(one, one.difference),
      intervalOf(one),
    ],
    outcome: { look: MEANINGS[meaningOf(one)], text: meaningOf(one) },
  }))
  return {
    title: 'comparison',
    heading: 'Two measurements',
    tiles: tilesOf(differences),
    about: [
      `A: ${names[0]}, ${a.target}, ${a.model}, ${describeLoad(a)}`,
      `B: ${names[1]}, ${b.target}, ${b.model}, ${describeLoad(b)}`,
      ...(describeLoad(a) === describeLoad(b)
        ? []
        : ['The loads differ, so a difference may come from the load.']),
    ],
    parts: [
      histograms('Time to first token', [
        { name: 'A', style: 'b', values: firstTokens(a) },
        { name: 'B', style: 'e', values: firstTokens(b) },
      ]),
      { title: 'Differences, in milliseconds', columns: ['', 'A', 'B', 'B − A', '95 % interval'], rows },
    ],
  }
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
            value: `${valueOf(middle, middle.a)} → ${valueOf(middle, middle.b)} ms`,
            about: `${signed(middle, middle.difference)} ms (${intervalOf(middle)}): ${meaningOf(middle)}`,
          },
        ]),
  ]
}

/** A value of this figure: milliseconds, or percent for goodput. */
function valueOf({ figure }: Difference, value: number): string {
  return figure === 'goodput' ? `${format(value * 100)} %` : format(value)
}

function intervalOf(one: Difference): string {
  return one.interval.map((value) => signed(one, value)).join(' to ')
}

function signed(one: Difference, value: number): string {
  return (value > 0 ? '+' : '') + valueOf(one, value)
}
