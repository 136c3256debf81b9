// The report on a load generator: a table for each script, with a sentence for each figure.
import type { GeneratorVerdict } from '../clock/generator-verdict.ts'
import type { FigureVerdict } from '../clock/judge-figures.ts'
import { SCRIPTS } from '../clock/timing-scripts.ts'
import { LOOKS, type Sheet, format } from './sheet.ts'

const LOOK_OF = {
  true: LOOKS.pass,
  off: LOOKS.fail,
  'not reported': LOOKS['not judged'],
  'not judged': LOOKS.invalid,
} as const

/** The names of the figures for people, with their unit. */
export const FIGURE_NAMES: Readonly<Record<FigureVerdict['figure'], readonly [name: string, unit: string]>> =
  {
    requests: ['requests', ''],
    completed: ['completed', ''],
    failed: ['failed', ''],
    tokens: ['output tokens', ''],
    tokensPerSecond: ['output tokens per second', ''],
    requestsPerSecond: ['requests per second', ''],
    concurrency: ['concurrency', ''],
    ttft: ['time to first token', ' ms'],
    tpot: ['time per token', ' ms'],
    itl: ['gap', ' ms'],
    e2e: ['end to end', ' ms'],
    'requests sent': ['requests sent', ''],
    'concurrency kept': ['concurrency kept', ''],
  }

export function generatorSheet(verdict: GeneratorVerdict): Sheet {
  const { generator, command, load, tolerance, counts, figures, invalid } = verdict
  const scripts = Map.groupBy(figures, ({ script }) => script)
  const { requests, concurrency, ratePerSecond } = load
  const name = `${generator.title}${generator.version === null ? '' : ` ${generator.version}`}`
  return {
    title: 'judge',
    verdict: verdict.verdict,
    heading: name,
    tiles: [
      { name: 'True', value: String(counts.true), about: `of ${figures.length} figures` },
      { name: 'Off', value: String(counts.off), about: `of ${figures.length} figures` },
      { name: 'Not reported', value: String(counts.notReported), about: `of ${figures.length} figures` },
    ],
    about: [
      command.join(' '),
      `${requests} requests of each script; concurrency ${concurrency}, rate ${ratePerSecond}/s; tolerance ${tolerance.ms} ms, ${tolerance.percent} %`,
    ],
    parts: Array.from(scripts, ([script, rows]) => ({
      title: `${script}: ${SCRIPTS[script]?.about ?? ''}`,
      columns: ['figure', 'found'],
      rows: rows.map((row) => ({
        cells: [FIGURE_NAMES[row.figure][0], sentenceOf(row)],
        outcome: { look: LOOK_OF[row.found], text: row.found },
      })),
      kind: 'sentences' as const,
    })),
    invalid,
    line: `${verdict.verdict.toUpperCase()} ${name}: ${counts.true} true, ${counts.off} off, ${counts.notReported} not reported, ${counts.notJudged} not judged`,
  }
}

/** `off by +240 ms (p50): reported 341 ms, truth 97.6 to 114 ms, reading 'output'` */
export function sentenceOf({ figure, found, reading, values, why }: FigureVerdict): string {
  const unit = FIGURE_NAMES[figure][1]
  const judged = values.filter(({ isTail }) => !isTail)
  const [worst] = judged.toSorted((one, other) => Math.abs(other.off) - Math.abs(one.off))
  if (worst === undefined) return why === null ? found : `${found}: ${why}`
  const said = figure === 'requests sent' || figure === 'concurrency kept' ? 'ordered' : 'reported'
  const { statistic, reported, least, most, off } = worst
  const shown = found === 'true' ? judged.map((one) => one.statistic).join(', ') : statistic
  const [low, high] = [numeral(least), numeral(most)]
  return [
    found,
    off === 0 ? '' : ` by ${off > 0 ? '+' : ''}${numeral(off)}${unit}`,
    unit === '' ? '' : ` (${shown})`,
    `: ${said} ${numeral(reported)}${unit}, truth ${low === high ? low : `${low} to ${high}`}${unit}`,
    reading === null ? '' : `, reading '${reading}'`,
    why === null ? '' : `; ${why}`,
  ].join('')
}

export const numeral = (value: number): string => (Number.isInteger(value) ? String(value) : format(value))
