// Runs the regular expressions of ajv on the automaton of the grammars, in time linear in the length of the text.
import type { Options } from 'ajv/dist/2020.js'
import { PatternProblem } from '../grammar/automaton.ts'
import { automataOf } from '../grammar/regular-expression.ts'
import { acceptsText } from '../grammar/string-grammar.ts'
import { SchemaProblem } from './schema-problem.ts'

/** Tests whether `source` matches somewhere in a text. Throws `SchemaProblem` if an automaton cannot follow it. */
export const linearPattern: NonNullable<NonNullable<Options['code']>['regExp']> = Object.assign(
  (source: string, flags: string) => {
    // Only a syntax check: this expression never runs.
    RegExp(source, flags)
    const automata = followed(() => automataOf(source))
    return {
      test: (text: string) => followed(() => acceptsText(automata, text)),
      // ajv identifies an expression by this text.
      toString: () => `linear ${source}`,
    }
  },
  { code: 'linearPattern' },
)

function followed<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error
    throw new SchemaProblem('pattern', `this one has ${error.message}, which is not supported`)
  }
}
