// Finds banned phrases in a source or prose file, in comments, strings, names and text alike.
import { BANNED_PHRASES } from './banned-phrases.ts'
import { QUOTED } from './quoted.ts'

/** White space, with the start of a comment line. */
const GAP = String.raw`\s+(?:\*|//|#|>)?\s*`

const PATTERNS = BANNED_PHRASES.map(({ pattern, instead }) => ({
  pattern: new RegExp(pattern.source.replaceAll(' ', GAP), `g${pattern.flags}`),
  instead,
}))

/** A count of parts of the project: a hand-written one is wrong after the next change. */
const COUNT =
  /\b(?:\d[\d,]*|ten|eleven|twelve|(?:a|two|three) hundred)\s+(?:\w+\s+)?(?:checks|requirements|rows|scenarios|libraries|faults)\b|\b\d+ of \d+ MUST\b/gi

/** The counts in a hand-written document. */
export function findCounts(document: string) {
  return [...document.matchAll(COUNT)].map(({ index, 0: text }) => ({
    line: document.slice(0, index).split('\n').length,
    text,
    instead: 'the sentence without the count, or generate it',
  }))
}

/** The phrases in the order of the file. Text of others that the project quotes is not searched. */
export function findBannedPhrases(file: string) {
  const text = QUOTED.reduce(
    (rest, quote) => rest.replaceAll(quote, (found) => found.replaceAll(/\S/g, '_')),
    file,
  )
  return PATTERNS.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map((match) => ({
      /** The number of the line; the first is 1. */
      line: text.slice(0, match.index).split('\n').length,
      text: match[0].replaceAll(new RegExp(GAP, 'g'), ' ').trim(),
      instead,
    })),
  ).toSorted((a, b) => a.line - b.line)
}
