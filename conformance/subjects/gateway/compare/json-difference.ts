// The first difference between a JSON value that was sent and the one that arrived, both with exact numbers.
import { exactNumber } from '../../../../harness/json-text.ts'
import { isRecord } from '../../../../harness/json-value.ts'

/** A place in a value: names of members and indexes of items. */
export type Path = readonly (string | number)[]

export interface Difference {
  readonly path: Path
  /** Undefined if nothing should be there, or nothing is there. */
  readonly sent: unknown
  readonly arrived: unknown
}

/** The changes that are allowed. Each function gets the path of the member; without it none is. */
export interface Tolerance {
  readonly mayAdd?: (path: Path, arrived: unknown) => boolean
  readonly mayDrop?: (path: Path, sent: unknown) => boolean
  readonly mayChange?: (path: Path, arrived: unknown, sent: unknown) => boolean
}

/**
 * Compares two JSON values as `exactJson` reads them. Integers are compared digit by digit; of fractions, the digits that a
 * reader of binary64 loses behind the 17th do not count. Undefined if nothing differs.
 */
export function differenceOf(
  sent: unknown,
  arrived: unknown,
  tolerance: Tolerance = {},
  path: Path = [],
): Difference | undefined {
  if (tolerance.mayChange?.(path, arrived, sent) === true) return undefined
  const here = { path, sent, arrived }
  const number = numberText(sent)
  if (number !== undefined) return sameNumber(number, numberText(arrived)) ? undefined : here
  if (numberText(arrived) !== undefined) return here
  if (Array.isArray(sent)) {
    if (!Array.isArray(arrived)) return here
    for (const [index, item] of sent.entries()) {
      if (index >= arrived.length) return { path: [...path, index], sent: item, arrived: undefined }
      const difference = differenceOf(item, arrived[index], tolerance, [...path, index])
      if (difference !== undefined) return difference
    }
    const extra = sent.length
    return arrived.length > extra
      ? { path: [...path, extra], sent: undefined, arrived: arrived[extra] }
      : undefined
  }
  if (!isRecord(sent)) return sent === arrived ? undefined : here
  if (!isRecord(arrived)) return here
  for (const [name, value] of Object.entries(sent)) {
    const member = [...path, name]
    if (Object.hasOwn(arrived, name)) {
      const difference = differenceOf(value, arrived[name], tolerance, member)
      if (difference !== undefined) return difference
    } else if (tolerance.mayDrop?.(member, value) !== true)
      return { path: member, sent: value, arrived: undefined }
  }
  for (const [name, value] of Object.entries(arrived)) {
    const member = [...path, name]
    if (!Object.hasOwn(sent, name) && tolerance.mayAdd?.(member, value) !== true)
      return { path: member, sent: undefined, arrived: value }
  }
  return undefined
}

/** The text of a number; undefined for any other value. */
function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return JSON.isRawJSON(value) ? JSON.stringify(value) : undefined
}

function sameNumber(sent: string, arrived: string | undefined): boolean {
  if (arrived === undefined) return false
  const due = exactNumber(sent)
  const isFraction = due.includes('.') || due.includes('e-')
  return isFraction ? Number(sent) === Number(arrived) : due === exactNumber(arrived)
}

/** A path as an error names it, for example `messages[0].content`; `the body` for the root. */
export function showPath(path: Path): string {
  const shown = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return shown === '' ? 'the body' : shown.replace(/^\./, '')
}
