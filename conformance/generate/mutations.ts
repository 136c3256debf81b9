// Changes one place of a JSON value: the only code that sets, adds or removes something in a generated request.
import type { Located } from '../../spec/openapi/schema-values.ts'
import type { Json, JsonObject } from '../../spec/openapi/schema-walk.ts'
import type { Path } from '../../spec/schemas/request-issue.ts'

/** Makes a valid value invalid; the path leads from the value to the place at fault. */
export type Mutate = (value: Json) => Located

/** Applies `mutate` to the value at the path; the new path leads to the place at fault. */
export function mutateAt({ value, path }: Located, mutate: Mutate): Located {
  const [key, ...rest] = path
  if (key === undefined) return mutate(value)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
    throw new RangeError(`the value has no place ${showPath(path)}`)
  const inner = mutateAt({ value: Reflect.get(value, key), path: rest }, mutate)
  const changed =
    isList(value) && typeof key === 'number'
      ? value.with(key, inner.value)
      : { ...object(value), [key]: inner.value }
  return { value: changed, path: [key, ...inner.path] }
}

/** A path as an error names it, for example `messages[0].role`; '' for the whole value. */
export function showPath(path: Path): string {
  return path
    .map((key, depth) => (typeof key === 'number' ? `[${key}]` : depth === 0 ? key : `.${key}`))
    .join('')
}

export function replace(value: Json): Mutate {
  return () => ({ value, path: [] })
}

/** Sets a member and blames it. */
export function put(name: string): (replacement: Json) => Mutate {
  return (replacement) => (value) => ({ value: { ...object(value), [name]: replacement }, path: [name] })
}

export function remove(name: string): Mutate {
  return (value) => ({ value: without(object(value), name), path: [name] })
}

export function without(value: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Returns `value` as an object. Throws `TypeError` for any other value. */
export function object(value: Json): JsonObject {
  if (!isObject(value)) throw new TypeError('expected an object')
  return value
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
