// A setting: a named value with its environment variable, and for some a flag that wins over it.
import { oneOf as wordOf, type Reader, whole as wholeWithin } from './flag-values.ts'
import { draft, type NamedValue } from './named-values.ts'

/** A row of the table of settings; `section` adds its variable. */
interface Described extends NamedValue<unknown> {
  /** The flag, without its dashes. */
  readonly flag?: 'port' | 'host' | 'data' | 'workers'
}

export interface Setting extends Described {
  /** The environment variable. Messages begin with it. */
  readonly env: string
}

export type Settings = Readonly<Record<string, Setting>>

/** Settings whose variables begin with `prefix`, for example `RATE_LIMIT_WINDOW_SECONDS` for `windowSeconds`. */
export function section<Table extends Readonly<Record<string, Described>>>(prefix: string, table: Table) {
  const settings = Object.entries(table).map(([name, described]) => [
    name,
    { ...described, env: prefix + upperCase(name) },
  ])
  return Object.fromEntries(settings) as {
    readonly [Name in keyof Table]: Table[Name] & Pick<Setting, 'env'>
  }
}

/** `WINDOW_SECONDS` for `windowSeconds`. */
export function upperCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()
}

function setting<const Members extends Omit<Described, 'about'>>(members: Members) {
  return draft<Members, Pick<Described, 'flag' | 'fallback'>>(members)
}

/** A whole number within bounds, for example `whole(10, [1, 60, 's']).means('Interval of …')`. */
export function whole(usual: number, [min, max, unit]: readonly [min: number, max: number, unit: string]) {
  const range = `${min} to ${max} ${unit}`.trimEnd()
  return setting({ read: wholeWithin(min, max), default: usual, range })
}

/** A bound that is off unless it is set: null for 0, which is the default. */
export function optionalBound([max, unit]: readonly [max: number, unit: string]) {
  const number = wholeWithin(0, max)
  const read: Reader<number | null> = (text, name) => number(text, name) || null
  return setting({ read, default: null, fallback: '0: no bound', range: `0 to ${max} ${unit}` })
}

/** One of these strings, of which the first is the default. */
export function oneOf<Word extends string>(words: readonly [Word, ...Word[]]) {
  const range = words.join(', ')
  return setting({ read: wordOf(words, `one of ${range}`), default: words[0], range })
}

/** Any text. */
export function text(usual: string) {
  return setting({ read: String, default: usual })
}

/** The text read by `read`; undefined if none was given, which `fallback` explains. */
export function optional<Value>(read: Reader<Value>, fallback: string) {
  return setting({ read, fallback })
}

/** The default of a setting as text. */
export function defaultOf(setting: Setting): string {
  return String(setting.fallback ?? setting.default)
}

/** The rows of settings in a table of a document. */
export function tableOf(
  sections: readonly (readonly [title: string, settings: Settings])[],
): readonly string[] {
  const rows = sections.flatMap(([title, settings]) =>
    [`| **${title}** | | | |`].concat(Object.values(settings).map(tableRow)),
  )
  return ['| setting | meaning | default | range |', '|---|---|---|---|', ...rows]
}

function tableRow(setting: Setting): string {
  const { env, flag, about, range = '' } = setting
  const name = flag === undefined ? `\`${env}\`` : `\`${env}\`, \`--${flag}\``
  return `| ${[name, about, defaultOf(setting), range].join(' | ')} |`
}

/** The lines of settings in a help. */
export function helpOf(settings: Settings): string {
  return Object.values(settings).map(helpLine).join('')
}

function helpLine(setting: Setting): string {
  const { env, flag, about, range } = setting
  const name = flag === undefined ? env : `--${flag}, ${env}`
  return `  ${name.padEnd(30)}  ${about} (${[defaultOf(setting), range].filter(Boolean).join('; ')})\n`
}
