// Schemas as people write them are accepted: a valid value is kept, an invalid one is replaced by a valid one, and a grammar
// has valid texts only.
import { describe, expect, it } from 'vitest'
import { fc, forAllWith } from '../../../spec/property.fixture.ts'
import { compileSchema } from './compile-schema.ts'
import { textOf } from './grammar/grammar.fixture.ts'
import { jsonGrammar } from './json-grammar.ts'
import { realSchemas } from './real-schemas.fixture.ts'
import { perform } from './sandbox/sandbox-jobs.ts'

describe.each(Object.entries(realSchemas))('%s', (_, { schema, valid, invalid, inexpressible }) => {
  it('keeps each valid value and no other, and has a value instead', () => {
    const values = [...valid, ...invalid]
    const texts = values.map((value) => JSON.stringify(value))
    const result = perform({ type: 'fit', schema, texts, value: true })
    expect(result).toMatchObject({ accepted: values.map((value) => valid.includes(value)) })
    expect(compileSchema(schema)(JSON.parse(('value' in result && result.value) || 'null'))).toBe(true)
  })

  it('has a grammar of valid texts, or names what a grammar cannot express', () => {
    if (inexpressible !== undefined) {
      expect(() => jsonGrammar(schema)).toThrow(expect.objectContaining({ keyword: inexpressible }))
      return
    }
    const validate = compileSchema(schema)
    forAllWith({ numRuns: 30 }, fc.nat(), fc.nat(60), (seed, wander) => {
      expect(JSON.parse(textOf(jsonGrammar(schema), seed, wander))).toSatisfy((value) => validate(value))
    })
  })
})
