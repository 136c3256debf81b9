// Deterministic faults for people who test their clients: the order that a prompt begins with, read and checked.

/** What an order asks for. All of it is optional; counts are of deltas, times in milliseconds. */
export interface FaultOrder {
  /** Answer with this status of the table instead. */
  readonly status?: 400 | 401 | 404 | 429 | 500 | 503
  /** The `Retry-After` of that answer, in seconds. */
  readonly retryAfter?: number
  /** Wait so long before the first byte. */
  readonly delayMs?: number
  /** Pause so long once, after `stallAt` deltas. */
  readonly stallMs?: number
  readonly stallAt?: number
  /** Cut the connection after so many deltas. */
  readonly cutAfter?: number
  /** Fail after so many deltas, as a service that breaks in the middle does. */
  readonly errorAfter?: number
}

/** An order that cannot be read; the message says what is wrong with which of its words. */
export class FaultOrderError extends Error {
  override readonly name = 'FaultOrderError'
}

/** Longest pause that may be asked for. */
const MAX_PAUSE_MS = 600_000

const STATUSES = [400, 401, 404, 429, 500, 503] as const

/** What a fault order begins with. */
const PREFIX = '#fault '

/**
 * Takes a prompt apart: the order of its first line and the text behind it, or undefined where it begins with none.
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
  const given = new Map<string, number>()
  for (const word of words) {
    const [, name = '', digits = ''] = /^([a-z-]+)=(\d+)$/.exec(word) ?? []
    const most = BOUNDS.get(name)
    if (most === undefined)
      throw new FaultOrderError(
        `'${word.slice(0, 50)}' is no fault: expected ${[...BOUNDS.keys()].join('=, ')}= with a number`,
      )
    if (given.has(name)) throw new FaultOrderError(`'${name}' is given twice`)
    const value = Number(digits)
    if (value > most) throw new FaultOrderError(`'${name}' is at most ${most}, got ${digits}`)
    given.set(name, value)
  }
  if (given.size === 0) throw new FaultOrderError('the order is empty')
  for (const [name, needed] of [
    ['retry-after', 'status'],
    ['at', 'stall'],
  ] as const) {
    if (given.has(name) && !given.has(needed)) throw new FaultOrderError(`'${name}' needs '${needed}'`)
  }
  const asked = given.get('status')
  const status = STATUSES.find((known) => known === asked)
  if (asked !== undefined && status === undefined)
    throw new FaultOrderError(`'status' is one of ${STATUSES.join(', ')}, got ${asked}`)

  const order: { -readonly [Member in keyof FaultOrder]: FaultOrder[Member] } = {}
  const put = (member: Exclude<keyof FaultOrder, 'status'>, word: string): void => {
    const value = given.get(word)
    if (value !== undefined) order[member] = value
  }
  if (status !== undefined) order.status = status
  put('retryAfter', 'retry-after')
  put('delayMs', 'delay')
  put('stallMs', 'stall')
  put('stallAt', 'at')
  put('cutAfter', 'cut')
  put('errorAfter', 'error')
  return { order, rest: end === -1 ? '' : prompt.slice(end + 1) }
}

/** The largest value of each word. */
const BOUNDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    status: 599,
    'retry-after': 86_400,
    delay: MAX_PAUSE_MS,
    stall: MAX_PAUSE_MS,
    at: 1_000_000,
    cut: 1_000_000,
    error: 1_000_000,
  }),
)
