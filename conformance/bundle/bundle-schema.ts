// The JSON schema of the parts of a bundle, for programs in other languages.
import { generateSchema } from '@anatine/zod-openapi'
import { reportSchema } from '../contract/report.ts'
import { BUNDLE_SCHEMA, manifestSchema } from './bundle-file.ts'
import { lineSchema } from '../exchanges/recording-line.ts'
import { signatureSchema } from './signature.ts'

/** The text of `docs/bundle.schema.json`. */
export function renderBundleSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: BUNDLE_SCHEMA,
    description: 'Each definition is a file of the archive; that of recording.jsonl is of one line.',
    $defs: {
      'bundle.json': generateSchema(manifestSchema, false, '3.1'),
      'report.json': generateSchema(reportSchema, false, '3.1'),
      'recording.jsonl': generateSchema(lineSchema, false, '3.1'),
      'signature.json': generateSchema(signatureSchema, false, '3.1'),
    },
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
