// The JSON schemas of the report, of a line of a recording and of the parts of a bundle, for programs in other languages.
import { generateSchema } from '@anatine/zod-openapi'
import { REPORT_SCHEMA, reportSchema } from '../contract/report.ts'
import { BUNDLE_SCHEMA, manifestSchema } from './bundle-file.ts'
import { CAPTURE_SCHEMA, lineSchema } from '../exchanges/recording-line.ts'
import { signatureSchema } from './signature.ts'

const text = (title: string, schema: object): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema }, undefined, 2)}\n`

/** The text of `docs/report.schema.json`. */
export const renderReportSchema = (): string =>
  text(REPORT_SCHEMA, generateSchema(reportSchema, false, '3.1'))

/** The text of `docs/recording.schema.json`. */
export const renderRecordingSchema = (): string =>
  text(CAPTURE_SCHEMA, generateSchema(lineSchema, false, '3.1'))

/** The text of `docs/bundle.schema.json`. */
export function renderBundleSchema(): string {
  return text(BUNDLE_SCHEMA, {
    description: 'Each definition is a file of the archive; that of recording.jsonl is of one line.',
    $defs: {
      'bundle.json': generateSchema(manifestSchema, false, '3.1'),
      'report.json': generateSchema(reportSchema, false, '3.1'),
      'recording.jsonl': generateSchema(lineSchema, false, '3.1'),
      'signature.json': generateSchema(signatureSchema, false, '3.1'),
    },
  })
}
