// Compares a plain answer of the upstream with the one that reached the client (GATE-2, GATE-7).
import { type Difference, type Path, type Tolerance, differenceOf } from './json-difference.ts'
import { isRecord } from '../../../../harness/json-value.ts'
import { answerNames } from './known-members.ts'

/** Members at the root that the gateway may write itself; `gate.answer-head` judges whether they are there. */
const HEAD = new Set(['id', 'object', 'created', 'model', 'system_fingerprint'])

const isHead = (path: Path): boolean => path.length === 1 && typeof path[0] === 'string' && HEAD.has(path[0])

/** Absent, null and an empty list of calls, annotations or log probabilities of a refusal mean the same. */
const isNothing = (path: Path, value: unknown): boolean =>
  value === null || (LISTS.has(String(path.at(-1))) && Array.isArray(value) && value.length === 0)

const LISTS = new Set(['tool_calls', 'annotations', 'refusal'])

/** `usage` has a row of its own. */
const tolerance: Tolerance = {
  mayAdd: () => true,
  mayDrop: (path, sent) => isNothing(path, sent) || isUnknown(path) || isUsage(path) || isHead(path),
  mayChange: (path, there, sent) =>
    isUsage(path) || isHead(path) || (isNothing(path, sent) && isNothing(path, there)),
}

/** The first documented member that did not arrive unchanged. */
export function answerDifference(sent: unknown, arrived: unknown): Difference | undefined {
  return differenceOf(sent, arrived, tolerance)
}

/** The first count that did not arrive; counts may be added, and GATE-13 judges those that the format does not know. */
export function usageDifference(sent: unknown, arrived: unknown): Difference | undefined {
  const saysNothing = (value: unknown): boolean =>
    value === null || (isRecord(value) && Object.keys(value).length === 0)
  const added: Tolerance = {
    mayAdd: () => true,
    mayDrop: (path, count) => saysNothing(count) || isUnknown(path),
    mayChange: (_, there, count) => saysNothing(count) && saysNothing(there),
  }
  return differenceOf(sent, arrived, added, ['usage'])
}

function isUnknown(path: Path): boolean {
  const name = path.at(-1)
  return typeof name === 'string' && !answerNames.has(name)
}

const isUsage = (path: Path): boolean => path[0] === 'usage'
