// `POST /faults` (FAULTS=on): a key orders that its next requests fail. For the tests of clients, whose prompts are not theirs to
// choose.
import { quoted } from '../../spec/protocol/key.ts'
import { errorCodeOf } from '../../spec/protocol/error.ts'
import { ApiError, invalidRequest } from '../http/api-error.ts'
import { jsonAnswer, type Operation } from '../http/call.ts'
import { type BodyBounds, readJsonBody } from '../http/json-body.ts'
import { andThen } from '../http/soon.ts'

/** The statuses that can be ordered. */
export const LEAST_STATUS = 400
export const MOST_STATUS = 599

/** The members of an order, each with its least and its largest value. */
const MEMBERS = {
  /** The status of the answers. */
  status: [LEAST_STATUS, MOST_STATUS],
  /** The number of requests that fail. Default: 1. */
  count: [1, 1_000_000],
  /** The `Retry-After` of the answers, in seconds. Default: none. */
  retry_after: [0, 86_400],
} as const

type Member = keyof typeof MEMBERS
type Order = Partial<Record<Member, number>> & { readonly status: number; readonly count: number }

/** Keys whose orders are kept, and the orders of one; a further key replaces the oldest. */
const MOST_KEYS = 1_000
const MOST_ORDERS = 100

/** The failure that an order asks for. */
export function orderedFailure(status: number, retryAfter?: number): ApiError {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return new ApiError(status, errorCodeOf(status), 'This failure was ordered.', { headers })
}

export type OrderedFailures = ReturnType<typeof createOrderedFailures>

export function createOrderedFailures(bounds: BodyBounds) {
  const orders = new Map<string, readonly Order[]>()
  return {
    /** Answers `POST /faults`: an order, or a list of orders in turn, replaces those of the same key. */
    order: ((exchange, caller) =>
      andThen(readJsonBody(exchange.call, bounds), (body) => {
        const list = Array.isArray(body) ? body : [body]
        if (list.length > MOST_ORDERS) throw invalidRequest(`Expected at most ${MOST_ORDERS} orders.`)
        const read = list.map(readOrder)
        orders.delete(caller.id)
        if (read.length > 0) orders.set(caller.id, read)
        const [oldest] = orders.size > MOST_KEYS ? orders.keys() : []
        if (oldest !== undefined) orders.delete(oldest)
        return jsonAnswer(exchange, 200, JSON.stringify(Array.isArray(body) ? read : read[0]))
      })) satisfies Operation,
    /** The operation, which fails while the orders of its key have requests left. */
    before: (operation: Operation): Operation =>
      function failAsOrdered(exchange, caller) {
        const [order, ...later] = orders.get(caller.id) ?? []
        if (order === undefined) return operation(exchange, caller)
        const left = order.count > 1 ? [{ ...order, count: order.count - 1 }, ...later] : later
        if (left.length > 0) orders.set(caller.id, left)
        else orders.delete(caller.id)
        throw orderedFailure(order.status, order.retry_after)
      },
  }
}

/** Throws a 400 that names the wrong member. */
function readOrder(body: unknown): Order {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest('The order must be a JSON object.')
  const order: Partial<Record<Member, number>> = {}
  for (const [name, value] of Object.entries(body)) {
    if (!isMember(name))
      throw invalidRequest(
        `Unknown member '${quoted(name, 50)}': expected ${Object.keys(MEMBERS).join(', ')}.`,
        quoted(name, 50),
        'unknown_parameter',
      )
    const [least, most] = MEMBERS[name]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw invalidRequest(
        `'${name}' must be a whole number from ${least} to ${most}.`,
        name,
        'invalid_value',
      )
    order[name] = value
  }
  const { status, count = 1, ...rest } = order
  if (status === undefined) throw invalidRequest("'status' is missing.", 'status')
  return { status, count, ...rest }
}

function isMember(name: string): name is Member {
  return Object.hasOwn(MEMBERS, name)
}
