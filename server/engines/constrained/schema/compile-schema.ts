// A client's JSON Schema, compiled: the one place where a schema is taken or refused, and by which keyword.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isKeywords } from './keywords.ts'

/** A JSON Schema of draft 2020-12 as a client sends it. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** A schema that cannot be honoured: the keyword that is in the way, and where it stands. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
  readonly keyword: string

  constructor(keyword: string, message: string) {
    super(message)
    this.keyword = keyword
  }
}

/** Characters of a schema's JSON, at most: compiling takes time, and the client chooses the schema. */
const MAX_SCHEMA_LENGTH = 100_000

const OPTIONS = { strict: false, validateFormats: false, logger: false, inlineRefs: false } as const

/** Judges schemas themselves: what JSON Schema says of them is compiled once, which takes longer than any of them. */
const dialect = new Ajv2020(OPTIONS)

/**
 * Compiles a client's schema. Throws `SchemaProblem` where it is no valid schema, too large, or, where what is compiled
 * also runs, has a pattern that could take forever: the expression runs in this process.
 */
export function compileSchema(schema: Schema, { runs = true } = {}): ValidateFunction {
  const text = JSON.stringify(schema)
  if (text.length > MAX_SCHEMA_LENGTH) {
    throw new SchemaProblem(
      '$schema',
      `the schema is too large: expected at most ${MAX_SCHEMA_LENGTH} characters of JSON`,
    )
  }
  if (runs) refuseSlowPatterns(schema)
  try {
    const current = withoutOldDialect(schema)
    dialect.validateSchema(current, true)
    // An instance of its own: ajv remembers every schema that it has compiled, and each `$id` once.
    return new Ajv2020({ ...OPTIONS, validateSchema: false }).compile(current)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const keyword =
      /\/([$A-Za-z]+) must/.exec(message)?.[1] ?? (message.includes('resolve') ? '$ref' : '$schema')
    throw new SchemaProblem(keyword, `the schema is not valid: ${message.slice(0, 200)}`)
  }
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

/** A group that is repeated may take exponential time; such a pattern is refused before it runs. */
function refuseSlowPatterns(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const patterns = isKeywords(schema)
    ? [
        schema['pattern'],
        ...Object.keys(isKeywords(schema['patternProperties']) ? schema['patternProperties'] : {}),
      ]
    : []
  for (const pattern of patterns) {
    if (typeof pattern === 'string' && (pattern.length > 500 || /\)\s*[*+{]/.test(pattern))) {
      throw new SchemaProblem(
        'pattern',
        `this 'pattern' is not supported: expected at most 500 characters and no repeated group`,
      )
    }
  }
  for (const part of Object.values(schema)) refuseSlowPatterns(part)
}
