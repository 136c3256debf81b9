// The comparison for a terminal: a column for each report, a line for each requirement, and a mark if they differ.
import { lineOf } from '../labels.ts'
import { type ComparedRow, type Comparison, countDiffering, differs, letterOf } from './comparison.ts'
import { outcomeStyle } from '../outcome-style.ts'
import { type ConsoleOptions, type Pen, createPen } from '../../../harness/cli/pen.ts'
import { printable } from '../../../harness/cli/text.ts'
import { underSections } from '../console-report.ts'

/** The width of a column: the longest label, its sign and spaces. */
const CELL = 'not applicable'.length + 4

export function renderComparison(comparison: Comparison, options: ConsoleOptions): string {
  const { servers, rows, tiers } = comparison
  const pen = createPen(options)
  const heads = servers.map((_, column) => letterOf(column).padEnd(CELL)).join('')
  const lines = [
    ...servers.map((server, column) => `${pen.paint('bold', letterOf(column))}  ${printable(server)}`),
    '',
    `${' '.repeat(21)}${pen.paint('bold', heads)}`,
    ...underSections(rows, pen, (row) => renderRow(row, pen)),
    '',
    countDiffering(rows),
    ...tiers.flatMap((counts, column) =>
      counts === null ? [] : [`${pen.paint('bold', letterOf(column))}  ${lineOf(counts)}`],
    ),
    ...renderChanges(comparison, pen),
    '',
  ]
  return lines.map((line) => line.trimEnd()).join('\n')
}

function renderRow(row: ComparedRow, pen: Pen): string {
  const { id, level, outcomes } = row
  const mark = differs(row) ? pen.paint('bold', '≠') : ' '
  return `${mark} ${id.padEnd(11)}${pen.paint('gray', level.padEnd(8))}${outcomes.map((outcome) => cell(outcome, pen)).join('')}`
}

/** The padding is not painted, so that it can be trimmed at the end of a line. */
function cell(outcome: string, pen: Pen): string {
  const { sign, label, style } = outcomeStyle(outcome)
  const text = `${sign} ${label}`
  return pen.paint(style, text) + ' '.repeat(CELL - text.length)
}

function renderChanges({ changes }: Comparison, pen: Pen): readonly string[] {
  if (changes === undefined) return []
  if (changes.length === 0) return ['', 'No check ended in another way.']
  const width = Math.max(...changes.map(({ check }) => check.length))
  return [
    '',
    pen.paint('bold', 'What changed'),
    ...changes.map(({ check, from, to }) => `  ${check.padEnd(width)}  ${cell(from, pen)}→ ${cell(to, pen)}`),
  ]
}
