// Normalises a schema: follows references, joins `allOf`, and multiplies out `anyOf` and `oneOf`. The result is a list of
// alternatives, each a few plain sets of keywords that apply together. A keyword that cannot be expressed is refused.
import { quoted } from '../../../../spec/protocol/key.ts'
import { spend } from '../grammar/effort.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { namedTypes } from './json-types.ts'
import { exactlyOne, narrowings } from './narrowed-keywords.ts'
import { type Alternative, EXPRESSED, listOf, type Refuse, targetOf } from './schema-keywords.ts'

/** Maximum number of alternatives of one schema. */
const MAX_ALTERNATIVES = 500

/** Keywords of JSON Schema that cannot be expressed. It defines no others, and ignores them. */
const INEXPRESSIBLE = [
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
]

/** Keywords that distinguish values by themselves. */
const PLAIN = new Set([...Object.values(EXPRESSED).flat(), 'type', 'const', 'enum', 'contains'])

export interface Splitting {
  readonly root: Schema
  readonly refuse: Refuse
  /** Whether `a` and `b` have no value in common. */
  apart(a: Alternative, b: Alternative): boolean
  /** Limits the number of alternatives. Default: `MAX_ALTERNATIVES`; more are refused. */
  limited?(alternatives: readonly Alternative[]): readonly Alternative[]
  /** Whether alternatives may accept less than the schema to express keywords such as `not`, which are otherwise ignored. */
  readonly narrows: boolean
}

/** The alternatives of a value to which all of `schemas` apply: it must match one of them. */
export function alternativesOf(schemas: readonly unknown[], splitting: Splitting): readonly Alternative[] {
  const { root, refuse, apart, limited = refuseMany, narrows } = splitting

  function of(schema: unknown, followed: readonly unknown[]): readonly Alternative[] {
    if (schema === false) return []
    if (!isRecord(schema)) return [[]]
    spend(1 + followed.length + Object.keys(schema).length)
    // A schema that refers to itself adds nothing new.
    if (followed.includes(schema)) return []
    const way = [...followed, schema]
    const inexpressible = INEXPRESSIBLE.find((name) => name in schema)
    if (inexpressible !== undefined) refuse(inexpressible, 'a grammar cannot express it')

    let found: readonly Alternative[] = [Object.keys(schema).some((name) => PLAIN.has(name)) ? [schema] : []]
    const pointer = schema['$ref']
    if (typeof pointer === 'string') found = both(found, of(resolved(pointer), way))
    for (const part of listOf(schema['allOf'])) found = both(found, of(part, way))
    if (Array.isArray(schema['anyOf']))
      found = both(found, limited(schema['anyOf'].flatMap((each) => of(each, way))))
    if (Array.isArray(schema['oneOf'])) {
      const branches: readonly unknown[] = schema['oneOf']
      const isExact = !narrows || areDisjoint(branches, found)
      const plain = limited((isExact ? branches : exactlyOne(branches)).flatMap((each) => of(each, way)))
      if (plain.length === 0 && !isExact) refuse('oneOf', 'its branches may overlap')
      found = both(found, plain.length > 0 ? plain : limited(branches.flatMap((each) => of(each, way))))
    }
    for (const { keyword, schema: other } of narrows ? narrowings(schema, resolved) : []) {
      if (other === undefined) refuse(keyword, 'it cannot be expressed by other keywords')
      else found = both(found, of(other, way))
    }
    return found
  }

  /** Whether no value to which `around` applies matches two of `branches`. */
  function areDisjoint(branches: readonly unknown[], around: readonly Alternative[]): boolean {
    const wide = branches.map((branch) =>
      alternativesOf([branch], { root, refuse() {}, apart: () => true, narrows: false }),
    )
    return wide.every((one, place) =>
      wide
        .slice(place + 1)
        .every((other) =>
          around.every((parts) => one.every((a) => other.every((b) => apart([...parts, ...a], b)))),
        ),
    )
  }

  function both(a: readonly Alternative[], b: readonly Alternative[]): readonly Alternative[] {
    spend(a.length * b.length)
    const joined = a.flatMap((left) => b.map((right) => [...new Set([...left, ...right])]))
    return limited(joined.filter((parts) => namedTypes(parts).length > 0))
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
