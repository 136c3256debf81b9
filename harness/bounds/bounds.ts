// The bounds of files and answers of strangers. Each is an environment variable, because every command reads such
// files, and a person changes a bound for one command at a time.
import { readValues } from '../cli/named-values.ts'
import { type Setting, section, tableOf, whole } from '../cli/setting.ts'
import { withSection } from '../page-section.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

export const FILE_BOUNDS = section('CONFORMANCE_MAX_', {
  bundleBytes: whole(72 * MIB, [1024, 4 * GIB, 'bytes']).means(
    'Maximum size of all parts of a bundle together, uncompressed; three quarters of it for what a run records in its bundle',
  ),
  reportBytes: whole(32 * MIB, [1024, 512 * MIB, 'bytes']).means(
    'Maximum size of a report, also in a bundle, and of the JSON of a load test',
  ),
  depth: whole(512, [16, 20_000, 'levels']).means('Maximum nesting of JSON in a file'),
  values: whole(4_000_000, [1000, 1_000_000_000, 'values']).means(
    'Maximum JSON values of a file that is read as a whole',
  ),
  expandedBytes: whole(256 * MIB, [1024, 1024 * GIB, 'bytes']).means(
    'Maximum size to which a compressed recording expands, with the bodies in its ZIP archive; one that is not compressed has no such bound',
  ),
  entries: whole(50_000, [1, 1_000_000_000, 'entries']).means(
    'Maximum entries of an HTTP archive, and lines of a compressed capture',
  ),
  entryChars: whole(64 * MIB, [1024, 512 * MIB, 'characters']).means(
    'Maximum length of one entry of an HTTP archive, or of one line of a capture',
  ),
  entryValues: whole(1_000_000, [1000, 100_000_000, 'values']).means(
    'Maximum JSON values of such an entry or line',
  ),
  verifyMb: whole(1024, [64, 65_536, 'MB']).means(
    'Maximum heap of the thread that judges one of several bundles again; a bundle that needs more is damaged',
  ),
})

export const ANSWER_BOUNDS = section('CONFORMANCE_MAX_', {
  answerBytes: whole(16 * MIB, [1024, 512 * MIB, 'bytes']).means(
    'Maximum size of one answer that is read, decoded, and of a body in a recording; a larger one is cut',
  ),
  openBytes: whole(256 * MIB, [1024, 64 * GIB, 'bytes']).means(
    'Maximum size of all open exchanges of `capture` together; further bodies are cut',
  ),
  schemaMs: whole(1000, [10, 60_000, 'ms']).means(
    'Maximum time in which the judge matches values by one schema or pattern of a service or client; one that takes longer is not judged',
  ),
})

let read: ReturnType<typeof readBounds> | undefined

/** The bounds by their names above. Throws `UsageError` for a variable that is out of its range. */
export const bounds = (): ReturnType<typeof readBounds> => (read ??= readBounds(process.env))

/** Reads the bounds from these variables; an empty one counts as none. */
export function readBounds(env: Readonly<Record<string, string | undefined>>) {
  const given = (setting: Setting): string | undefined => env[setting.env] || undefined
  return readValues({ ...FILE_BOUNDS, ...ANSWER_BOUNDS }, given, (setting: Setting) => setting.env)
}

const MARKS = { begin: '<!-- bounds: written by npm run docs -->', end: '<!-- /bounds -->' }

/** A document with the table of the bounds between its marks. Throws if the marks are missing. */
export const withBoundsTable = (document: string): string =>
  withSection(
    document,
    MARKS,
    tableOf([
      ['Files', FILE_BOUNDS],
      ['Answers and work', ANSWER_BOUNDS],
    ]),
  )
