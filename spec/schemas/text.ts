// Bounded text. JSON Schema counts characters (code points) where zod counts UTF-16 units: these schemas count
// characters, so that the document and the service agree on every string.
import { z } from 'zod'
import { annotate } from './annotate.ts'

/** A name of a function, tool or format: 1 to 64 of `A-Z a-z 0-9 _ -` (WIRE-10). */
export const name = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters of a to z and A to Z, digits, _ or -')

/** A name of a participant: 1 to 64 characters, none of them white space or one of `<|\\/>`. */
export const participantName = z
  .string()
  .regex(/^[^\s<|\\/>]{1,64}$/u, 'expected 1 to 64 characters without white space, <, |, \\, / and >')

/** Whether `text` has at most `maximum` code points. */
export function isAtMost(text: string, maximum: number): boolean {
  // A text never has more code points than units, so a short one, the usual case, needs no count.
  if (text.length <= maximum) return true
  return text.length <= 2 * maximum && Array.from(text).length <= maximum
}

/** Text of at most `maximum` code points. */
export function textUpTo(maximum: number) {
  const schema = z.string().superRefine((text, context) => {
    if (!isAtMost(text, maximum))
      context.addIssue({ code: 'too_big', type: 'string', maximum, inclusive: true })
  })
  return annotate(schema, { maxLength: maximum })
}
