// Any well-formed text. Where fast-check's own unit of all code points first makes a table of a million entries, this
// one is there at once.
import * as fc from 'fast-check'

const CODE_POINTS = 0x110000
const SURROGATES = { first: 0xd800, count: 0x800 }

/** One Unicode character, the plain ones of ASCII as often as all others; shrinks towards `a`. */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  fc.integer({ min: 0, max: 25 }).map((nth) => String.fromCharCode(0x61 + nth)),
  fc.nat({ max: 0x7f }).map((code) => String.fromCharCode(code)),
  fc.nat({ max: CODE_POINTS - SURROGATES.count - 1 }).map((nth) => {
    return String.fromCodePoint(nth < SURROGATES.first ? nth : nth + SURROGATES.count)
  }),
)

/** Text of characters from all of Unicode, without lone surrogates. Lengths count characters. */
export function anyText(
  constraints: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter })
}
