// Schemas as sets of keywords, and their references.

export type Keywords = { readonly [keyword: string]: unknown }

/** Schemas that apply together; their `$ref`, `allOf`, `anyOf` and `oneOf` are already resolved. */
export type Alternative = readonly Keywords[]

/** Refuses a keyword. If it returns, the keyword is ignored. */
export type Refuse = (keyword: string | undefined, message: string) => void

/** Keywords that a grammar can express, by the type to which they apply. */
export const EXPRESSED: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'patternProperties',
    'additionalProperties',
    'minProperties',
    'maxProperties',
    'propertyNames',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'],
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The target of a reference such as `#/a/b` in `root`; undefined if there is none. */
export function targetOf(root: unknown, pointer: string): unknown {
  if (!/^#(?:\/|$)/.test(pointer)) return undefined
  let here: unknown = root
  for (const name of stepsOf(decoded(pointer.slice(1)))) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined
    here = Reflect.get(here, name)
  }
  return here
}

/** The names in a JSON pointer such as `/a/b`. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The reference that leads through `steps` from the root. */
export function pointerOf(steps: readonly string[]): string {
  const escaped = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return `#${encodeURI(escaped.join('').toWellFormed()).replaceAll('#', '%23')}`
}

/** The decoded text, or the text itself if its percent encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
