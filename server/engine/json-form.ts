// The form of JSON text that a JSON Schema accepts. Whatever has the form is accepted by the schema, though not all
// that the schema accepts has the form: no spaces but one after `:` and `,`, properties in the order of the schema.
// A keyword that a form cannot express is told by name, never ignored.
import { all, byte, type Form, lazy, literal, one, optional, repeat } from './byte-grammar.ts'
import { type Schema, SchemaProblem } from './schema-instance.ts'

type Keywords = { readonly [keyword: string]: unknown }

/** Keywords that say nothing about which values are accepted. */
const ANNOTATIONS = new Set([
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
])

/** Keywords that a form expresses, by the type that they speak of. */
const EXPRESSED: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
type Type = (typeof TYPES)[number]

const digit = byte(0x30, 0x39)
const continuation = byte(0x80, 0xbf)

/** One character of UTF-8 outside ASCII. */
const beyondAscii = one(
  all(byte(0xc2, 0xdf), continuation),
  all(byte(0xe0), byte(0xa0, 0xbf), continuation),
  all(one(byte(0xe1, 0xec), byte(0xee, 0xef)), continuation, continuation),
  all(byte(0xed), byte(0x80, 0x9f), continuation),
  all(byte(0xf0), byte(0x90, 0xbf), continuation, continuation),
  all(byte(0xf1, 0xf3), continuation, continuation, continuation),
  all(byte(0xf4), byte(0x80, 0x8f), continuation, continuation),
)

/** One character of a string: no `\u`, so that each is one character however it is written. */
const character = one(
  byte(0x61, 0x7a),
  byte(0x20, 0x21),
  byte(0x23, 0x5b),
  byte(0x5d, 0x60),
  byte(0x7b, 0x7e),
  beyondAscii,
  all(byte(0x5c), one(...Array.from('"\\/bfnrt', literal))),
)

const text = (min: number, max: number): Form => all(literal('"'), repeat(character, min, max), literal('"'))

/** Few enough digits that every number is exact, or at least finite. */
const integer = all(optional(literal('-')), one(literal('0'), all(byte(0x31, 0x39), repeat(digit, 0, 14))))
const fraction = all(literal('.'), repeat(digit, 1, 16))
const exponent = all(
  one(literal('e'), literal('E')),
  optional(one(literal('-'), literal('+'))),
  repeat(digit, 1, 2),
)
const number = all(integer, optional(fraction), optional(exponent))

const colon = all(literal(':'), optional(literal(' ')))
const comma = all(literal(','), optional(literal(' ')))

const list = (item: Form, min: number, max: number): Form =>
  max === 0
    ? literal('[]')
    : one(
        ...(min === 0 ? [literal('[]')] : []),
        all(literal('['), item, repeat(all(comma, item), Math.max(0, min - 1), max - 1), literal(']')),
      )

const mapOf = (value: Form): Form => {
  const pair = all(text(0, Infinity), colon, value)
  return one(literal('{}'), all(literal('{'), pair, repeat(all(comma, pair), 0, Infinity), literal('}')))
}

/** Any JSON value. */
const anything: Form = lazy(() => anyValue)
const anyValue: Form = one(
  text(0, Infinity),
  number,
  ...['true', 'false', 'null'].map(literal),
  mapOf(anything),
  list(anything, 0, Infinity),
)

/** Any JSON object. */
export const anyObject: Form = mapOf(anything)

/**
 * The form of `schema`, which is a valid one. Throws `SchemaProblem`, with the keyword that cannot be expressed.
 * Where `hint` is set the schema is taken as far as it can be expressed, and may accept less than the form.
 */
export function jsonForm(schema: Schema, { hint = false }: { readonly hint?: boolean } = {}): Form {
  return new Builder(schema, hint).of(schema)
}

class Builder {
  readonly #root: Schema
  readonly #hint: boolean
  readonly #referred = new Map<string, Form>()

  constructor(root: Schema, hint: boolean) {
    this.#root = root
    this.#hint = hint
  }

