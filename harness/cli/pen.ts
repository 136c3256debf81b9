// Colours, if the output is a terminal that supports them.
import { styleText } from 'node:util'
import { cut } from './text.ts'

export type Style = Parameters<typeof styleText>[0]

export interface ConsoleOptions {
  readonly color: boolean
  /** The width of the terminal, in characters; that of a file or a log is the width of wrapped text. */
  readonly columns: number
  /** A line may be longer than `columns`, because nothing is cut off in a file or a log. */
  readonly anyLength?: boolean
}

export interface Pen extends ConsoleOptions {
  paint(style: Style, text: string): string
  /** Cuts a text to the room that is left in its line. */
  fit(text: string, room: number): string
}

export function createPen(options: ConsoleOptions): Pen {
  return {
    ...options,
    fit: (text, room) => (options.anyLength === true ? text : cut(text, room)),
    paint: (style, text) => (options.color ? styleText(style, text, { validateStream: false }) : text),
  }
}

/** The capabilities of a stream: colour only on a terminal without `NO_COLOR`. */
export function consoleOptions(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): ConsoleOptions {
  const terminal = stream.isTTY === true
  const wanted = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  // Some terminals report a width of 0.
  const columns = (terminal && stream.columns) || 110
  return { color: terminal && wanted, columns, ...(terminal ? {} : { anyLength: true }) }
}
