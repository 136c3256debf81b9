// The error that refuses a schema; it names the keyword.

/** A JSON Schema of draft 2020-12 as a client sends it. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** The server cannot support the schema. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
  readonly keyword: string

  constructor(keyword: string, message: string) {
    super(message)
    this.keyword = keyword
  }
}
