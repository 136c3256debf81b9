// A setting is a zod type that reads the text of a variable or a flag, with the facts that help and README show of it.
import { z } from 'zod'

export interface SettingFacts {
  /** The environment variable. */
  readonly env: string
  /** The flag, without its dashes; it wins over the variable. */
  readonly flag?: 'port' | 'host' | 'data' | 'workers'
  /** One line: what it sets. */
  readonly meaning: string
  /** The default, as a reader needs it. */
  readonly shown: string
  /** The allowed values, if they are a range or a list. */
  readonly range?: string
}

/** Reads text, or undefined if nothing was given. Its messages start with the name of the variable. */
export type Setting = z.ZodType<unknown, z.ZodTypeDef, string | undefined> & { readonly facts: SettingFacts }

/** The flag of a setting, and its default in words where the value alone does not say it. */
type Extras = Partial<Pick<SettingFacts, 'flag' | 'shown'>>

/** Settings whose variables begin with `prefix`, for example `RATE_LIMIT_WINDOW_SECONDS` for `windowSeconds`. */
export function section<Makers extends Readonly<Record<string, (env: string) => Setting>>>(
  prefix: string,
  makers: Makers,
) {
  const settings = Object.entries(makers).map(([name, make]) => [name, make(prefix + upperCase(name))])
  return Object.fromEntries(settings) as { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> }
}

/** `WINDOW_SECONDS` for `windowSeconds`. */
export function upperCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()
}

/** A setting that waits for its meaning, and then for its variable: `whole(10, [1, 60, 's']).means('Interval of …')`. */
function draft<Schema extends z.ZodTypeAny>(
  schemaOf: (env: string) => Schema,
  facts: Omit<SettingFacts, 'env' | 'meaning'>,
) {
  return {
    means: (meaning: string) => (env: string) =>
      Object.assign(schemaOf(env), { facts: { env, meaning, ...facts } satisfies SettingFacts }),
  }
}

/** A whole number within bounds. */
export function whole(
  usual: number,
  [min, max, unit]: readonly [min: number, max: number, unit: string],
  extras: Extras = {},
) {
  const range = `${min} to ${max} ${unit}`.trimEnd()
  const schemaOf = (env: string) => parsed(env, wholeWithin(min, max)).default(String(usual))
  return draft(schemaOf, { shown: String(usual), range, ...extras })
}

/** A bound that is off unless it is set: null for 0, which is the default. */
export function optionalBound([max, unit]: readonly [max: number, unit: string]) {
  const read = wholeWithin(0, max)
  const schemaOf = (env: string) => parsed(env, (text) => read(text) || null).default('0')
  return draft(schemaOf, { shown: '0: no bound', range: `0 to ${max} ${unit}` })
}

/** One of these strings, of which the first is the default. */
export function oneOf(values: readonly [string, ...string[]]) {
  const range = values.join(', ')
  const read = (text: string): string => {
    if (values.includes(text)) return text
    throw new RangeError(`expected one of ${range}, got '${text}'`)
  }
  return draft((env) => parsed(env, read).default(values[0]), { shown: values[0], range })
}

/** Any text. */
export function text(usual: string, extras: Extras = {}) {
  return draft(() => z.string().default(usual), { shown: usual, ...extras })
}

/** The text parsed by `read`; undefined if none was given. */
export function optional<Value>(read: (text: string) => Value, shown: string) {
  return draft((env) => parsed(env, read).optional(), { shown })
}

/** Reads a whole number. Throws `RangeError`. */
export function wholeWithin(min: number, max: number): (text: string) => number {
  return function wholeNumber(text) {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new RangeError(`expected a whole number from ${min} to ${max}, got '${text}'`)
  }
}

/** `read` throws a `RangeError` that says what it expected; where the text is a secret, it must not repeat it. */
function parsed<Value>(env: string, read: (text: string) => Value) {
  return z.string().transform((text, context): Value => {
    try {
      return read(text)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      context.addIssue({ code: 'custom', message: `${env}: ${error.message}` })
      return z.NEVER
    }
  })
}
