// Schemas as sets of keywords: merging several schemas, and resolving references.
import { isRecord } from '../../../../spec/schemas/collections.ts'

export type Keywords = { readonly [keyword: string]: unknown }

/** Merges schemas keyword by keyword as far as possible; the validator checks the rest. */
export function mergeAll(own: Keywords, others: readonly unknown[]): unknown {
  let merged: Keywords = own
  for (const other of others) {
    if (other === false) return false
    if (isRecord(other)) merged = merge(merged, other)
  }
  return merged
}

function merge(a: Keywords, b: Keywords): Keywords {
  const merged: Record<string, unknown> = { __proto__: null, ...a }
  for (const [keyword, value] of Object.entries(b)) {
    const had = merged[keyword]
    if (had === undefined) merged[keyword] = value
    else if (keyword === 'required' && Array.isArray(had) && Array.isArray(value))
      merged[keyword] = [...new Set([...had, ...value])]
    else if (keyword === 'properties' && isRecord(had) && isRecord(value))
      merged[keyword] = mergeProperties(had, value)
    else if (keyword.startsWith('min') || keyword === 'exclusiveMinimum')
      merged[keyword] = Math.max(Number(had), Number(value))
    else if (keyword.startsWith('max') || keyword === 'exclusiveMaximum')
      merged[keyword] = Math.min(Number(had), Number(value))
    else if (keyword === 'type')
      merged[keyword] = [had].flat().filter((type) => [value].flat().includes(type))
    else if (keyword === 'enum' && Array.isArray(had) && Array.isArray(value))
      merged[keyword] = had.filter((item) => value.includes(item))
    else if (keyword === 'anyOf' || keyword === 'oneOf')
      merged['allOf'] = [...[merged['allOf'] ?? []].flat(), { [keyword]: value }]
    else merged[keyword] = value
  }
  return merged
}

function mergeProperties(a: Keywords, b: Keywords): Keywords {
  const merged: Record<string, unknown> = { __proto__: null, ...a }
  for (const [name, schema] of Object.entries(b))
    merged[name] = Object.hasOwn(a, name) ? { allOf: [a[name], schema] } : schema
  return merged
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The target of a reference such as `#/a/b` in `root`; undefined if there is none. */
export function targetOf(root: unknown, pointer: string): unknown {
  if (!/^#(?:\/|$)/.test(pointer)) return undefined
  let here: unknown = root
  for (const step of decoded(pointer.slice(1)).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined
    here = Reflect.get(here, name)
  }
  return here
}

/** The decoded text, or the text itself if its percent encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
