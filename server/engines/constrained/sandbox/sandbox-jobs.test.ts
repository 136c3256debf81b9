// A client may use the names that every JavaScript object inherits; no lookup finds the inherited member by mistake.
import { describe, expect, test } from 'vitest'
import type { Keywords } from '../schema/schema-keywords.ts'
import { perform } from './sandbox-jobs.ts'

/** Schemas with `name` at every possible place: a keyword, a value, a member, a reference. */
const FORMS: Readonly<Record<string, (name: string) => Keywords>> = {
  'a keyword': (name) => ({ [name]: 1 }),
  'a keyword of an object': (name) => ({ type: 'object', [name]: { type: 'string' } }),
  'a keyword in two parts': (name) => ({ allOf: [{ [name]: 1 }, { [name]: {} }] }),
  'a type': (name) => ({ type: name }),
  'one of several types': (name) => ({ type: ['string', name] }),
  'a format': (name) => ({ format: name }),
  'a format of a string': (name) => ({ type: 'string', format: name }),
  'a property': (name) => ({ properties: { [name]: { type: 'string' } } }),
  'a property of two parts': (name) => ({
    allOf: [{ properties: { [name]: { type: 'string' } } }, { properties: { [name]: { minLength: 1 } } }],
  }),
  'a required property': (name) => ({ type: 'object', required: [name] }),
  'a property that others depend on': (name) => ({ dependentRequired: { [name]: [name] } }),
  'a property that a schema depends on': (name) => ({ dependentSchemas: { [name]: { required: ['a'] } } }),
  'a pattern of properties': (name) => ({ patternProperties: { [name]: { type: 'null' } } }),
  'a name of properties': (name) => ({ propertyNames: { enum: [name] } }),
  'a member that distinguishes alternatives': (name) => ({
    anyOf: ['a', 'b'].map((value) => ({
      type: 'object',
      properties: { [name]: { const: value } },
      required: [name],
    })),
  }),
  'a member of a constant': (name) => ({ const: { [name]: 1 } }),
  'a member of constants': (name) => ({ enum: [{ [name]: null }, { [name]: 1 }] }),
  'a reference to a keyword': (name) => ({ $ref: `#/${name}` }),
  'a reference to a definition': (name) => ({ $ref: `#/$defs/${name}`, $defs: { a: {} } }),
  'a reference into a definition': (name) => ({ $ref: `#/$defs/a/${name}`, $defs: { a: {} } }),
  'a reference to a property': (name) => ({
    properties: { [name]: { $ref: '#/properties/a' }, a: { type: 'string' } },
  }),
  'a reference to an anchor': (name) => ({ $ref: `#${name}` }),
  'an anchor': (name) => ({ $anchor: name, $ref: `#${name}` }),
  'a dynamic reference': (name) => ({ $dynamicRef: `#${name}` }),
  'a recursive reference, as an older draft has it': (name) => ({ $recursiveRef: `#${name}` }),
  'a dynamic anchor': (name) => ({ $dynamicAnchor: name, $dynamicRef: `#${name}` }),
  'an id': (name) => ({ $id: name }),
  'a dialect': (name) => ({ $schema: name }),
}

describe.each(Object.entries(FORMS))('an inherited name as %s', (_, schemaOf) => {
  test.each(Object.getOwnPropertyNames(Object.prototype))('%s', (name) => {
    // Parsed as in a body: an own member, even if its name is `__proto__`.
    const schema: Keywords = JSON.parse(JSON.stringify(schemaOf(name)))
    const texts = [{}, { [name]: 1 }, { [name]: 'a' }, [{ [name]: 1 }]].map((value) => JSON.stringify(value))
    expect(() => perform({ type: 'fit', schema, texts: [], value: true })).not.toThrow()
    expect(() => perform({ type: 'fit', schema, texts, value: true })).not.toThrow()
    expect(() =>
      perform({ type: 'grammars', wanted: [{ schema, hint: false, objects: false }] }),
    ).not.toThrow()
  })
})

test.each(['#/constructor', '#/$defs/toString', '#/properties/a/valueOf', '#/%63onstructor'])(
  'a reference to %s, which nothing defines, is refused by its keyword',
  ($ref) => {
    const schema = { $ref, properties: { a: {} } }
    expect(perform({ type: 'fit', schema, texts: ['{}'], value: false })).toMatchObject({
      problem: { keyword: '$ref' },
    })
  },
)
