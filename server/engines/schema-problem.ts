// The error that refuses a schema; it names the keyword, if one is the cause.

/** A JSON Schema of draft 2020-12 as a client sends it. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** The server cannot support the schema. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
  /** Undefined if the schema as a whole is the cause, for example by its cost. */
  readonly keyword: string | undefined

  constructor(keyword: string | undefined, message: string) {
    super(message)
    this.keyword = keyword
  }
}
