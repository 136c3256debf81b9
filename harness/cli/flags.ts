// One table of flags: from it come the parser, the text of `--help`, the keys of a config file and the table in docs/.
import { parseArgs } from 'node:util'
import { redactKeys } from '../../spec/protocol/key.ts'
import type { Reader } from './flag-values.ts'
import { wrap } from './text.ts'
import { UsageError } from './usage-error.ts'

/** A flag that is there or not. */
export interface Switch {
  /** As it is typed: its name, and what stands for its value, as `--limit N/SECONDS`. */
  readonly usage: string
  readonly short?: string
  /** The heading of the help that it and the flags after it stand under; that of the flag before where absent. */
  readonly group?: string
  /** What it means, in Markdown. */
  readonly about: string
  /** What holds where it is left out, in Markdown; nothing where that is plain. */
  readonly fallback?: string | number
  /** The commands that take it; all of them where nothing is said. */
  readonly commands?: readonly string[]
  /** False where only the command line may have it, and no config file. */
  readonly inFile?: false
}

/** A flag with a value. */
export interface ValueFlag<Value> extends Switch {
  readonly read: Reader<Value>
  /** May be given several times: each adds a value. */
  readonly multiple?: true
  /** One value is a list with commas, which may be given in parts, and which a config file may have as an array. */
  readonly list?: true
}

export type Flag = Switch | ValueFlag<unknown>
export type Flags = Readonly<Record<string, Flag>>

/** What was given for each flag by its name: text, several texts, or whether a switch is on. */
export type Given = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export const HELP_FLAG: Switch = { usage: '--help', short: 'h', about: 'this text', inFile: false }

export const takesValue = (flag: Flag): flag is ValueFlag<unknown> => 'read' in flag

/** The name of a flag, as a config file has it. */
export const nameOf = ({ usage }: Flag): string => /^--([a-z-]+)/.exec(usage)?.[1] ?? ''

/** Splits the arguments into flags and what stands beside them. Throws `UsageError`, which never repeats a key. */
export function parseFlags(
  flags: Flags,
  args: readonly string[],
): { readonly given: Given; readonly positionals: readonly string[] } {
  const options = Object.values(flags).map((flag) => [
    nameOf(flag),
    {
      type: takesValue(flag) ? ('string' as const) : ('boolean' as const),
      ...(flag.short === undefined ? {} : { short: flag.short }),
      ...(takesValue(flag) && (flag.multiple || flag.list) ? { multiple: true } : {}),
    },
  ])
  const lists = Object.values(flags).filter((flag) => takesValue(flag) && flag.list && !flag.multiple)
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(options),
      strict: true,
      allowPositionals: true,
    })
    // A list that is given in parts is one list.
    const joined = lists.flatMap((flag) => {
      const parts: unknown = Object.entries(values).find(([name]) => name === nameOf(flag))?.[1]
      return Array.isArray(parts) ? [[nameOf(flag), parts.join(',')] as const] : []
    })
    return { given: { ...values, ...Object.fromEntries(joined) }, positionals }
  } catch (error) {
    // A key may stand where a flag should. The first sentence names what is wrong; what follows is advice.
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/)
    throw new UsageError(redactKeys(line))
  }
}

/** Throws `UsageError` for a flag that this command does not take. */
export function checkCommand(flags: Flags, given: Given, command: string): void {
  for (const flag of Object.values(flags))
    if (given[nameOf(flag)] !== undefined && flag.commands?.includes(command) === false)
      throw new UsageError(`--${nameOf(flag)}: ${command} does not take it, only ${flag.commands.join(', ')}`)
}

/** Reads what was given through the readers of the table, each throwing `UsageError`. */
export function valuesOf(given: Given) {
  const texts = (flag: Flag): readonly string[] =>
    [given[nameOf(flag)] ?? []].flat().filter((text) => typeof text === 'string')
  const all = <Value>(flag: ValueFlag<Value>): readonly Value[] =>
    texts(flag).map((text) => flag.read(text, `--${nameOf(flag)}`))
  return {
    isOn: (flag: Switch): boolean => given[nameOf(flag)] === true,
    all,
    one: <Value>(flag: ValueFlag<Value>): Value | undefined => all(flag)[0],
  }
}

/** How wide the left column of a help is, and a whole line of it, in characters. */
const LEFT = 25
const WIDTH = 118

/** A line of a help: what is typed, and what it means. */
export function helpLine(usage: string, about: string): string {
  const [first = '', ...more] = wrap(about, WIDTH - LEFT)
  const gap = usage.length + 2 < LEFT ? ''.padEnd(LEFT - 2 - usage.length) : '  '
  return [`  ${usage}${gap}${first}`, ...more.map((line) => ' '.repeat(LEFT) + line)].join('\n')
}

/** The flags for `--help`, each group under its heading. */
export function renderHelp(flags: Flags): string {
  const lines: string[] = []
  for (const flag of Object.values(flags)) {
    if (flag.group !== undefined) lines.push('', flag.group)
    lines.push(helpLine(flag.usage, aboutOf(flag)))
  }
  return lines.join('\n').trimStart()
}

function aboutOf({ about, fallback }: Flag): string {
  return `${about}${fallback === undefined ? '' : ` (${fallback})`}`.replaceAll('`', '')
}

const [BEGIN, END] = ['<!-- flags: `npm run flags` writes this table -->', '<!-- end of flags -->']

/** A page with the table of these flags between its markers. Throws where it has none. */
export function withFlagTable(page: string, flags: Flags): string {
  const [before, rest] = page.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} and ${END}`)
  const rows = Object.values(flags).map(
    (flag) => `| \`${flag.usage}\` | ${flag.about} | ${flag.fallback ?? ''} |`,
  )
  const table = ['| flag | meaning | default |', '|---|---|---|', ...rows]
  return `${before}${BEGIN}\n${table.join('\n')}\n${END}${after}`
}
