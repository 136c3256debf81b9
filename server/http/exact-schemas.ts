// Keeps the exact numbers of schemas in a request: an id such as 9007199254740993 in `const` or `enum` is not rounded
// to a double. All other numbers of a body are doubles.
import { mayRound, parseExact } from '../../spec/protocol/exact-json.ts'
import { isRecord } from '../../spec/schemas/collections.ts'

/** The paths to the schemas; a path leads to all items of each list on it. */
const WAYS = [
  ['tools', 'function', 'parameters'],
  ['response_format', 'json_schema', 'schema'],
] as const

/** Replaces the schemas of `body`, the value of the JSON `text`, by exact ones. Costs nothing for most bodies. */
export function keepExactSchemas(body: unknown, text: string): void {
  if (!isRecord(body) || !WAYS.some(([field]) => body[field] != null) || !mayRound(text)) return
  const exact = parseExact(text)
  for (const way of WAYS) replace(body, exact, way)
}

function replace(value: unknown, exact: unknown, way: readonly string[]): void {
  if (Array.isArray(value))
    value.forEach((item: unknown, place) => replace(item, Reflect.get(Object(exact), place), way))
  const [name = '', ...further] = way
  if (!isRecord(value) || !isRecord(exact)) return
  if (further.length > 0) replace(value[name], exact[name], further)
  else if (isRecord(value[name])) Reflect.set(value, name, exact[name])
}
