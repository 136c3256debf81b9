// Reads and checks the fault order at the start of a prompt: deterministic faults for developers who test their clients.
import { quoted } from '../../spec/protocol/key.ts'
import { invalidRequest } from '../http/api-error.ts'
import { LEAST_STATUS, MOST_STATUS } from './ordered-failures.ts'

/** The longest pause that an order may request, in milliseconds. */
const MAX_PAUSE = 600_000

/** The faults to inject, each with its largest value. Counts are of deltas, times in milliseconds unless stated otherwise. */
const FAULTS = {
  /** Answer with this status instead, from 400 on. */
  status: MOST_STATUS,
  /** The `Retry-After` of that answer, in seconds. */
  'retry-after': 86_400,
  /** Wait before the first byte. */
  delay: MAX_PAUSE,
  /** Pause once, after `at` deltas. */
  stall: MAX_PAUSE,
  at: 1_000_000,
  /** Cut the connection after this number of deltas. */
  cut: 1_000_000,
  /** Fail after this number of deltas, like a service that fails in mid-stream. */
  error: 1_000_000,
} as const

type Fault = keyof typeof FAULTS

export type FaultOrder = { [Name in Fault]?: number }

const PREFIX = '#fault '

/**
 * Splits a prompt into the order on its first line and the text after it; undefined if it starts without an order.
 * `#fault status=429 retry-after=2`, `delay=MS`, `stall=MS at=N`, `cut=N`, `error=N`. Throws a 400 for `param`, the name of
 * the prompt in the request, that names the wrong word.
 */
export function readFaultOrder(
  prompt: string,
  param: string,
): { readonly order: FaultOrder; readonly rest: string } | undefined {
  if (!prompt.startsWith(PREFIX)) return undefined
  const end = prompt.indexOf('\n')
  const line = end === -1 ? prompt : prompt.slice(0, end)
  const order: FaultOrder = {}
  const refusal = (reason: string) =>
    invalidRequest(`Invalid fault order: ${reason}.`, param, 'invalid_value')
  for (const word of line.slice(PREFIX.length).split(/\s+/)) {
    if (word === '') continue
    const [, name = '', digits = ''] = /^([a-z-]+)=(\d+)$/.exec(word) ?? []
    if (!isFault(name))
      throw refusal(
        `'${quoted(word, 50)}' is not a fault: expected ${Object.keys(FAULTS).join('=, ')}= with a number`,
      )
    if (name in order) throw refusal(`'${name}' is given twice`)
    const value = Number(digits)
    if (value > FAULTS[name]) throw refusal(`'${name}' is at most ${FAULTS[name]}, got ${digits}`)
    if (name === 'status' && value < LEAST_STATUS)
      throw refusal(`'status' is at least ${LEAST_STATUS}, got ${digits}`)
    order[name] = value
  }
  if (Object.keys(order).length === 0) throw refusal('the order is empty')
  if ('retry-after' in order && !('status' in order)) throw refusal("'retry-after' needs 'status'")
  if ('at' in order && !('stall' in order)) throw refusal("'at' needs 'stall'")
  return { order, rest: end === -1 ? '' : prompt.slice(end + 1) }
}

function isFault(name: string): name is Fault {
  return Object.hasOwn(FAULTS, name)
}
