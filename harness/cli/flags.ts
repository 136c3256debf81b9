// A table of flags, from which the parser, the help, the completion of a shell, the keys of a config file and the table
// in docs/ are made.
import { withSection } from '../page-section.ts'
import type { Reader } from './flag-values.ts'
import {
  type Draft,
  draft,
  type GivenValue,
  type NamedSwitch,
  type NamedValue,
  readValues,
  type Values,
} from './named-values.ts'

export interface Switch extends NamedSwitch {
  /** The flag and its value as a person types them, for example `--limit N/SECONDS`. */
  readonly usage: string
  readonly short?: string
  /** The heading in the help for this flag and those after it; absent: the heading of the flag before. */
  readonly group?: string
  /** The commands that accept it; absent: all. */
  readonly commands?: readonly string[]
  /** The commands whose help shows it; absent: all that accept it. The others accept it without effect. */
  readonly usedBy?: readonly string[]
  /** False if a config file cannot set it. */
  readonly inFile?: false
}

export interface ValueFlag<Value> extends Switch, NamedValue<Value> {
  /** The value is a list with commas. A repeated flag extends it, and a config file may have an array. */
  readonly list?: true
  /** Values for shell completion. */
  readonly choices?: readonly string[]
}

export type Flag = Switch | ValueFlag<unknown>
export type Flags = Readonly<Record<string, Flag>>

/** The value of each flag by the flag's name. */
export type Given = Readonly<Record<string, GivenValue>>

type Members = Partial<Omit<ValueFlag<unknown>, 'usage' | 'about' | 'read'>>

/** Describes a flag: `flag('--port N', whole(0, 65_535)).with({ fallback: 80 }).means('Port to listen on')`. */
export function flag(usage: string): Draft<{ readonly usage: string }, Members>
export function flag<Value>(
  usage: string,
  read: Reader<Value>,
): Draft<{ readonly usage: string; readonly read: Reader<Value> }, Members>
export function flag(usage: string, read?: Reader<unknown>) {
  return draft(read === undefined ? { usage } : { usage, read })
}

export const HELP_FLAG = flag('--help')
  .with({ short: '-h', group: 'General', inFile: false })
  .means('Print this help')

export const takesValue = (flag: Flag): flag is ValueFlag<unknown> => 'read' in flag

/** The name of a flag, for example `base-url`: also its key in a config file. */
export const nameOf = ({ usage }: Flag): string => /^--([a-z-]+)/.exec(usage)?.[1] ?? ''

export function isShown(flag: Flag, command: string): boolean {
  return (flag.usedBy ?? flag.commands)?.includes(command) ?? true
}

/** Reads all flags of a table. Throws `UsageError` as their readers do. */
export function readFlags<Table extends Flags>(table: Table, given: Given): Values<Table> {
  return readValues(
    table,
    (flag: Flag) => given[nameOf(flag)],
    (flag) => `--${nameOf(flag)}`,
  )
}

/** The meaning and the default of a flag as plain text. */
export function describe(flag: Flag): string {
  const fallback = fallbackOf(flag)
  return `${flag.about}${fallback === undefined ? '' : ` (default: ${fallback})`}`.replaceAll('`', '')
}

/** The default in Markdown. */
function fallbackOf(flag: Flag): string | number | undefined {
  if (flag.fallback !== undefined || !takesValue(flag)) return flag.fallback
  const value = flag.default
  if (typeof value === 'string') return `\`${value}\``
  return typeof value === 'number' ? value : undefined
}

const MARKS = { begin: '<!-- flags: `npm run docs` writes this table -->', end: '<!-- end of flags -->' }

/** A page with the table of these flags between its markers. Throws if it has no markers. */
export function withFlagTable(page: string, flags: Flags): string {
  const rows = Object.values(flags).map(
    (flag) => `| \`${flag.usage}\` | ${flag.about} | ${fallbackOf(flag) ?? ''} |`,
  )
  return withSection(page, MARKS, ['| flag | meaning | default |', '|---|---|---|', ...rows])
}
