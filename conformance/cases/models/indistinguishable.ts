// Whether a client can distinguish two kinds of answer by the members that each kind repeats.
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import type { Mismatch } from '../../../harness/verify/verify.ts'
import { isRecord, show } from '../../../harness/verify/json-value.ts'

/** Names of headers with an id of the request, which the body may contain too. */
const REQUEST_ID_HEADER = /request-id|trace/i

/** Numbers and ids in a text, which may differ from one answer to the next. */
const NUMBER_OR_ID = /[\dA-F-]*\d[\dA-F-]*/gi

/** Two answers to the same request. */
export type Pair = readonly [Exchange, Exchange]

/**
 * Compares two answers of one kind with two of another. A value that differs within a kind, such as an id or a time,
 * does not distinguish the kinds; the status and every other member of the body do. Send the requests in the order
 * first, second, second, first, so that a counter does not look like a difference. `rename` makes the names in the
 * answers equal.
 */
export function difference(
  first: Pair,
  second: Pair,
  rename: (text: string) => string,
): Mismatch | undefined {
  const all = [...first, ...second].map((exchange) => facets(exchange, rename))
  for (const name of new Set(all.flatMap((facet) => [...facet.keys()]))) {
    const values = all.map((facet) => facet.get(name))
    const masked = values.map((value) => value?.replace(NUMBER_OR_ID, '#'))
    if (differs(values) || differs(masked))
      return {
        expected: `${name} ${show(values[2])}, as for the other`,
        actual: show(values[0]),
      }
  }
  return undefined
}

/** Both kinds repeat themselves, each in its own way. */
function differs([firstA, firstB, secondA, secondB]: readonly (string | undefined)[]): boolean {
  return firstA === firstB && secondA === secondB && firstA !== secondA
}

/** The visible parts of an answer by name. */
function facets(exchange: Exchange, rename: (text: string) => string): Map<string, string> {
  const { response } = exchange
  const found = new Map([['status', String(response.status)]])
  const ids = response.headers.filter(([name, id]) => REQUEST_ID_HEADER.test(name) && id.length >= 8)
  const clean = (value: string): string =>
    rename(ids.reduce((rest, [, id]) => rest.replaceAll(id, '#'), value))
  for (const [path, value] of leaves(json(exchange))) found.set(`body${path}`, clean(value))
  return found
}

/** Every member that is not an object or array, by path. */
function leaves(value: unknown, path = ''): (readonly [path: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${path}[${at}]`))
  if (isRecord(value)) return Object.entries(value).flatMap(([name, item]) => leaves(item, `${path}.${name}`))
  return [[path, JSON.stringify(value) ?? 'undefined']]
}
