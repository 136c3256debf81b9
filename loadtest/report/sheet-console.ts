// A report on a terminal: its tables, why the run is not valid, the notes, and the result as the last line.
import { type ConsoleOptions, createPen } from '../../harness/cli/pen.ts'
import { aligned, cut, printable, wrap } from '../../harness/cli/text.ts'
import { LOOKS, type SheetRow, type Sheet, type Table } from './sheet.ts'

const INDENT = 2

/** The longest cell, in characters: a service chooses the example of a failure. */
const CELL_CHARS = 160

export function renderConsole(sheet: Sheet, terminal: ConsoleOptions): string {
  const { title, heading, about, parts, verdict, line, invalid = [], notes = [] } = sheet
  const sentences = [...invalid.map((why) => `Not valid: ${why}.`), ...notes]
  return [
    printable(`${title}: ${heading}`),
    ...about.map(printable),
    '',
    ...parts.flatMap((part) =>
      part === undefined || !('rows' in part) || part.rows.length === 0 ? [] : tableLines(part, terminal),
    ),
    ...sentences
      .flatMap((one) => wrap(printable(one), terminal.columns - INDENT))
      .map((text) => ' '.repeat(INDENT) + text),
    ...(line === undefined || verdict === undefined
      ? []
      : [createPen(terminal).paint(LOOKS[verdict].colour, line)]),
    '',
  ].join('\n')
}

/** A table with its title above it and an empty line below it. */
export function tableLines(
  { title, columns, rows, kind }: Table,
  terminal: ConsoleOptions = { color: false, columns: 0 },
): readonly string[] {
  const pen = createPen(terminal)
  const texts = rows.map(({ cells }) => cells.map((cell) => printable(cut(String(cell), CELL_CHARS))))
  const outcomeOf = (
    { outcome }: SheetRow,
    text: (outcome: NonNullable<SheetRow['outcome']>) => string,
  ): string => (outcome === undefined ? '' : pen.paint(outcome.look.colour, text(outcome)))
  if (kind === 'sentences') {
    const width = Math.max(...texts.map(([name = '']) => name.length))
    const lines = texts.map(([name = '', ...rest], index) => {
      const sign = outcomeOf(rows[index] ?? { cells: [] }, ({ look }) => look.sign)
      return `  ${sign} ${name.padEnd(width)}  ${rest.join(': ')}`
    })
    return [title, ...lines, '']
  }
  const [head = '', ...lines] = aligned([columns, ...texts], new Set([0]))
  return [
    title,
    `  ${head}`,
    ...lines.map((text, index) => `  ${text}  ${outcomeOf(rows[index] ?? { cells: [] }, (own) => own.text)}`),
    '',
  ].map((text) => text.trimEnd())
}
