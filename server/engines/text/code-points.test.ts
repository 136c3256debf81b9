import { expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { countCodePoints, firstCodePoints, chunksOf, withoutCodePoints } from './code-points.ts'

const unit = fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00')
/** Long texts of one script, of which ASCII is counted in another way, and short ones of all. */
const text = fc.oneof(
  fc.string({ unit }),
  unit.chain((only) => fc.string({ unit: fc.constant(only), minLength: 65, maxLength: 80 })),
)

test('a text is taken apart as its iterator does', () => {
  forAll(text, fc.integer({ min: 1, max: 5 }), fc.nat(9), (text, size, most) => {
    const all = [...text]
    expect(countCodePoints(text)).toBe(all.length)
    expect(firstCodePoints(text, most)).toBe(all.slice(0, most).join(''))
    const removed = new Set([0x1f600, 0x61])
    expect(withoutCodePoints(text, removed)).toBe(
      all.filter((point) => !removed.has(point.codePointAt(0) ?? 0)).join(''),
    )
    const chunks = [...chunksOf(text, size)]
    expect(chunks.join('')).toBe(text)
    expect(chunks.map((chunk) => [...chunk].length)).toEqual(
      Array.from({ length: Math.ceil(all.length / size) }, (_, place) =>
        Math.min(size, all.length - place * size),
      ),
    )
  })
})
