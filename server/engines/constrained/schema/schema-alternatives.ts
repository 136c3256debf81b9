// Normalises a schema: follows references, joins `allOf`, and multiplies out `anyOf` and `oneOf`. The result is a list of
// alternatives, each a few plain sets of keywords that apply together. A keyword that cannot be expressed is refused.
import { quoted } from '../../../../spec/protocol/key.ts'
import { spend } from '../grammar/effort.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { type Keywords, listOf, targetOf } from './schema-keywords.ts'

/** Schemas that apply together; their `$ref`, `allOf`, `anyOf` and `oneOf` are already resolved. */
export type Alternative = readonly Keywords[]

/** Refuses a keyword. If it returns, the keyword is ignored. */
export type Refuse = (keyword: string, message: string) => void

/** Maximum number of alternatives of one schema. */
const MAX_ALTERNATIVES = 500

/** Keywords that do not affect which values are valid. */
const ANNOTATIONS = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
]

/** Keywords that lead to schemas for the same value. */
const LEADING = ['$ref', 'allOf', 'anyOf', 'oneOf']

/** Keywords that a grammar can express, by the type to which they apply. */
export const EXPRESSED: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'minProperties',
    'maxProperties',
    'propertyNames',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'],
}

/** Keywords that distinguish values by themselves. */
const PLAIN = [...Object.values(EXPRESSED).flat(), 'type', 'const', 'enum']
const KNOWN = new Set([...PLAIN, ...ANNOTATIONS, ...LEADING])
const NEUTRAL = new Set([...ANNOTATIONS, ...LEADING])

export interface Splitting {
  readonly root: Schema
  readonly refuse: Refuse
  /** Whether `a` and `b` have no value in common. */
  apart(a: Alternative, b: Alternative): boolean
  /** Limits the number of alternatives. Default: `MAX_ALTERNATIVES`; more are refused. */
  limited?(alternatives: readonly Alternative[]): readonly Alternative[]
  /** Whether `if` gives alternatives; those with `else` may then match `if` too. Default: not. */
  readonly hasConditions?: boolean
}

/** The alternatives of a value to which all of `schemas` apply: it must match one of them. */
export function alternativesOf(schemas: readonly unknown[], splitting: Splitting): readonly Alternative[] {
  const { root, refuse, apart, limited = refuseMany, hasConditions = false } = splitting

  function of(schema: unknown, followed: readonly unknown[]): readonly Alternative[] {
    if (schema === false) return []
    if (!isRecord(schema)) return [[]]
    spend(1 + followed.length + Object.keys(schema).length)
    // A schema that refers to itself adds nothing new.
    if (followed.includes(schema)) return []
    const way = [...followed, schema]
    const strange = Object.keys(schema).find((name) => !KNOWN.has(name))
    if (strange !== undefined)
      refuse(strange, `expected one of ${[...LEADING, ...PLAIN].join(', ')} in its place`)

    let found: readonly Alternative[] = [
      Object.keys(schema).every((name) => NEUTRAL.has(name)) ? [] : [schema],
    ]
    const pointer = schema['$ref']
    if (typeof pointer === 'string') found = both(found, of(resolved(pointer), way))
    for (const part of listOf(schema['allOf'])) found = both(found, of(part, way))
    if (Array.isArray(schema['anyOf']))
      found = both(found, limited(schema['anyOf'].flatMap((each) => of(each, way))))
    if (Array.isArray(schema['oneOf'])) {
      const branches = schema['oneOf'].map((branch: unknown) => both(found, of(branch, way)))
      const overlap = (one: readonly Alternative[], other: readonly Alternative[]) =>
        one.some((a) => other.some((b) => !apart(a, b)))
      if (branches.some((one, place) => branches.slice(place + 1).some((other) => overlap(one, other))))
        refuse('oneOf', 'its branches may overlap; expected constants, types or bounds that distinguish them')
      found = limited(branches.flat())
    }
    if (hasConditions && 'if' in schema) {
      const matching = both(of(schema['if'], way), of(schema['then'], way))
      found = both(found, [...of(schema['else'], way), ...matching])
    }
    return found
  }

  function both(a: readonly Alternative[], b: readonly Alternative[]): readonly Alternative[] {
    spend(a.length * b.length)
    return limited(a.flatMap((left) => b.map((right) => [...new Set([...left, ...right])])))
  }

  function resolved(pointer: string): unknown {
    const target = targetOf(root, pointer)
    if (target === undefined) refuse('$ref', `'${quoted(pointer, 100)}' leads nowhere`)
    return target
  }

  return schemas.reduce<readonly Alternative[]>((found, schema) => both(found, of(schema, [])), [[]])
}

function refuseMany(alternatives: readonly Alternative[]): readonly Alternative[] {
  if (alternatives.length > MAX_ALTERNATIVES)
    throw new SchemaProblem('anyOf', `expected at most ${MAX_ALTERNATIVES} combinations of alternatives`)
  return alternatives
}
