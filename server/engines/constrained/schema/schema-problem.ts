// The one way to refuse a schema: by the keyword that is in the way.

/** A JSON Schema of draft 2020-12 as a client sends it. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** A schema that cannot be honoured. */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
  readonly keyword: string

  constructor(keyword: string, message: string) {
    super(message)
    this.keyword = keyword
  }
}
