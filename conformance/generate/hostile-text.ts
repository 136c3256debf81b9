// Well-formed text from all of Unicode. The characters of fast-check itself need a table of a million entries.
import * as fc from 'fast-check'

const CODE_POINTS = 0x110000
const SURROGATES = { first: 0xd800, count: 0x800 }

/** One Unicode character, ASCII as often as all others; shrinks towards `a`. */
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

/** Text that is often changed in transit: white space, line ends, marks and forms of Unicode, escapes and markup. */
const HOSTILE = {
  space: ['\0', '\r\n', '\r', ' ', '\t', '\u00A0', '\uFEFF', '\u2028'],
  unicode: ['e\u0301', '\u212B', '\u200D', '\u202E', '\u{1F600}', '\uFFFD'],
  markup: ['"', '\\', '\\n', '<', '&amp;', '%20', '{{', 'data: '],
}

/** Any well-formed text of 1 to `most` pieces; hostile pieces are frequent. */
export function hostileText(most: number): fc.Arbitrary<string> {
  const unit = fc.oneof(anyCharacter, fc.constantFrom(...Object.values(HOSTILE).flat()))
  return fc.string({ unit, minLength: 1, maxLength: most })
}
