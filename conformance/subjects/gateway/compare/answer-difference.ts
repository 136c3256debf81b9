// Compares a plain answer of the upstream with the one that reached the client (GATE-2, GATE-7).
import { type Difference, type Path, type Tolerance, differenceOf } from './json-difference.ts'
import { answerNames } from './known-members.ts'

/** Members at the root that the gateway may write itself. */
const REWRITTEN = new Set(['id', 'created', 'model', 'system_fingerprint'])

/** `usage` has a row of its own. */
const tolerance: Tolerance = {
  mayAdd: () => true,
  mayDrop: (path, sent) =>
    sent === null || isUnknown(path) || isUsage(path) || path[0] === 'system_fingerprint',
  mayChange: (path) =>
    isUsage(path) || (path.length === 1 && typeof path[0] === 'string' && REWRITTEN.has(path[0])),
}

/** The first documented member that did not arrive unchanged. */
export function answerDifference(sent: unknown, arrived: unknown): Difference | undefined {
  return differenceOf(sent, arrived, tolerance)
}

/** The first count that did not arrive; counts may be added. */
export function usageDifference(sent: unknown, arrived: unknown): Difference | undefined {
  const added = { mayAdd: () => true, mayDrop: (_: Path, count: unknown) => count === null }
  return differenceOf(sent, arrived, added, ['usage'])
}

function isUnknown(path: Path): boolean {
  const name = path.at(-1)
  return typeof name === 'string' && !answerNames.has(name)
}

const isUsage = (path: Path): boolean => path[0] === 'usage'
