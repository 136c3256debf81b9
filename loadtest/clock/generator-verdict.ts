// The verdict on a load generator: each figure of its reports beside the truth of the calibrated service.
import type { VerdictWord } from '../judges/load-verdict.ts'
import type { FigureVerdict, Tolerance } from './judge-figures.ts'

export type GeneratorVerdict = ReturnType<typeof generatorVerdict>

interface JudgedGenerator {
  readonly generator: { readonly name: string; readonly title: string; readonly version?: string | undefined }
  readonly command: readonly string[]
  readonly load: { readonly requests: number; readonly concurrency: number; readonly ratePerSecond: number }
  readonly tolerance: Tolerance
  readonly rows: readonly FigureVerdict[]
  /** The scripts without a report, with the reason. */
  readonly invalid: readonly string[]
}

/** The content of `--json`. Times are milliseconds, rates are per second. */
export function generatorVerdict({ generator, command, load, tolerance, rows, invalid }: JudgedGenerator) {
  const count = (found: FigureVerdict['found']): number => rows.filter((row) => row.found === found).length
  const valid = invalid.length === 0
  const verdict: VerdictWord = count('off') > 0 ? 'fail' : valid && count('true') > 0 ? 'pass' : 'invalid'
  return {
    schema: 'touchstone.generator/1' as const,
    generator: { name: generator.name, title: generator.title, version: generator.version ?? null },
    command,
    verdict,
    valid,
    invalid,
    load,
    tolerance,
    counts: {
      true: count('true'),
      off: count('off'),
      notReported: count('not reported'),
      notJudged: count('not judged'),
    },
    figures: rows,
  }
}
