// The grammar of JSON text that a JSON Schema accepts. The schema accepts each text that matches the grammar, but not the
// reverse: the only white space is one space after `:` and `,`, and properties are in the order of the schema. A keyword
// that a grammar cannot express is reported by name, never ignored.
import { all, begin, type Grammar, lazy, leastBytes, literal, one, repeat } from './grammar/byte-grammar.ts'
import { spend } from './grammar/effort.ts'
import {
  anyInteger,
  anyNumber,
  anyObject,
  anything,
  boolean,
  colon,
  comma,
  list,
  mapOf,
  text,
} from './grammar/json-text-grammar.ts'
import { boundBeyondDigits, DIGITS, numberGrammar } from './grammar/number-grammar.ts'
import { alternativesOf } from './schema/schema-alternatives.ts'
import type { Alternative } from './schema/schema-keywords.ts'
import { inCurrentDraft } from './drafts/current-draft.ts'
import { areApart } from './schema/disjoint-schemas.ts'
import { constantsOf } from './schema/schema-constants.ts'
import { type Schema, SchemaProblem } from '../schema-problem.ts'
import {
  boundsIn,
  countsIn,
  itemsAt,
  namesIn,
  numbersIn,
  placesIn,
  requiredIn,
  textsIn,
} from './schema/joined-keywords.ts'
import { unlistedProperties, valuesNamed } from './schema/property-values.ts'
import { type Type, typesOf } from './schema/json-types.ts'
import { stringGrammar, TooManyStates } from './grammar/string-grammar.ts'
import { formatAutomata, lengthAutomata, patternAutomata } from './schema/string-rules.ts'
import { differentItems, namedPairs } from './grammar/structure-grammar.ts'

/** Maximum number of different combinations of schemas for one value. */
const MAX_PLACES = 5000

/** Maximum number of alternatives of a schema that is a hint. */
const MAX_HINTED = 100

const NOTHING = one()
const STRING: Schema = { type: 'string' }
const OBJECT: Schema = { type: 'object' }

/** The input for the grammar of one schema of a request. */
export interface WantedGrammar {
  readonly schema: Schema
  /** Whether keywords that cannot be expressed are ignored: the schema may then accept less than the grammar. */
  readonly hint: boolean
  /** Whether only objects match, even if the schema accepts other values. */
  readonly objects: boolean
}

/** Returns `jsonGrammar` of the schema, or any object if no text matches a hint. */
export function wantedGrammar({ schema, hint, objects }: WantedGrammar): Grammar {
  const grammar = jsonGrammar(schema, { hint, objects })
  return hint && leastBytes(grammar) === Infinity ? anyObject : grammar
}

