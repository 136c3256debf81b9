// The bounds of an HTTP archive: a stranger may have made it, and a parser builds every level and every value of an entry before
// the judge sees it.

/** The deepest nesting, in levels. */
const MOST_DEPTH = 512

/** The level of the entries: inside of the archive, its `log` and the list. */
const ENTRY_DEPTH = 3

/** The most values of one entry, or of one line of a capture: browsers write hundreds, and some for each message of a socket. */
export const MOST_VALUES = 1_000_000

/** The most characters of one entry, or of one line of a capture: two bodies of the longest that the judge reads, in base64, escaped. */
export const MOST_CHARS = 64 * 1024 * 1024

/** The most escapes and letters outside of strings of one entry: a parser holds each of them apart. */
const MOST_LETTERS = 8_000_000

/** The most entries of an archive, with the members and values beside them. */
const MOST_ENTRIES = 250_000

const [SPACE = 0, QUOTE, BACKSLASH, LIST, OBJECT] = [...' "\\[{'].map((letter) => letter.charCodeAt(0))
const [LIST_END, OBJECT_END, COMMA] = [...']},'].map((letter) => letter.charCodeAt(0))

/** Looks at the text of an archive, piece by piece, before a parser does. Throws an error at a piece that exceeds a bound. */
export function createArchiveBounds(): (piece: string) => void {
  let [depth, entries, values, letters, chars] = [0, 0, 0, 0, 0]
  let isString = false
  let isEscaped = false
  return (piece) => {
    let entryAt = -chars
    for (let at = 0; at < piece.length; at++) {
      const letter = piece.charCodeAt(at)
      if (isString) {
        if (isEscaped) isEscaped = false
        else if (letter === BACKSLASH) {
          isEscaped = true
          letters += 1
        } else if (letter === QUOTE) isString = false
      } else if (letter === QUOTE) isString = true
      else if (letter === LIST || letter === OBJECT) {
        depth += 1
        values += 1
        if (depth > MOST_DEPTH) throw new Error(`it is nested deeper than ${MOST_DEPTH} levels`)
      } else if (letter === LIST_END || letter === OBJECT_END) depth -= 1
      else if (letter === COMMA && depth > ENTRY_DEPTH) values += 1
      else if (letter === COMMA) {
        entries += 1
        values = letters = 0
        entryAt = at
      } else if (letter > SPACE) letters += 1
    }
    chars = piece.length - entryAt
    if (chars > MOST_CHARS) throw new Error(`expected at most ${MOST_CHARS} characters of one entry`)
    if (values > MOST_VALUES) throw new Error(`expected at most ${MOST_VALUES} values of one entry`)
    if (letters > MOST_LETTERS) throw new Error(`expected at most ${MOST_LETTERS} escapes of one entry`)
    if (entries > MOST_ENTRIES) throw new Error(`expected at most ${MOST_ENTRIES} entries`)
  }
}
