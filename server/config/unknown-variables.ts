// Finds variables that look like settings but are not: a mistyped bound must not be ignored silently.
import { type Settings, upperCase } from '../../harness/cli/setting.ts'
import { SECTIONS } from './settings.ts'

const NAMES = SECTIONS.flatMap(([, settings]) => Object.values(settings).map(({ env }) => env))

/** A prefix that an operator may put before the name of a setting, although no setting has it. */
const BRAND = 'TOUCHSTONE_'

/** The prefix of each section of settings, and the project's name. */
const PREFIXES = [BRAND, ...SECTIONS.flatMap(([, settings]) => prefixOf(settings) || [])]

/** Variables that Kubernetes and Docker set for a neighbouring service: not written by an operator. */
function isServiceLink(name: string, value = ''): boolean {
  return /_SERVICE_(HOST|PORT)|_PORT_\d+_/.test(name) || /^(tcp|udp):\/\//.test(value)
}

/** Maximum number of letters by which a name without a known prefix may differ from the setting it is assumed to mean. */
const MISTYPED = 2

/**
 * One line for each unread variable of `env` that has the prefix of a setting or is almost one. `known` are names that
 * the configuration mentions.
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[] = [],
): string[] {
  return Object.entries(env)
    .filter(([name, value]) => !NAMES.includes(name) && !known.includes(name) && !isServiceLink(name, value))
    .flatMap(([name]) => {
      const setting = PREFIXES.some((prefix) => name.startsWith(prefix))
        ? nearest(name.startsWith(BRAND) ? name.slice(BRAND.length) : name)
        : mistyped(name)
      return setting === undefined
        ? []
        : [`${name} is not a setting and has no effect; the nearest one is ${setting}`]
    })
}

/** The part of a section's variables before the names of its settings. */
function prefixOf(settings: Settings): string {
  const [[name = '', setting] = []] = Object.entries(settings)
  return setting?.env.slice(0, -upperCase(name).length) ?? ''
}

/** The setting that begins with the name, else the one with the smallest edit distance. */
function nearest(name: string, settings: readonly string[] = NAMES): string | undefined {
  const beginning = settings.find((setting) => setting.startsWith(name))
  return beginning ?? settings.toSorted((a, b) => editDistance(name, a) - editDistance(name, b))[0]
}

/** The setting from which a long name differs in few letters. */
function mistyped(name: string): string | undefined {
  if (name.length <= 6) return undefined
  // Most variables of a process are not mistyped settings: comparing lengths first excludes them cheaply.
  const alike = NAMES.filter((setting) => Math.abs(setting.length - name.length) <= MISTYPED)
  return nearest(
    name,
    alike.filter((setting) => editDistance(name, setting) <= MISTYPED),
  )
}

/** The fewest letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    let left = i + 1
    const above = row
    row = [
      left,
      ...Array.from(b, (other, j) => {
        const replaced = (above[j] ?? 0) + (letter === other ? 0 : 1)
        return (left = Math.min((above[j + 1] ?? 0) + 1, left + 1, replaced))
      }),
    ]
  }
  return row.at(-1) ?? 0
}
