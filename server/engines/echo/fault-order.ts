// Reads and checks the fault order at the start of a prompt: deterministic faults for developers who test their clients.

/** The faults to inject. Counts are of deltas, times in milliseconds unless stated otherwise. */
export interface FaultOrder {
  /** Answer with this status of the table instead. */
  readonly status?: 400 | 401 | 404 | 429 | 500 | 503
  /** The `Retry-After` of that answer, in seconds. */
  readonly retryAfter?: number
  /** Wait before the first byte. */
  readonly delayMs?: number
  /** Pause once, after `stallAt` deltas. */
  readonly stallMs?: number
  readonly stallAt?: number
  /** Cut the connection after this number of deltas. */
  readonly cutAfter?: number
  /** Fail after this number of deltas, like a service that fails in mid-stream. */
  readonly errorAfter?: number
}

/** The order is invalid; the message names the wrong word. */
export class FaultOrderError extends Error {
  override readonly name = 'FaultOrderError'
}

/** The longest pause that an order may request. */
const MAX_PAUSE_MS = 600_000

const STATUSES = [400, 401, 404, 429, 500, 503] as const

const PREFIX = '#fault '

/** The words of an order, each with its member and its largest value. */
const WORDS: ReadonlyMap<string, readonly [member: keyof FaultOrder, max: number]> = new Map([
  ['status', ['status', 599]],
  ['retry-after', ['retryAfter', 86_400]],
  ['delay', ['delayMs', MAX_PAUSE_MS]],
  ['stall', ['stallMs', MAX_PAUSE_MS]],
  ['at', ['stallAt', 1_000_000]],
  ['cut', ['cutAfter', 1_000_000]],
  ['error', ['errorAfter', 1_000_000]],
])

/**
 * Splits a prompt into the order on its first line and the text after it; undefined if it starts without an order.
 * `#fault status=429 retry-after=2`, `delay=MS`, `stall=MS at=N`, `cut=N`, `error=N`. Throws `FaultOrderError`.
 */
export function readFaultOrder(
  prompt: string,
): { readonly order: FaultOrder; readonly rest: string } | undefined {
  if (!prompt.startsWith(PREFIX)) return undefined
  const end = prompt.indexOf('\n')
  const line = end === -1 ? prompt : prompt.slice(0, end)
  const words = line
    .slice(PREFIX.length)
    .split(/\s+/)
    .filter((word) => word !== '')
  const given = new Set<string>()
  const order: { -readonly [Member in keyof FaultOrder]: FaultOrder[Member] } = {}
  for (const word of words) {
    const [, name = '', digits = ''] = /^([a-z-]+)=(\d+)$/.exec(word) ?? []
    const [member, max] = WORDS.get(name) ?? []
    if (member === undefined || max === undefined)
      throw new FaultOrderError(
        `'${word.slice(0, 50)}' is not a fault: expected ${[...WORDS.keys()].join('=, ')}= with a number`,
      )
    if (given.has(name)) throw new FaultOrderError(`'${name}' is given twice`)
    given.add(name)
    const value = Number(digits)
    if (value > max) throw new FaultOrderError(`'${name}' is at most ${max}, got ${digits}`)
    if (member !== 'status') order[member] = value
    else order.status = statusOf(value)
  }
  if (given.size === 0) throw new FaultOrderError('the order is empty')
  for (const [name, needed] of [
    ['retry-after', 'status'],
    ['at', 'stall'],
  ] as const) {
    if (given.has(name) && !given.has(needed)) throw new FaultOrderError(`'${name}' needs '${needed}'`)
  }
  return { order, rest: end === -1 ? '' : prompt.slice(end + 1) }
}

function statusOf(value: number): (typeof STATUSES)[number] {
  const status = STATUSES.find((known) => known === value)
  if (status !== undefined) return status
  throw new FaultOrderError(`'status' is one of ${STATUSES.join(', ')}, got ${value}`)
}
