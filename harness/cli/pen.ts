// Colours, if the output is a terminal that supports them.
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

export interface ConsoleOptions {
  readonly color: boolean
  /** The width of the terminal, in characters. */
  readonly columns: number
}

export interface Pen extends ConsoleOptions {
  paint(style: Style, text: string): string
}

export function createPen(options: ConsoleOptions): Pen {
  return {
    ...options,
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
  return { color: terminal && wanted, columns: (terminal && stream.columns) || 110 }
}
