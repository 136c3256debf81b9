// The JSON schema of the files of the public record, for programs in other languages.
import { generateSchema } from '@anatine/zod-openapi'
import { engineSchema } from './engine-entry.ts'
import { pairSchema } from './pair-entry.ts'
import { entrySchema, implementationSchema } from './result-entry.ts'

/** The text of `docs/results.schema.json`. */
export function renderResultsSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Touchstone results',
    description: 'Each definition is a kind of file of the public record.',
    $defs: {
      entry: generateSchema(entrySchema, false, '3.1'),
      causes: generateSchema(implementationSchema, false, '3.1'),
      pair: generateSchema(pairSchema, false, '3.1'),
      engine: generateSchema(engineSchema, false, '3.1'),
    },
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
