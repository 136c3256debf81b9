// Fitting text into a terminal.

/** The rows of a table as lines; the columns of `left` are aligned to the left. */
export function aligned(rows: readonly (readonly string[])[], left: ReadonlySet<number>): string[] {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) =>
        left.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

/** The longest code mark that `cut` leaves out rather than cuts, in characters. */
const LONGEST_CODE = 60

/** A text of at most `room` characters, with an ellipsis if it was longer. It does not end within a code mark. */
export function cut(text: string, room: number): string {
  if (text.length <= room) return text
  const short = text.slice(0, room - 1)
  const isOpen = short.split('`').length % 2 === 0
  const mark = short.lastIndexOf('`')
  const end = isOpen && mark > 0 && short.length - mark <= LONGEST_CODE ? mark : short.length
  return `${short.slice(0, end).trimEnd()}…`
}

/** Breaks a text at spaces into lines of at most `width` characters, where its words allow. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Line separators, and characters without width or that change the direction of a line: a reader does not see them. */
const INVISIBLE = '\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'

const UNSHOWN = new RegExp(`[\\p{Cc}${INVISIBLE}]`, 'gu')
const HIDDEN = new RegExp(`[${INVISIBLE}]`, 'gu')

/** Writes control characters and invisible ones as escapes: the text of a server or file must not control a terminal. */
export const printable = (text: string): string => text.replace(UNSHOWN, escaped)

/** The length to which the message of an error is cut, in characters, because it may quote a file. */
const MOST_MESSAGE = 2_000

/** The message of an error as one line. */
export const messageLine = (message: string): string => cut(printable(message), MOST_MESSAGE)

/** Writes invisible characters as escapes, for a page, which shows control characters in its own way. */
export const withoutHidden = (text: string): string => text.replace(HIDDEN, escaped)

function escaped(character: string): string {
  const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
  return known ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