  of(schema: unknown): Form {
    if (schema === false) return one()
    if (!isKeywords(schema)) return anything
    if (typeof schema['$ref'] === 'string') {
      this.#only(schema, '$ref')
      return this.#reference(schema['$ref'])
    }
    if ('const' in schema || Array.isArray(schema['enum'])) {
      this.#only(schema, 'const', 'enum', 'type')
      return one(...valuesOf(schema).map((value) => literal(JSON.stringify(value))))
    }
    if (Array.isArray(schema['anyOf'])) {
      this.#only(schema, 'anyOf')
      return one(...schema['anyOf'].map((branch: unknown) => this.of(branch)))
    }
    const types = typesOf(schema)
    this.#only(schema, 'type', ...types.flatMap((type) => EXPRESSED[type] ?? []))
    return types.length === TYPES.length ? anything : one(...types.map((type) => this.#typed(type, schema)))
  }

  #typed(type: Type, schema: Keywords): Form {
    switch (type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#array(schema)
      case 'string':
        return text(countOr(schema['minLength'], 0), countOr(schema['maxLength'], Infinity))
      case 'number':
        return number
      case 'integer':
        return integer
      case 'boolean':
        return one(literal('true'), literal('false'))
      case 'null':
        return literal('null')
    }
  }

  /** Properties that are named, in order; or, where none are, a map with any names. */
  #object(schema: Keywords): Form {
    const properties = isKeywords(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
    const additional = schema['additionalProperties'] ?? true
    const names = [...new Set([...Object.keys(properties), ...required])]
    if (names.length === 0) return additional === false ? literal('{}') : mapOf(this.of(additional))

    const pairs = names.map((name) => ({
      must: required.includes(name),
      form: all(
        literal(JSON.stringify(name)),
        colon,
        this.of(Object.hasOwn(properties, name) ? properties[name] : additional),
      ),
    }))
    // From the last to the first: what may follow where a property has come before, and where none has.
    let tail = { after: literal('}'), first: literal('}') }
    for (const { must, form } of pairs.toReversed()) {
      const { after, first } = tail
      const next = { after: all(comma, form, after), first: all(form, after) }
      tail = must ? next : { after: one(next.after, after), first: one(next.first, first) }
    }
    return all(literal('{'), tail.first)
  }

  /** All items that are told by place, then any number of the others. */
  #array(schema: Keywords): Form {
    const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
    const min = countOr(schema['minItems'], 0)
    const max = countOr(schema['maxItems'], Infinity)
    const rest = schema['items'] ?? true
    if (prefix.length === 0) return list(this.of(rest), min, rest === false ? 0 : max)
    const placed = prefix.slice(0, max).map((item) => this.of(item))
    const more = Math.max(0, max - placed.length)
    const others = repeat(all(comma, this.of(rest)), Math.max(0, min - placed.length), more)
    const items = placed.flatMap((item, place) => (place === 0 ? [item] : [comma, item]))
    return placed.length === 0 ? literal('[]') : all(literal('['), ...items, others, literal(']'))
  }

  #reference(pointer: string): Form {
    const known = this.#referred.get(pointer)
    if (known !== undefined) return known
    const target = resolve(this.#root, pointer)
    if (target === undefined) throw new SchemaProblem('$ref', `'${pointer.slice(0, 100)}' leads nowhere`)
    let built: Form | undefined
    const form = lazy(() => built ?? one())
    this.#referred.set(pointer, form)
    built = this.of(target)
    return form
  }

  /** Throws unless `schema` has no keyword but these and annotations. */
  #only(schema: Keywords, ...expressed: readonly string[]): void {
    if (this.#hint) return
    const keyword = Object.keys(schema).find((name) => !ANNOTATIONS.has(name) && !expressed.includes(name))
    if (keyword !== undefined)
      throw new SchemaProblem(keyword, `expected one of ${[...new Set(expressed)].join(', ')} in its place`)
  }
}

/** The values of `const` and `enum`, those that both and `type` allow. */
function valuesOf(schema: Keywords): unknown[] {
  const listed = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']]
  return listed.filter(
    (value: unknown) =>
      (!('const' in schema) || JSON.stringify(value) === JSON.stringify(schema['const'])) &&
      (schema['type'] === undefined || [schema['type']].flat().some((type) => isOfType(value, type))),
  )
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isKeywords(value) : typeof value === type
}

/** The types that a schema names, or that its keywords speak of; all types where they speak of none. */
function typesOf(schema: Keywords): readonly Type[] {
  const named = [schema['type'] ?? []].flat()
  if (named.length > 0) return TYPES.filter((type) => named.includes(type))
  const spokenOf = TYPES.filter((type) => (EXPRESSED[type] ?? []).some((keyword) => keyword in schema))
  return spokenOf.length > 0 ? spokenOf : TYPES
}

/** What `#/a/b` points to in `root`. */
function resolve(root: Schema, pointer: string): unknown {
  if (!/^#(?:\/|$)/.test(pointer)) return undefined
  let here: unknown = root
  for (const step of decodeURIComponent(pointer.slice(1)).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined
    here = Reflect.get(here, name)
  }
  return here
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function countOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
