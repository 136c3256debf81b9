// Accepts a request without the members that the format does not know, and lists the ignored members.
import type { SafeParseReturnType, ZodTypeAny } from 'zod'
import { isExactNumber } from '../protocol/exact-json.ts'
import { isRecord } from './collections.ts'
import { formatPath, meantIssue, type Path } from './request-issue.ts'

/**
 * Parses the JSON `value` at `path` with `schema`, without the members that it refuses as unknown. Each attempt removes
 * those of one object, and the number of such objects is bounded by that of tools.
 */
export function parseKnown(
  schema: ZodTypeAny,
  value: unknown,
  path: Path,
): SafeParseReturnType<unknown, unknown> {
  let parsed = schema.safeParse(value, { path: [...path] })
  let kept: unknown
  while (!parsed.success) {
    const found = meantIssue(parsed.error)
    if (found.code !== 'unrecognized_keys') break
    kept ??= copyOf(value)
    const place = found.path
      .slice(path.length)
      .reduce<unknown>((at, key) => Reflect.get(Object(at), key), kept)
    for (const key of found.keys) Reflect.deleteProperty(Object(place), key)
    parsed = schema.safeParse(kept, { path: [...path] })
  }
  return parsed
}

/** The members of the JSON value `sent` that its schema dropped from `taken`, for example `tools[0].cache_control`. */
export function ignoredMembers(sent: unknown, taken: unknown, path: Path = []): string[] {
  if (sent === taken || typeof sent !== 'object' || sent === null) return []
  return Object.keys(sent).flatMap((name) => {
    const here = [...path, Array.isArray(sent) ? Number(name) : name]
    if (!Object.hasOwn(Object(taken), name)) return [formatPath(here)]
    return ignoredMembers(Reflect.get(sent, name), Reflect.get(Object(taken), name), here)
  })
}

/** A copy of a JSON value. `structuredClone` would not keep exact numbers. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isRecord(value) || isExactNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}
