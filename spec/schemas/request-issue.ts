// Converts the issues of zod into the message, the field and the code of a 400 (ERR-3, ERR-8).
import type { ZodError, ZodIssue } from 'zod'
import type { CrossFieldIssue } from './cross-field.ts'
import { errorCodes } from '../protocol/error.ts'
import { quoted, redactKeys } from '../protocol/key.ts'

/** The content of a 400. `param` is the field at fault, for example `messages[0].role`; null for the whole body. */
export interface RequestIssue {
  readonly message: string
  readonly param: string | null
  /** `invalid_request_error` if a required field is missing (CHAT-4), otherwise a code of the format. */
  readonly code: string
}

/** A place in a value, for example `['messages', 0, 'role']`. */
export type Path = readonly (string | number)[]

/** The length to which a message quotes a name or a value of the client, in characters. */
const QUOTED_LENGTH = 64

/** Fields with decimal numbers; all other numbers of the format are integers. */
const DECIMAL_FIELDS: ReadonlySet<unknown> = new Set([
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
])

/**
 * The first issue that zod found in `body`. The message repeats only numbers of the body and a bounded part of a name or of
 * an unknown value, and never a key (ERR-4).
 */
export function requestIssue(error: ZodError, body: unknown): RequestIssue {
  const found = meantIssue(error)
  const { path } = found
  const value = valueAt(body, path)
  const invalid = (code: string, message: string) => brokenRule({ path, code, message })

  if (found.code === 'custom') return invalid(String(found.params?.['code']), found.message)
  if (value === undefined) return missingField(...path)

  switch (found.code) {
    case 'unrecognized_keys':
      return unknownField(...path, ...found.keys.slice(0, 1))
    case 'invalid_type':
      return wrongType(path, [found.expected], value)
    case 'invalid_union':
      return wrongType(path, found.unionErrors.flatMap(expectedTypes), value)
    case 'invalid_union_discriminator':
    case 'invalid_enum_value':
      return typeof value === 'string'
        ? wrongValue(path, found.options, value)
        : wrongType(path, ['string'], value)
    case 'too_small':
      return invalid(
        boundCode(found.type, 'below_min', path),
        `expected at least ${counted(found.minimum, found.type)}, got ${amount(value)}`,
      )
    case 'too_big':
      return invalid(
        boundCode(found.type, 'above_max', path),
        `expected at most ${counted(found.maximum, found.type)}, got ${amount(value)}`,
      )
    default:
      // A pattern, for which the schema has a message.
      return invalid('invalid_value', found.message)
  }
}

/** The first issue of an error; of a union, the first in the branch that has the JSON type of the value. */
export function meantIssue({ issues: [first] }: ZodError): ZodIssue {
  if (first === undefined) throw new RangeError('no issue, no refusal')
  if (first.code !== 'invalid_union') return first
  const meant = first.unionErrors.find(({ issues: [inner] }) =>
    inner?.code === 'invalid_type' ? inner.path.length > first.path.length : inner !== undefined,
  )
  return meant === undefined ? first : meantIssue(meant)
}

/** The refusal of a body that is JSON but not an object. */
export function wrongBody(body: unknown): RequestIssue {
  return wrongType([], ['object'], body)
}

export function missingField(...path: Path): RequestIssue {
  return issue(path, errorCodes.missingField, (field) => `Missing required field ${field}.`)
}

export function unknownField(...path: Path): RequestIssue {
  return issue(path, 'unknown_parameter', (field) => `Unknown field ${field}.`)
}

/** The refusal of a request that breaks a rule between fields (WIRE-11). */
export function brokenRule({ path, code, message }: CrossFieldIssue): RequestIssue {
  return issue(path, code, (field) => `Invalid ${field}: ${message}.`)
}

function issue(path: Path, code: string, sentence: (field: string) => string): RequestIssue {
  const param = path.length === 0 ? null : formatPath(path)
  return { message: redactKeys(sentence(param === null ? 'the request body' : `'${param}'`)), param, code }
}

function expectedTypes({ issues }: ZodError): string[] {
  return issues.slice(0, 1).flatMap((found) => (found.code === 'invalid_type' ? [found.expected] : []))
}

function wrongType(path: Path, expected: readonly string[], value: unknown): RequestIssue {
  const types = expected.map(typeName).join(' or ')
  const got = typeof value === 'number' ? String(value) : typeName(typeOf(value))
  return issue(path, 'invalid_type', (field) => `Invalid type for ${field}: expected ${types}, got ${got}.`)
}

function wrongValue(path: Path, options: readonly unknown[], value: string): RequestIssue {
  const expected = (options.length > 1 ? 'one of ' : '') + options.map((option) => `'${option}'`).join(', ')
  return issue(
    path,
    'invalid_value',
    (field) => `Invalid value for ${field}: expected ${expected}, got '${quoted(value, QUOTED_LENGTH)}'.`,
  )
}

/** The code of a broken bound, for example `array_above_max_length`. */
function boundCode(type: string, side: 'below_min' | 'above_max', path: Path): string {
  if (type !== 'number') return `${type}_${side}_length`
  return `${DECIMAL_FIELDS.has(path[0]) ? 'decimal' : 'integer'}_${side}_value`
}

/** A bound and its unit, for example `4 items`. */
function counted(bound: number | bigint, type: string): string {
  const unit = { array: ' item', string: ' character' }[type] ?? ''
  return `${bound}${unit}${unit === '' || bound === 1 ? '' : 's'}`
}

/** The received size or value. */
function amount(value: unknown): string {
  if (Array.isArray(value)) return String(value.length)
  return String(typeof value === 'string' ? Array.from(value).length : value)
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A type of JSON or zod with its article; an enum is its quoted values. */
function typeName(type: string): string {
  if (type === 'null') return type
  if (type.includes("'")) return `one of ${type.replaceAll(' | ', ', ')}`
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`
}

/** The name of a path, such as `messages[0].role`: long names of the client are cut, and keys are redacted. */
export function formatPath(path: Path): string {
  const steps = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${quoted(key, QUOTED_LENGTH)}`,
  )
  return redactKeys(steps.join(''))
}
