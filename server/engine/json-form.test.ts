// Whatever is drawn from a form, its schema accepts; what a form cannot express is refused by name.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { begin, type Form } from './byte-grammar.ts'
import { jsonForm } from './json-form.ts'
import { compileSchema, type Schema } from './schema-instance.ts'
import { createRandom } from './sampling.ts'

/** A text of the form: random bytes for a while, then the shortest way to the end. */
function textOf(form: Form, seed: number, wander: number): string {
  const random = createRandom(seed)
  const bytes: number[] = []
  let state = begin(form)
  while (!state.mustEnd) {
    if (bytes.length >= wander && state.mayEnd) break
    const here = state
    const possible = Array.from({ length: 256 }, (_, value) => value).filter((value) => here.after([value]))
    const next =
      bytes.length < wander
        ? possible[Math.floor(random() * possible.length)]
        : (here.nextByte() ?? possible[0])
    if (next === undefined) throw new Error('a dead end')
    bytes.push(next)
    state = here.after([next]) ?? here
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
}

const count = fc.integer({ min: 0, max: 3 })
const { schema: schemas } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Schema>(true, {}, { type: ['integer', 'null'] }, { type: 'number' }, { type: 'boolean' }),
    fc
      .tuple(count, count)
      .map(([min, more]): Schema => ({ type: 'string', minLength: min, maxLength: min + more })),
    fc
      .array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 })
      .map((values): Schema => ({ enum: values })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): Schema => ({ anyOf })),
    fc
      .record({ items: tie('schema'), min: count, more: count })
      .map(({ items, min, more }): Schema => ({ type: 'array', items, minItems: min, maxItems: min + more })),
    fc
      .tuple(fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), tie('schema'), count)
      .map(([prefixItems, items, minItems]): Schema => ({ type: 'array', prefixItems, items, minItems })),
    tie('object'),
  ),
  object: fc
    .record({
      properties: fc.dictionary(fc.stringMatching(/^[a-z"é]{1,3}$/), tie('schema'), { maxKeys: 4 }),
      required: fc.nat(4),
      additionalProperties: fc.boolean(),
    })
    .map(({ properties, required, additionalProperties }): Schema => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, required),
      additionalProperties,
    })),
}))

describe('jsonForm', () => {
  it('has only texts that the schema accepts', () => {
    fc.assert(
      fc.property(schemas, fc.nat(), fc.nat(60), (schema, seed, wander) => {
        const text = textOf(jsonForm(schema), seed, wander)
        expect(compileSchema(schema)(JSON.parse(text))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('follows references, also to itself', () => {
    const schema = {
      type: 'object',
      properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/none' }] } },
      required: ['value', 'next'],
      additionalProperties: false,
      $defs: { none: { type: 'null' } },
    }
    const nested = '{"value":1,"next":{"value":2,"next":null}}'
    expect(begin(jsonForm(schema)).after(Buffer.from(nested))?.mustEnd).toBe(true)
    expect(begin(jsonForm(schema)).after(Buffer.from('{"value":1,"next":2'))).toBeUndefined()
  })

  it.each([
    ['pattern', { type: 'string', pattern: 'a' }],
    ['minimum', { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }],
    ['allOf', { allOf: [{ type: 'string' }] }],
    ['oneOf', { oneOf: [{ type: 'string' }] }],
    ['uniqueItems', { type: 'array', items: { uniqueItems: true } }],
    ['required', { anyOf: [{ type: 'object' }], required: ['a'] }],
    ['$ref', { $ref: '#/$defs/missing' }],
  ])('refuses %s by name, unless the schema is a hint', (keyword, schema) => {
    expect(() => jsonForm(schema)).toThrow(expect.objectContaining({ keyword }))
    if (keyword !== '$ref') expect(() => begin(jsonForm(schema, { hint: true }))).not.toThrow()
  })

  it.each([
    false,
    { $ref: '#' },
    { anyOf: [{ $ref: '#' }] },
    { type: 'array', items: { $ref: '#' }, minItems: 1 },
  ])('has no beginning where nothing has the form: %o', (schema) => {
    expect(() => begin(jsonForm(schema))).toThrow(RangeError)
  })
})
