// Compiles a client's JSON Schema. This is the only place that accepts or refuses a schema; a refusal names the keyword. It
// runs in a worker of the sandbox, which limits its time and its memory.
import { quoted } from '../../../spec/protocol/key.ts'
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { inCurrentDraft } from './drafts/current-draft.ts'
import { compareByText } from './schema/json-equality.ts'
import { automataOf } from './grammar/regular-expression.ts'
import { STRING_FORMATS } from './grammar/string-formats.ts'
import { acceptsText } from './grammar/string-grammar.ts'
import { decoded, targetOf } from './schema/schema-keywords.ts'
import { type Schema, SchemaProblem } from '../schema-problem.ts'

// `allErrors`, and no optimisation below: the generated code for many properties is then a flat list, not a deep nesting.
const OPTIONS = {
  strict: false,
  logger: false,
  inlineRefs: false,
  allErrors: true,
  // Inherited names such as `constructor` do not count as members.
  ownProperties: true,
} as const

/** The regular expressions of ajv, run on the automaton of the grammars: in time linear in the length of the text. */
const linearPattern = Object.assign(
  (source: string) => {
    const automata = automataOf(source)
    return {
      test: (text: string) => acceptsText(automata, text),
      // ajv identifies an expression by this text.
      toString: () => `linear ${source}`,
    }
  },
  { code: 'linearPattern' },
)

/** A pattern that is only checked, because it never runs. */
const unrunPattern = Object.assign(
  (source: string) => {
    RegExp(source)
    return { test: () => true, toString: () => `unrun ${source}` }
  },
  { code: 'unrunPattern' },
)

/** Validates schemas against the meta-schema, which is compiled once because that takes longer than any schema. */
const dialect = createAjv({ validateFormats: false })

function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, ...options })
  compareByText(ajv)
  // All other formats are annotations.
  for (const [name, format] of Object.entries(fullFormats))
    if (Object.hasOwn(STRING_FORMATS, name)) ajv.addFormat(name, format)
  return ajv
}

/**
 * Compiles a client's schema; `schema` of the result is in the current draft. Throws `SchemaProblem` if the schema is invalid, or, if the compiled schema also `runs`, if
 * it has a pattern that an automaton cannot follow.
 */
export function compileSchema(schema: Schema, { runs = true } = {}): ValidateFunction {
  try {
    const current = inCurrentDraft(schema)
    dialect.validateSchema(current, true)
    refuseInherited(current)
    // A new instance for each schema: ajv keeps all compiled schemas, and allows each `$id` once.
    return createAjv({
      validateSchema: false,
      code: { optimize: false, regExp: runs ? linearPattern : unrunPattern },
    }).compile(current)
  } catch (error) {
    if (error instanceof SchemaProblem) throw error
    const message = error instanceof Error ? error.message : String(error)
    const keyword =
      /\/([$A-Za-z]+) must/.exec(message)?.[1] ?? (message.includes('resolve') ? '$ref' : '$schema')
    throw new SchemaProblem(keyword, `the schema is not valid: ${quoted(message, 200)}`)
  }
}

/**
 * Throws if a reference leads to an inherited member, for example `#/$defs/constructor` without such a definition: ajv
 * would follow it and call the function that it finds.
 */
function refuseInherited(schema: Schema): void {
  JSON.stringify(schema, (keyword, value: unknown) => {
    if (typeof value === 'string' && leadsToInherited(schema, keyword, value))
      throw new SchemaProblem(keyword, `the schema is not valid: '${quoted(value, 100)}' leads nowhere`)
    return value
  })
}

function leadsToInherited(schema: Schema, keyword: string, reference: string): boolean {
  if (keyword === '$dynamicRef' || keyword === '$recursiveRef') return reference.slice(1) in {}
  const isInherited =
    keyword === '$ref' &&
    decoded(reference)
      .split('/')
      .some((step) => step in {})
  return isInherited && targetOf(schema, reference) === undefined
}
