// The JSON schema of the file that describes a puppet, for programs in other languages.
import { generateSchema } from '@anatine/zod-openapi'
import { PUPPET_FORMAT, puppetSchema } from '../spec/schemas/puppet.ts'

/** The text of `docs/puppet.schema.json`. */
export function renderPuppetSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: PUPPET_FORMAT,
    ...generateSchema(puppetSchema, false, '3.1'),
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