/** The grammar of the schema, which is valid. Throws `SchemaProblem` with the keyword that cannot be expressed. */
export function jsonGrammar(
  given: Schema,
  { hint = false, objects = false }: Partial<Omit<WantedGrammar, 'schema'>> = {},
): Grammar {
  const schema = inCurrentDraft(given)
  /** The grammars by the numbers of the schemas that apply together; a grammar may refer to itself. */
  const grammars = new Map<string, { grammar: Grammar }>()
  const numbers = new Map<unknown, number>()
  /** The grammars of strings by their keywords: they cost the most work, and often repeat. */
  const strings = new Map<string, Grammar>()
  const ofType: Readonly<Record<Type, (parts: Alternative) => Grammar>> = {
    object,
    array,
    string,
    number: (parts) => number(parts, anyNumber),
    integer: (parts) => number(parts, anyInteger),
    boolean: () => boolean,
    null: () => literal('null'),
  }
  return of(objects ? [schema, OBJECT] : [schema])

  function refuse(keyword: string | undefined, message: string): void {
    if (!hint || keyword === '$ref') throw new SchemaProblem(keyword, message)
  }

  /** The values that all `schemas` accept. */
  function of(schemas: readonly unknown[]): Grammar {
    spend(1 + schemas.length)
    const limiting = [...new Set(schemas)].filter((each) => each !== true)
    if (limiting.length === 0) return anything
    if (limiting.includes(false)) return NOTHING
    const key = limiting.map(numberOf).join(' ')
    const known = grammars.get(key)
    if (known !== undefined) return lazy(() => known.grammar)
    if (grammars.size >= MAX_PLACES) throw new SchemaProblem('allOf', 'it joins too many schemas')
    const made = { grammar: NOTHING }
    grammars.set(key, made)
    made.grammar = one(...alternatives(limiting).map(alternative))
    return made.grammar
  }

  function numberOf(each: unknown): number {
    const number = numbers.get(each) ?? numbers.size
    numbers.set(each, number)
    return number
  }

  function alternatives(schemas: readonly unknown[]): readonly Alternative[] {
    return alternativesOf(schemas, {
      root: schema,
      refuse,
      apart: (a, b) => areApart(a, b, schema),
      narrows: true,
      // A hint may leave out alternatives.
      ...(hint && { limited: (found) => found.slice(0, MAX_HINTED) }),
    })
  }

  function alternative(parts: Alternative): Grammar {
    const constants = constantsOf(parts, refuse)
    if (constants !== undefined) return one(...constants.map(written))
    return one(...typesOf(parts).map((type) => ofType[type](parts)))
  }

  function string(parts: Alternative): Grammar {
    const { min, max } = countsIn(parts, 'Length')
    const shapes = [...patternAutomata(parts, refuse), ...formatAutomata(parts)]
    if (shapes.length === 0) return text(min, max)
    const rules = JSON.stringify([textsIn(parts, 'pattern'), textsIn(parts, 'format'), min, max])
    const known = strings.get(rules)
    if (known !== undefined) return known
    try {
      const made = stringGrammar([...shapes, ...lengthAutomata(parts)]) ?? NOTHING
      strings.set(rules, made)
      return made
    } catch (error) {
      if (!(error instanceof TooManyStates)) throw error
      const keyword = parts.some((part) => 'pattern' in part) ? 'pattern' : 'format'
      refuse(keyword, 'it distinguishes too many beginnings of strings, together with the keywords beside it')
      return text(min, max)
    }
  }

  function number(parts: Alternative, any: Grammar): Grammar {
    const multipleOf = numbersIn(parts, 'multipleOf')
    const rules = { integer: any === anyInteger, bounds: boundsIn(parts), multipleOf }
    try {
      const made = numberGrammar(rules)
      if (made !== undefined) return made
      const beyond = boundBeyondDigits(rules)
      if (beyond === undefined) return NOTHING
      refuse(beyond, `expected numbers of at most ${DIGITS} digits`)
      return any
    } catch (error) {
      if (!(error instanceof SchemaProblem)) throw error
      refuse(error.keyword, error.message)
      return numberGrammar({ ...rules, multipleOf: [] }) ?? anyNumber
    }
  }

  /** The named properties in order; if there are none, a map with any names. */
  function object(parts: Alternative): Grammar {
    const { min, max } = countsIn(parts, 'Properties')
    const rules = parts.flatMap(({ propertyNames }) => propertyNames ?? [])
    const name = rules.length === 0 ? text(0, Infinity) : of([STRING, ...rules])
    const names = namesIn(parts)
    for (const { patternProperties } of parts)
      for (const pattern of Object.keys(Object(patternProperties))) patternAutomata([{ pattern }], refuse)
    if (names.length === 0) {
      if (min > 1) refuse('minProperties', 'names that the schema does not list may come again')
      const pairs = unlistedProperties(parts).map((each) =>
        all(each.names.length === 0 ? name : of([STRING, ...each.names, ...rules]), colon, of(each.values)),
      )
      return mapOf(one(...pairs), Math.min(min, 1), max)
    }
    const required = new Set(requiredIn(parts))
    const pairs = names.map((each) => ({
      must: required.has(each),
      grammar:
        rules.length === 0 || admits(name, JSON.stringify(each))
          ? all(written(each), colon, of(valuesNamed(parts, each)))
          : NOTHING,
    }))
    return namedPairs(pairs, min, max)
  }

  /** The items with a schema of their own, then any number of others. */
  function array(parts: Alternative): Grammar {
    const { min, max } = countsIn(parts, 'Items')
    const places = Math.min(placesIn(parts), max)
    if (max > 1 && parts.some(({ uniqueItems }) => uniqueItems === true)) {
      const values = places === 0 ? constantTexts(itemsAt(parts, 0)) : undefined
      if (values !== undefined) return differentItems(values, min, max)
      refuse('uniqueItems', 'only constant items can be distinguished')
    }
    const rest = of(itemsAt(parts, placesIn(parts)))
    if (places === 0) return list(rest, min, max)
    const placed = Array.from({ length: places }, (_, place) => of(itemsAt(parts, place)))
    const others = repeat(all(comma, rest), Math.max(0, min - places), max - places)
    return all(
      literal('['),
      ...placed.flatMap((item, place) => (place === 0 ? [item] : [comma, item])),
      others,
      literal(']'),
    )
  }

  /** The JSON of all values that `schemas` accept; undefined if they are not enumerated. */
  function constantTexts(schemas: readonly unknown[]): string[] | undefined {
    if (schemas.includes(false)) return []
    const found: string[] = []
    for (const parts of alternatives(schemas)) {
      const constants = constantsOf(parts, refuse)
      if (constants === undefined) return undefined
      found.push(...constants.map((value) => JSON.stringify(value)))
    }
    return [...new Set(found)]
  }
}

function written(value: unknown): Grammar {
  const json = JSON.stringify(value)
  spend(json.length)
  return literal(json)
}

function admits(grammar: Grammar, json: string): boolean {
  return begin(grammar).after(Buffer.from(json))?.mayEnd === true
}
