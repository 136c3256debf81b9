// The table of the load generators that were judged, as a part of a document: from the reports in `results/generators`.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readGivenJson } from '../../harness/bounds/read-file.ts'
import { withSection } from '../../harness/page-section.ts'
import type { GeneratorVerdict } from '../clock/generator-verdict.ts'
import type { FigureVerdict } from '../clock/judge-figures.ts'
import { FIGURE_NAMES, numeral, sentenceOf } from './generator-sheet.ts'

const SECTION = {
  begin: '<!-- generators: `npm run docs` writes this part -->',
  end: '<!-- end of generators -->',
}

const MOST_BYTES = 1024 * 1024

/** The reports in a folder, which `judge --json` wrote. */
export function readGenerators(folder: string): readonly GeneratorVerdict[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.toSorted().map((name) => {
    const file = join(folder, name)
    return readGivenJson(file, file, MOST_BYTES) as GeneratorVerdict
  })
}

/** A page with the table between its marks. Throws if it has none. */
export function withGenerators(page: string, generators: readonly GeneratorVerdict[]): string {
  const names = generators.map(nameOf)
  const keys = new Map(generators.flatMap(({ figures }) => figures.map((row) => [keyOf(row), row] as const)))
  const rows = Array.from(keys, ([key, { script, figure }]) => [
    `\`${script}\``,
    FIGURE_NAMES[figure][0],
    ...generators.map(({ figures }) => cellOf(figures.find((row) => keyOf(row) === key))),
  ])
  const table = [['script', 'figure', ...names], Array(names.length + 2).fill('---'), ...rows]
  const off = generators.flatMap((generator) =>
    generator.figures
      .filter(({ found }) => found === 'off')
      .map(
        (row) =>
          `- ${nameOf(generator)}, \`${row.script}\`, ${FIGURE_NAMES[row.figure][0]}: ${sentenceOf(row)}`,
      ),
  )
  return withSection(page, SECTION, [...table.map((cells) => `| ${cells.join(' | ')} |`), '', ...off])
}

const keyOf = ({ script, figure }: FigureVerdict): string => `${script} ${figure}`

const nameOf = ({ generator }: GeneratorVerdict): string =>
  [generator.title, generator.version ?? ''].join(' ').trim()

function cellOf(row: FigureVerdict | undefined): string {
  if (row === undefined || row.found === 'not reported') return '–'
  if (row.found !== 'off') return row.found === 'true' ? '✓' : '?'
  const [worst = 0] = row.values
    .filter(({ isTail }) => !isTail)
    .map(({ off }) => off)
    .toSorted((one, other) => Math.abs(other) - Math.abs(one))
  return `**${worst > 0 ? '+' : ''}${numeral(worst)}**`
}
