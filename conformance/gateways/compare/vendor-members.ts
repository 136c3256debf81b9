// Members that the format does not know (GATE-13): each should arrive at its place with its value.
import { isDeepStrictEqual } from 'node:util'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import type { Difference, Path } from './difference.ts'

/** The first member of `sent` whose name is not known and that did not arrive. */
export function vendorDifference(
  sent: unknown,
  arrived: unknown,
  known: ReadonlySet<string>,
): Difference | undefined {
  for (const path of unknownPaths(sent, known, [])) {
    const [expected, actual] = [at(sent, ...path), at(arrived, ...path)]
    if (!isDeepStrictEqual(expected, actual)) return { path, sent: expected, arrived: actual }
  }
  return undefined
}

function* unknownPaths(value: unknown, known: ReadonlySet<string>, path: Path): Generator<Path> {
  const members = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : []
  for (const [step, member] of members) {
    const here = [...path, step]
    if (typeof step === 'string' && !known.has(step)) yield here
    else yield* unknownPaths(member, known, here)
  }
}
