// The automata for `pattern`, `format` and the length of a string.
import { type Automaton, explored, ofLength } from '../grammar/automaton.ts'
import { createEffort, within } from '../grammar/effort.ts'
import { automataOf } from '../grammar/regular-expression.ts'
import type { Alternative, Refuse } from './schema-keywords.ts'
import { countsIn, textsIn } from './joined-keywords.ts'
import { SchemaProblem } from '../../schema-problem.ts'
import { STRING_FORMATS } from '../grammar/string-formats.ts'

/** A cache: automata compute their states lazily. */
const formats = new Map<string, readonly Automaton[]>()

/** The automata for the patterns of `parts`. Refuses a pattern that no automaton can follow. */
export function patternAutomata(parts: Alternative, refuse: Refuse): Automaton[] {
  return textsIn(parts, 'pattern').flatMap((source) => {
    try {
      return automataOf(source)
    } catch (error) {
      if (!(error instanceof SchemaProblem)) throw error
      refuse(error.keyword, error.message)
      return []
    }
  })
}

/** The automata for the formats of `parts`. A format that JSON Schema does not assert constrains nothing. */
export function formatAutomata(parts: Alternative): readonly Automaton[] {
  return textsIn(parts, 'format').flatMap((name) => {
    const source = Object.hasOwn(STRING_FORMATS, name) ? STRING_FORMATS[name] : undefined
    if (source === undefined) return []
    // The steps of the first use do not count, because later uses take none.
    const known = formats.get(name) ?? within(createEffort(Infinity), () => explored(automataOf(source)))
    formats.set(name, known)
    return known
  })
}

/** The automaton for the length; none if every length is allowed. */
export function lengthAutomata(parts: Alternative): Automaton[] {
  const { min, max } = countsIn(parts, 'Length')
  return min === 0 && max === Infinity ? [] : [ofLength(min, max)]
}
