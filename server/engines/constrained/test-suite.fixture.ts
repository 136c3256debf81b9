// Tries JSON-Schema-Test-Suite with the schemas of the echo model: `npx node server/engines/constrained/test-suite.fixture.ts FOLDER`, where FOLDER is a clone of
// https://github.com/json-schema-org/JSON-Schema-Test-Suite. A text that is kept must be valid, and a valid one must be kept,
// unless the schema is refused by the name of a keyword. Each other test is a line, and exit code 1.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { isRecord } from '../../../spec/schemas/collections.ts'
import { parseExact } from '../../../spec/protocol/exact-json.ts'
import type { Schema } from '../schema-problem.ts'
import { perform } from './sandbox/sandbox-jobs.ts'
import { FORMATS } from './validation/formats.ts'

const DRAFTS = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const

interface Group {
  readonly description: string
  readonly schema: Schema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** Files whose tests the server answers in another way, as docs/server.md says. */
const EXCEPTIONS = new Set([
  // Formats are asserted, and the content of a string is never read.
  'format.json',
  'content.json',
  // 1.0 is an integer, and an A-label is checked, in every draft.
  'draft4/optional/zeroTerminatedFloats.json',
  'draft4/optional/format/hostname.json',
  'draft6/optional/format/hostname.json',
])

const counts = { right: 0, 'invalid but kept': 0, 'valid but lost': 0 }
const refused = new Map<string, number>()

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('expected the folder of a clone of JSON-Schema-Test-Suite')
  process.exit(2)
}
for (const [draft, dialect] of Object.entries(DRAFTS))
  for (const file of filesIn(join(folder, 'tests', draft))) tryFile(draft, dialect, file)
console.log(JSON.stringify(counts))
console.log('refused by name:', JSON.stringify(Object.fromEntries(refused)))
process.exitCode = counts['invalid but kept'] + counts['valid but lost'] > 0 ? 1 : 0

function filesIn(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })
}

function tryFile(draft: string, dialect: string, file: string): void {
  if ([basename(file), relative(join(folder ?? '', 'tests'), file)].some((name) => EXCEPTIONS.has(name)))
    return
  const isFormat = file.includes('/format/')
  // Other formats are annotations.
  if (isFormat && !FORMATS.has(basename(file, '.json'))) return
  const groups = parseExact(readFileSync(file, 'utf8')) as readonly Group[]
  for (const { description, schema, tests } of groups) {
    const named = isRecord(schema) && !('$schema' in schema) ? { $schema: dialect, ...schema } : schema
    for (const test of tests) {
      const result = perform({ type: 'fit', schema: named, texts: [JSON.stringify(test.data)], value: false })
      const isKept = 'accepted' in result && result.accepted[0] === true
      // A schema that only invalid texts are tried with may have no value in its place.
      if ('problem' in result && (test.valid || !result.problem.message.startsWith('no value was found'))) {
        const { keyword = 'none' } = result.problem
        refused.set(keyword, (refused.get(keyword) ?? 0) + 1)
        if (process.env['SHOW'] === keyword)
          console.log(draft, basename(file), description, result.problem.message)
        continue
      }
      const verdict = isKept === test.valid ? 'right' : isKept ? 'invalid but kept' : 'valid but lost'
      counts[verdict] += 1
      if (verdict !== 'right')
        console.log(`${verdict}: ${draft}/${basename(file)}: ${description}: ${test.description}`)
    }
  }
}
