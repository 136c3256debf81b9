// A client's JSON Schema, compiled: the one place where a schema is taken or refused, and by which keyword. It runs in a
// worker of the sandbox, which bounds its time and its memory.
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { compareByText } from './equality.ts'
import { decoded, targetOf } from './keywords.ts'
import { linearPattern } from './linear-pattern.ts'
import { type Schema, SchemaProblem } from './schema-problem.ts'

// All errors and no optimisation: what ajv makes of many properties is then a list, and not as deeply nested as it is long.
const OPTIONS = {
  strict: false,
  validateFormats: false,
  logger: false,
  inlineRefs: false,
  allErrors: true,
  // What every object inherits, as `constructor`, is none of its members.
  ownProperties: true,
} as const

/** Judges schemas themselves: what JSON Schema says of them is compiled once, which takes longer than any of them. */
const dialect = createAjv()

function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, ...options })
  compareByText(ajv)
  return ajv
}

/**
 * Compiles a client's schema. Throws `SchemaProblem` where it is no valid schema, or, where what is compiled also
 * `runs`, has a pattern that an automaton cannot follow.
 */
export function compileSchema(schema: Schema, { runs = true } = {}): ValidateFunction {
  try {
    const current = withoutOldDialect(schema)
    dialect.validateSchema(current, true)
    refuseInherited(current)
    // An instance of its own: ajv remembers every schema that it has compiled, and each `$id` once.
    return createAjv({
      validateSchema: false,
      code: { optimize: false, ...(runs ? { regExp: linearPattern } : {}) },
    }).compile(current)
  } catch (error) {
    if (error instanceof SchemaProblem) throw error
    const message = error instanceof Error ? error.message : String(error)
    const keyword =
      /\/([$A-Za-z]+) must/.exec(message)?.[1] ?? (message.includes('resolve') ? '$ref' : '$schema')
    throw new SchemaProblem(keyword, `the schema is not valid: ${message.slice(0, 200)}`)
  }
}

/**
 * Throws where a reference leads to what every object inherits, as `#/$defs/constructor` does where nothing of this name
 * is defined: ajv would follow it, and call what it finds.
 */
function refuseInherited(schema: Schema): void {
  JSON.stringify(schema, (keyword, value: unknown) => {
    if (typeof value === 'string' && leadsToInherited(schema, keyword, value))
      throw new SchemaProblem(keyword, `the schema is not valid: '${value.slice(0, 100)}' leads nowhere`)
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

const OLD_DIALECT = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

/**
 * Without the name of draft 7, which client libraries write into every schema that they derive: ajv would look for the
 * text of that draft. What the drafts read in different ways (`items` as a list) is then no valid schema.
 */
function withoutOldDialect(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  const { $schema: dialect, ...rest } = schema
  return OLD_DIALECT.test(String(dialect)) ? rest : schema
}
