// The bounds of an HTTP archive: a stranger may have made it, and a parser builds every level and every value of an entry before
// the judge sees it.

import { bounds } from '../../../harness/bounds/bounds.ts'

/** The level of the entries: inside of the archive, its `log` and the list. */
const ENTRY_DEPTH = 3

/** The most escapes and letters outside of strings of one entry: a parser holds each of them apart. */
const MOST_LETTERS = 8_000_000

const [SPACE = 0, QUOTE, BACKSLASH, LIST, OBJECT] = [...' "\\[{'].map((letter) => letter.charCodeAt(0))
const [LIST_END, OBJECT_END, COMMA] = [...']},'].map((letter) => letter.charCodeAt(0))

/** Looks at the text of an archive, piece by piece, before a parser does. Throws an error at a piece that exceeds a bound. */
export function createArchiveBounds(): (piece: string) => void {
  // Browsers write hundreds of values for an entry, and some for each message of a socket. Its characters are two bodies of the
  // longest that the judge reads, in base64, escaped.
  const { depth: mostDepth, entries: mostEntries, entryChars, entryValues } = bounds()
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
        if (depth > mostDepth) throw new Error(`it is nested deeper than ${mostDepth} levels`)
      } else if (letter === LIST_END || letter === OBJECT_END) depth -= 1
      else if (letter === COMMA && depth > ENTRY_DEPTH) values += 1
      else if (letter === COMMA) {
        entries += 1
        values = letters = 0
        entryAt = at
      } else if (letter > SPACE) letters += 1
    }
    chars = piece.length - entryAt
    if (chars > entryChars) throw new Error(`expected at most ${entryChars} characters of one entry`)
    if (values > entryValues) throw new Error(`expected at most ${entryValues} values of one entry`)
    if (letters > MOST_LETTERS) throw new Error(`expected at most ${MOST_LETTERS} escapes of one entry`)
    if (entries > mostEntries) throw new Error(`expected at most ${mostEntries} entries`)
  }
}
