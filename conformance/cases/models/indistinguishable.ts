// Whether two kinds of answer can be told apart, by what stays the same from one answer of a kind to the next.
import { type Exchange, json, text } from '../../../harness/http/exchange.ts'
import type { Mismatch } from '../../../harness/verify/verify.ts'
import { isRecord, show } from '../../../harness/verify/json-value.ts'

/** Headers that speak of the moment, of the way there or of the length of a name, and nothing of the model. */
const PASSING_HEADER =
  /^(date|age|expires|content-length|set-cookie|via)$|ratelimit|-ms$|time|timing|duration|trace|request-id/i

/** An id of the request, which may stand in the body too. */
const REQUEST_ID_HEADER = /request-id|trace/i

/** What is like a number or an id, and may differ from one answer to the next inside a text. */
const NUMBER_OR_ID = /[\dA-F-]*\d[\dA-F-]*/gi

/** Two answers to the same request. */
export type Pair = readonly [Exchange, Exchange]

/**
 * Holds two answers of one kind against two of another. What differs within a kind (an id, a time) is no difference
 * between the kinds; all else is: status, headers, members, and every byte of a body that repeats itself. Ask in the
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
  for (const [name, value] of response.headers)
    if (!PASSING_HEADER.test(name)) found.set(`header ${name.toLowerCase()}`, rename(value))
  const ids = response.headers.filter(([name, id]) => REQUEST_ID_HEADER.test(name) && id.length >= 8)
  const clean = (value: string): string =>
    rename(ids.reduce((rest, [, id]) => rest.replaceAll(id, '#'), value))
  for (const [path, value] of leaves(json(exchange))) found.set(`body${path}`, clean(value))
  found.set('the body', clean(text(exchange) ?? Buffer.from(response.body).toString('latin1')))
  return found
}

/** Every member that is no object or array, by its path. */
function leaves(value: unknown, path = ''): (readonly [path: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${path}[${at}]`))
  if (isRecord(value)) return Object.entries(value).flatMap(([name, item]) => leaves(item, `${path}.${name}`))
  return [[path, JSON.stringify(value) ?? 'undefined']]
}
