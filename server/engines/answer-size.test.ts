import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { jsonBytes } from './answer-size.ts'

test('the size of a text in JSON is that of the written text', () => {
  const unit = fc.oneof(fc.nat(0xff), fc.integer({ min: 0xd7f0, max: 0xe010 }), fc.nat(0xffff))
  forAll(fc.array(unit), (units) => {
    const text = String.fromCharCode(...units)
    expect(jsonBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)) - 2)
  })
})
