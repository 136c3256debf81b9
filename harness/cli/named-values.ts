// A named value: a text that a person gives as a flag, or as a setting of the server. One definition has its reader, its
// default, its range and its line of help; the help, the tables in the documentation and the validated values come from it.
import type { Reader } from './flag-values.ts'

/** A value without a text: it is given or not. */
export interface NamedSwitch {
  readonly about: string
  /** The default as Markdown; absent if `default` or the line of help has it. */
  readonly fallback?: string | number
}

export interface NamedValue<Value> extends NamedSwitch {
  readonly read: Reader<Value>
  /** The value if none is given. */
  readonly default?: Value
  /** The allowed values, with their unit. */
  readonly range?: string
  /** The value may be repeated: each adds one. */
  readonly multiple?: true
}

/** The text that was given for a value, several texts, or true for a switch. */
export type GivenValue = string | boolean | readonly (string | boolean)[] | undefined

/** A definition without its line of help, for example `{ read }`; `with` adds members of `More`. */
export interface Draft<Members, More> {
  with<const Added extends More>(added: Added): Draft<Members & Added, More>
  means(about: string): Members & { readonly about: string }
}

export function draft<Members extends object, More>(members: Members): Draft<Members, More> {
  return {
    with: (added) => draft({ ...members, ...added }),
    means: (about) => ({ ...members, about }),
  }
}

type Named = NamedSwitch | NamedValue<unknown>

/** The values of a table, by their keys there: a switch is on or off, and a repeated value is a list. */
export type Values<Table extends Readonly<Record<string, Named>>> = {
  readonly [Key in keyof Table]: Table[Key] extends { readonly read: Reader<infer Value> }
    ? Table[Key] extends { readonly multiple: true }
      ? readonly Value[]
      : Value | (Table[Key] extends { readonly default: Value } ? never : undefined)
    : boolean
}

/** Reads all values of a table. `nameOf` returns the name for messages. Throws `UsageError` as the readers do. */
export function readValues<Kind extends Named, Table extends Readonly<Record<string, Kind>>>(
  table: Table,
  givenFor: (named: Kind) => GivenValue,
  nameOf: (named: Kind) => string,
): Values<Table> {
  const values = Object.entries<Kind>(table).map(([key, named]) => {
    const given = givenFor(named)
    if (!('read' in named)) return [key, given === true]
    const texts = [given ?? []].flat().filter((text) => typeof text === 'string')
    const read = texts.map((text) => named.read(text, nameOf(named)))
    return [key, named.multiple ? read : (read[0] ?? named.default)]
  })
  return Object.fromEntries(values)
}
