// Text of a service or of the catalogue within Markdown: nothing in it ends a line, opens a link or leaves its code span.
import { printable } from '../../../harness/cli/text.ts'

/** Text as words of a line. Backticks stay: a code span has no links, in the judge's text and in a stranger's. An address stays text, too. */
export const words = (text: string): string =>
  line(text)
    .replace(/[\\*_[\]<>#|~&]/g, '\\$&')
    .replaceAll('://', '\\://')
    .replace(/\bwww\./gi, 'www\\.')

/** Text of the catalogue for a cell of a table: its code marks stay, its bars are escaped. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** Text as a code span, whose fence is longer than each run of backticks in it. */
export function code(text: string): string {
  const shown = line(text) || ' '
  if (!shown.includes('`')) return `\`${shown}\``
  const fence = fenceFor(shown, 0)
  return `${fence} ${shown} ${fence}`
}

/** Lines as a code block. */
export function codeBlock(lines: readonly string[]): readonly string[] {
  const text = lines.join('\n')
  const fence = fenceFor(text, 2)
  return [fence, text, fence, '']
}

const line = (text: string): string => printable(text.replaceAll('\n', ' '))

function fenceFor(text: string, least: number): string {
  const longest = Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}
