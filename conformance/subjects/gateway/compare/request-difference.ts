// Compares a request of the client with the one that reached the upstream (GATE-1).
import { isRecord } from '../../../../harness/json-value.ts'
import { type Difference, type Path, type Tolerance, differenceOf } from './json-difference.ts'
import { requestNames } from './known-members.ts'

/** Members whose value is the client's own, whatever the names in it. */
const OWN_VALUES = new Set(['parameters', 'schema', 'metadata', 'logit_bias'])

const tolerance: Required<Tolerance> = {
  mayAdd: (path, arrived) => !isInOwnValue(path) && (isUnknown(path) || saysNothing(path, arrived)),
  // GATE-13 is about members that the format does not know.
  mayDrop: (path) => !isInOwnValue(path) && isUnknown(path),
  mayChange: (path, arrived, sent) =>
    isAt(path, 'model') ||
    (isAt(path, 'stream_options', 'include_usage') && arrived === true) ||
    (isAt(path, 'stream_options') && sent === null && onlyCountsUsage(arrived)),
}

/** The first difference that GATE-1 does not allow. */
export function requestDifference(sent: unknown, arrived: unknown): Difference | undefined {
  return differenceOf(withCurrentName(sent, arrived), arrived, tolerance)
}

/**
 * The request with `max_tokens` under the name under which it arrived: the format deprecates it in favour of
 * `max_completion_tokens`, which bounds the same output. The other direction loses the bound at a service that has only
 * the new field.
 */
function withCurrentName(sent: unknown, arrived: unknown): unknown {
  if (!isRecord(sent) || !isRecord(arrived) || Object.hasOwn(sent, 'max_completion_tokens')) return sent
  const { max_tokens: bound, ...rest } = sent
  const isRenamed = Object.hasOwn(arrived, 'max_completion_tokens') && !Object.hasOwn(arrived, 'max_tokens')
  return isRenamed && bound !== undefined ? { ...rest, max_completion_tokens: bound } : sent
}

/** The first changed member of a request. Fields that were added do not count: one check judges those. */
export function changedMember(sent: unknown, arrived: unknown): Difference | undefined {
  const mayAdd: Tolerance['mayAdd'] = (path, value) => path.length === 1 || tolerance.mayAdd(path, value)
  return differenceOf(withCurrentName(sent, arrived), arrived, { ...tolerance, mayAdd })
}

/** Fields that say nothing if they are `false`. */
const OFF = ['stream', 'logprobs', 'store'] as const

/** Says the same as its absence, or is bounded by GATE-7. */
function saysNothing(path: Path, arrived: unknown): boolean {
  if (arrived === null || (arrived === false && OFF.some((name) => isAt(path, name)))) return true
  if (isAt(path, 'stream_options', 'include_usage')) return true
  return isAt(path, 'stream_options') && onlyCountsUsage(arrived)
}

function onlyCountsUsage(options: unknown): boolean {
  return isRecord(options) && Object.keys(options).every((name) => name === 'include_usage')
}

function isInOwnValue(path: Path): boolean {
  return path.slice(0, -1).some((step) => typeof step === 'string' && OWN_VALUES.has(step))
}

function isUnknown(path: Path): boolean {
  const name = path.at(-1)
  return typeof name === 'string' && !requestNames.has(name)
}

function isAt(path: Path, ...names: Path): boolean {
  return path.length === names.length && names.every((name, index) => path[index] === name)
}
