// Compiles a client's JSON Schema. This is the only place that accepts or refuses a schema; a refusal names the keyword. It
// runs in a worker of the sandbox, which limits its time and its memory.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type ExactNumber, isExactNumber } from '../../../spec/protocol/exact-json.ts'
import { quoted } from '../../../spec/protocol/key.ts'
import { inCurrentDraft } from './drafts/current-draft.ts'
import { automataOf } from './grammar/regular-expression.ts'
import { compareNumbers, nearest } from './grammar/decimal.ts'
import { acceptsText } from './grammar/string-grammar.ts'
import { type Schema, SchemaProblem } from '../schema-problem.ts'
import type { PatternTest } from './validation/assertions.ts'
import { createValidator, type Validate } from './validation/validator.ts'

/** Validates schemas against the meta-schema, and nothing else: clients' schemas are not compiled to code. */
const dialect = new Ajv2020({ strict: false, logger: false, validateFormats: false, ownProperties: true })

/** Regular expressions on the automata of the grammars: in time linear in the length of the text. */
const linearPattern: PatternTest = (source) => {
  const automata = automataOf(source)
  return (text) => acceptsText(automata, text)
}

/** Checks the syntax of a pattern that never runs. */
const unrunPattern: PatternTest = (source) => {
  try {
    RegExp(source)
  } catch (error) {
    throw new SchemaProblem('pattern', `the schema is not valid: ${quoted(String(error), 200)}`)
  }
  return () => true
}

/**
 * Compiles a client's schema; `schema` of the result is in the current draft. Throws `SchemaProblem` for an invalid schema,
 * and, if the compiled schema also `runs`, for a keyword that cannot be evaluated or a pattern that no automaton can follow.
 */
export function compileSchema(schema: Schema, { runs = true } = {}): Validate {
  const current = inCurrentDraft(schema)
  refuseInvalid(current)
  return createValidator(
    current,
    runs ? { patternTest: linearPattern } : { patternTest: unrunPattern, ignoresDynamic: true },
  )
}

/** Throws if the meta-schema refuses `schema`. */
function refuseInvalid(schema: Schema): void {
  const rounded: unknown = JSON.parse(
    JSON.stringify(schema, (_, value: unknown) => (isExactNumber(value) ? roundedOf(value) : value)),
  )
  if (dialect.validateSchema(rounded as Schema) === true) return
  const [fault] = dialect.errors ?? []
  const { instancePath = '', message = 'it is not valid' } = fault ?? {}
  const keyword = instancePath.split('/').findLast((step) => /^\$?[A-Za-z]+$/.test(step))
  throw new SchemaProblem(
    keyword,
    `the schema is not valid: ${quoted(`${instancePath} ${message}`.trim(), 200)}`,
  )
}

/** A double of the same sign, which is enough because a meta-schema compares numbers only with 0. */
function roundedOf(value: ExactNumber): number {
  const sign = Math.sign(compareNumbers(value, 0))
  return sign * Math.min(Number.MAX_VALUE, Math.max(Number.MIN_VALUE, Math.abs(nearest(value))))
}
