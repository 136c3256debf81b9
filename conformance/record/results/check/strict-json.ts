// Reads a JSON file of the public record as a stranger may have sent it: its size is bounded before it is parsed, it is
// UTF-8, has no member twice and contains nothing that must not be public.
import type { ZodTypeAny, z } from 'zod'
import { FileError, readBounded, whyTooCostly } from '../../../../harness/bounds/read-file.ts'
import { utf8 } from '../../../../harness/http/exchange.ts'
import { at, parseJson } from '../../../../harness/json-value.ts'
import { engineSchema } from '../engine-entry.ts'
import { pairSchema } from '../pair-entry.ts'
import { entrySchema, implementationSchema } from '../result-entry.ts'
import { jsonText } from '../public-record.ts'
import { type Problem, problem } from './check-entry.ts'
import { leakIn } from './leaks.ts'

/** The largest entry, and the largest `causes.json`, in bytes. */
const MAX_ENTRY_BYTES = 60_000
const MAX_CAUSES_BYTES = 500_000

/** The longest value that a message repeats, in characters. */
const SHOWN_CHARS = 60

/** A value, only if nothing is wrong with its text; otherwise the problems. */
interface StrictlyRead<Value> {
  readonly value?: Value
  readonly problems: readonly Problem[]
}

export const readEntry = (file: string) => readStrictly(file, entrySchema, MAX_ENTRY_BYTES)
export const readEngine = (file: string) => readStrictly(file, engineSchema, MAX_CAUSES_BYTES)
export const readPair = (file: string) => readStrictly(file, pairSchema, MAX_ENTRY_BYTES)
export const readImplementation = (file: string) => readStrictly(file, implementationSchema, MAX_CAUSES_BYTES)

function readStrictly<Schema extends ZodTypeAny>(
  file: string,
  schema: Schema,
  maxBytes: number,
): StrictlyRead<z.output<Schema>> {
  const text = readText(file, maxBytes)
  return typeof text === 'string' ? parseStrictly(text, schema) : { problems: [text] }
}

export function parseStrictly<Schema extends ZodTypeAny>(
  text: string,
  schema: Schema,
): StrictlyRead<z.output<Schema>> {
  const why = whyTooCostly(text)
  if (why !== undefined) return { problems: [problem('file', why, 'an entry of docs/results.md')] }
  const json = parseJson(text)
  if (json === undefined) return { problems: [problem('file', 'text that cannot be parsed', 'JSON')] }
  const leaks = leaksIn(json)
  const parsed = schema.safeParse(json)
  if (!parsed.success) {
    const places = new Set(leaks.map(({ place }) => place))
    const issues = parsed.error.issues.flatMap((issue) => problemsOf(issue, json))
    return { problems: [...leaks, ...issues.filter(({ place }) => !places.has(place))] }
  }
  if (leaks.length > 0) return { problems: leaks }
  return text === jsonText(json as object)
    ? { value: parsed.data, problems: [] }
    : { problems: [ANOTHER_FORM] }
}

const ANOTHER_FORM = problem(
  'file',
  'another form of this JSON, or a member twice',
  'two spaces of indentation and a line end, as JSON.stringify writes them',
)

function readText(file: string, maxBytes: number): string | Problem {
  try {
    return utf8(readBounded(file, maxBytes)) ?? problem('file', 'bytes that are not UTF-8', 'UTF-8')
  } catch (error) {
    if (error instanceof FileError)
      return problem('file', error.message, `a file of at most ${maxBytes} bytes`)
    throw error
  }
}

/** One problem for each place that the schema refuses; unknown members one by one. */
function problemsOf(issue: z.ZodIssue, json: unknown): readonly Problem[] {
  const place = issue.path.join('.') || 'file'
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) =>
      problem([...issue.path, key].join('.'), 'an unknown member', 'only the members of docs/results.md'),
    )
  return [problem(place, shown(at(json, ...issue.path)), expectedBy(issue))]
}

function expectedBy(issue: z.ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.expected === 'undefined' ? 'nothing' : `a value of type ${issue.expected}`
  if (issue.code === 'invalid_enum_value') return `one of ${issue.options.join(', ')}`
  if (issue.code === 'invalid_literal') return JSON.stringify(issue.expected)
  return issue.message.replace(/^expected /, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase())
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text
}

const NO_LEAK = 'no credentials, home folders or addresses other than loopback'

/** Members whose form is fixed: a digest, and addresses of public pages. */
const PUBLIC_MEMBER =
  /^report$|^home$|^causes\.[^.]+\.issues\.\d+$|^replies\.\d+\.source$|^uses\.[^.]+\.documentation$/

/** A credential or an address in any text of the file, also in the names of members. */
function leaksIn(json: unknown, path: readonly (string | number)[] = []): readonly Problem[] {
  const place = path.join('.')
  if (typeof json === 'string') {
    const found = PUBLIC_MEMBER.test(place) ? undefined : leakIn(json)
    return found === undefined ? [] : [problem(place, found, NO_LEAK)]
  }
  const members = Object.entries(Object(json))
  const names = members.filter(([name]) => leakIn(name) !== undefined)
  return [
    ...names.map(() => problem(place || 'file', 'a member with such a name', NO_LEAK)),
    ...members.flatMap(([name, value]) => leaksIn(value, [...path, name])),
  ]
}
