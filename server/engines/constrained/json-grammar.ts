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
} from './grammar/json-text.ts'
import { boundBeyondDigits, DIGITS, numberGrammar } from './grammar/number-grammar.ts'
import { type Alternative, alternativesOf, type Refuse } from './schema/alternatives.ts'
import { areApart } from './schema/disjoint.ts'
import { constantsOf } from './schema/constants.ts'
import { type Schema, SchemaProblem } from './schema/schema-problem.ts'
import {
  boundsIn,
  countsIn,
  itemsAt,
  namesIn,
  numbersIn,
  placesIn,
  requiredIn,
  textsIn,
  valuesNamed,
  valuesOfOthers,
} from './schema/parts.ts'
import { type Type, typesOf } from './schema/types.ts'
import { stringGrammar, TooManyStates } from './grammar/string-grammar.ts'
import { formatAutomata, lengthAutomata, patternAutomata } from './grammar/string-rules.ts'
import { differentItems, namedPairs } from './grammar/structure-grammar.ts'

/** Maximum number of different combinations of schemas for one value. */
const MAX_PLACES = 5000

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

/** The same as `jsonGrammar`, but any object if no text matches a hint. */
export function wantedGrammar({ schema, hint, objects }: WantedGrammar): Grammar {
  const grammar = jsonGrammar(schema, { hint, objects })
  return hint && leastBytes(grammar) === Infinity ? anyObject : grammar
}

/**
 * The grammar of `schema`, which is valid. Throws `SchemaProblem` with the keyword that cannot be expressed.
 */
export function jsonGrammar(
  schema: Schema,
  { hint = false, objects = false }: Partial<Omit<WantedGrammar, 'schema'>> = {},
): Grammar {
  const refuse: Refuse = (keyword, message) => {
    if (!hint) throw new SchemaProblem(keyword, message)
  }
  return new Builder(schema, refuse).of(objects ? [schema, OBJECT] : [schema])
}

class Builder {
  readonly #root: Schema
  readonly #refuse: Refuse
  /** The grammars by the numbers of the schemas that apply together; a grammar may refer to itself. */
  readonly #known = new Map<string, { grammar: Grammar }>()
  readonly #numbers = new Map<unknown, number>()
  /** The grammars of strings by their keywords: they cost the most work, and often repeat. */
  readonly #strings = new Map<string, Grammar>()

  constructor(root: Schema, refuse: Refuse) {
    this.#root = root
    this.#refuse = refuse
  }

