// Whether two kinds of answer can be told apart, by what stays the same from one answer of a kind to the next.
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import type { Mismatch } from '../../../harness/verify/verify.ts'
import { isRecord, show } from '../../../harness/verify/json-value.ts'

/** An id of the request, which may stand in the body too. */
const REQUEST_ID_HEADER = /request-id|trace/i

/** What is like a number or an id, and may differ from one answer to the next inside a text. */
const NUMBER_OR_ID = /[\dA-F-]*\d[\dA-F-]*/gi

/** Two answers to the same request. */
export type Pair = readonly [Exchange, Exchange]

/**
 * Holds two answers of one kind against two of another. What differs within a kind (an id, a time) is no difference
 * between the kinds; all else is: the status, and each member of the body. Ask in the
 * order first, second, second, first, so that what counts up or alternates cannot look like a difference. `rename`
 * makes the names in the answers the same.
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

/** What can be seen of an answer, each thing under a name for a reader. */
function facets(exchange: Exchange, rename: (text: string) => string): Map<string, string> {
  const { response } = exchange
  const found = new Map([['status', String(response.status)]])
  const ids = response.headers.filter(([name, id]) => REQUEST_ID_HEADER.test(name) && id.length >= 8)
  const clean = (value: string): string =>
    rename(ids.reduce((rest, [, id]) => rest.replaceAll(id, '#'), value))
  for (const [path, value] of leaves(json(exchange))) found.set(`body${path}`, clean(value))
  return found
}

/** Every member that is no object or array, by its path. */
function leaves(value: unknown, path = ''): (readonly [path: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${path}[${at}]`))
  if (isRecord(value)) return Object.entries(value).flatMap(([name, item]) => leaves(item, `${path}.${name}`))
  return [[path, JSON.stringify(value) ?? 'undefined']]
}
