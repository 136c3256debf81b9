// What `pattern`, `format` and the length say of a string, as automata.
import { type Automaton, automataOf, explored, ofLength } from './automaton.ts'
import { createEffort, within } from './effort.ts'
import { PatternProblem, readPattern } from './regular-expression.ts'
import type { Alternative, Refuse } from '../schema/alternatives.ts'
import { countsIn, textsIn } from '../schema/parts.ts'
import { STRING_FORMATS } from './string-formats.ts'

/** Automata work themselves out as they are asked, so those that come again are kept. */
const formats = new Map<string, readonly Automaton[]>()

/** For each pattern of `parts` the automata that must accept a string; a pattern that has none is refused. */
export function patternAutomata(parts: Alternative, refuse: Refuse): Automaton[] {
  return textsIn(parts, 'pattern').flatMap((source) => {
    try {
      return automataOf(readPattern(source))
    } catch (error) {
      if (!(error instanceof PatternProblem)) throw error
      refuse('pattern', `this one has ${error.message}, which is not supported`)
      return []
    }
  })
}

/** The same for formats. */
export function formatAutomata(parts: Alternative, refuse: Refuse): readonly Automaton[] {
  return textsIn(parts, 'format').flatMap((name) => {
    const source = Object.hasOwn(STRING_FORMATS, name) ? STRING_FORMATS[name] : undefined
    if (source === undefined) {
      refuse('format', `'${name.slice(0, 50)}' is not one of ${Object.keys(STRING_FORMATS).join(', ')}`)
      return []
    }
    // Not at the expense of whoever is the first to use it: the same schema takes the same steps each time.
    const known =
      formats.get(name) ?? within(createEffort(Infinity), () => explored(automataOf(readPattern(source))))
    formats.set(name, known)
    return known
  })
}

/** None where every length will do. */
export function lengthAutomata(parts: Alternative): Automaton[] {
  const { min, max } = countsIn(parts, 'Length')
  return min === 0 && max === Infinity ? [] : [ofLength(min, max)]
}