  /** The values that all `schemas` accept. */
  of(schemas: readonly unknown[]): Grammar {
    spend(1 + schemas.length)
    const limiting = [...new Set(schemas)].filter((schema) => schema !== true)
    if (limiting.length === 0) return anything
    if (limiting.includes(false)) return NOTHING
    const key = limiting.map((schema) => this.#numberOf(schema)).join(' ')
    const known = this.#known.get(key)
    if (known !== undefined) return lazy(() => known.grammar)
    if (this.#known.size >= MAX_PLACES) throw new SchemaProblem('allOf', 'it joins too many schemas')
    const made = { grammar: NOTHING }
    this.#known.set(key, made)
    made.grammar = one(...this.#alternatives(limiting).map((parts) => this.#alternative(parts)))
    return made.grammar
  }

  #numberOf(schema: unknown): number {
    const number = this.#numbers.get(schema) ?? this.#numbers.size
    this.#numbers.set(schema, number)
    return number
  }

  #alternatives(schemas: readonly unknown[]): readonly Alternative[] {
    const root = this.#root
    return alternativesOf(schemas, { root, refuse: this.#refuse, apart: (a, b) => areApart(a, b, root) })
  }

  #alternative(parts: Alternative): Grammar {
    const constants = constantsOf(parts, this.#refuse)
    if (constants !== undefined) return one(...constants.map((value) => written(value)))
    return one(...typesOf(parts).map((type) => this.#typed(type, parts)))
  }

  #typed(type: Type, parts: Alternative): Grammar {
    switch (type) {
      case 'object':
        return this.#object(parts)
      case 'array':
        return this.#array(parts)
      case 'string':
        return this.#string(parts)
      case 'number':
      case 'integer':
        return this.#number(parts, type)
      case 'boolean':
        return boolean
      case 'null':
        return literal('null')
    }
  }

  #string(parts: Alternative): Grammar {
    const { min, max } = countsIn(parts, 'Length')
    const shapes = [...patternAutomata(parts, this.#refuse), ...formatAutomata(parts, this.#refuse)]
    if (shapes.length === 0) return text(min, max)
    const rules = JSON.stringify([textsIn(parts, 'pattern'), textsIn(parts, 'format'), min, max])
    const known = this.#strings.get(rules)
    if (known !== undefined) return known
    try {
      const made = stringGrammar([...shapes, ...lengthAutomata(parts)]) ?? NOTHING
      this.#strings.set(rules, made)
      return made
    } catch (error) {
      if (!(error instanceof TooManyStates)) throw error
      const keyword = parts.some((part) => 'pattern' in part) ? 'pattern' : 'format'
      this.#refuse(
        keyword,
        'it distinguishes too many beginnings of strings, together with the keywords beside it',
      )
      return text(min, max)
    }
  }

  #number(parts: Alternative, type: 'number' | 'integer'): Grammar {
    const rules = {
      integer: type === 'integer',
      ...boundsIn(parts),
      multipleOf: numbersIn(parts, 'multipleOf'),
    }
    try {
      const made = numberGrammar(rules)
      if (made !== undefined) return made
      const beyond = boundBeyondDigits(rules)
      if (beyond === undefined) return NOTHING
      this.#refuse(beyond, `expected numbers of at most ${DIGITS} digits`)
      return type === 'integer' ? anyInteger : anyNumber
    } catch (error) {
      if (!(error instanceof SchemaProblem)) throw error
      this.#refuse(error.keyword, error.message)
      return numberGrammar({ ...rules, multipleOf: [] }) ?? anyNumber
    }
  }

  /** The named properties in order; if there are none, a map with any names. */
  #object(parts: Alternative): Grammar {
    const { min, max } = countsIn(parts, 'Properties')
    const rules = parts.flatMap(({ propertyNames }) => propertyNames ?? [])
    const name = rules.length === 0 ? text(0, Infinity) : this.of([STRING, ...rules])
    const names = namesIn(parts)
    if (names.length === 0) {
      if (min > 1) this.#refuse('minProperties', 'names that the schema does not list may come again')
      return mapOf(name, this.of(valuesOfOthers(parts)), Math.min(min, 1), max)
    }
    const required = new Set(requiredIn(parts))
    const pairs = names.map((each) => ({
      must: required.has(each),
      grammar:
        rules.length === 0 || admits(name, JSON.stringify(each))
          ? all(written(each), colon, this.of(valuesNamed(parts, each)))
          : NOTHING,
    }))
    return namedPairs(pairs, min, max)
  }

  /** The items with a schema of their own, then any number of others. */
  #array(parts: Alternative): Grammar {
    const { min, max } = countsIn(parts, 'Items')
    const places = Math.min(placesIn(parts), max)
    if (max > 1 && parts.some(({ uniqueItems }) => uniqueItems === true)) {
      const values = places === 0 ? this.#constants(itemsAt(parts, 0)) : undefined
      if (values !== undefined) return differentItems(values, min, max)
      this.#refuse('uniqueItems', 'only constant items can be distinguished')
    }
    const rest = this.of(itemsAt(parts, placesIn(parts)))
    if (places === 0) return list(rest, min, max)
    const placed = Array.from({ length: places }, (_, place) => this.of(itemsAt(parts, place)))
    const others = repeat(all(comma, rest), Math.max(0, min - places), max - places)
    return all(
      literal('['),
      ...placed.flatMap((item, place) => (place === 0 ? [item] : [comma, item])),
      others,
      literal(']'),
    )
  }

  /** The JSON of all values that `schemas` accept; undefined if they are not enumerated. */
  #constants(schemas: readonly unknown[]): string[] | undefined {
    if (schemas.includes(false)) return []
    const found: string[] = []
    for (const parts of this.#alternatives(schemas)) {
      const constants = constantsOf(parts, this.#refuse)
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

/** Whether `grammar` accepts this text. */
function admits(grammar: Grammar, json: string): boolean {
  return begin(grammar).after(Buffer.from(json))?.mayEnd === true
}
