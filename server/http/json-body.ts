// Reads a request body as JSON, strictly: bounded, JSON by its content type, UTF-8, no name twice in one object, not
// nested without end. Other bodies get a 400 that names the expected form (CHAT-3, CHAT-9).
import { endOfString } from '../../spec/protocol/exact-json.ts'
import { quoted } from '../../spec/protocol/key.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ApiError, invalidRequest } from './api-error.ts'
import type { Call } from './call.ts'
import { keepExactSchemas } from './exact-schemas.ts'
import { strayText } from './json-fault.ts'
import { andThen, type Soon } from './soon.ts'

/** The maximum nesting of objects and arrays, far more than a JSON Schema in a request needs. */
const MAX_DEPTH = 128

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface BodyBounds {
  readonly bodyBytes: number
  /** JSON values and names: a body of many small values costs more to parse and validate than its bytes suggest. */
  readonly bodyValues: number
}

/** The parsed body. Throws `ApiError` (400). */
export function readJsonBody(call: Call, bounds: BodyBounds): Soon<unknown> {
  const contentType = call.header('content-type')
  if (!isJson(contentType)) {
    throw invalidRequest(
      `Expected the header 'Content-Type: application/json', got ${contentType === undefined ? 'none' : `'${quoted(contentType, 100)}'`}.`,
      undefined,
      'unsupported_content_type',
    )
  }
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw invalidRequest(
      `Expected a body without 'Content-Encoding', got '${quoted(encoding, 100)}'.`,
      undefined,
      'unsupported_content_encoding',
    )
  }
  return andThen(call.body(bounds.bodyBytes), (bytes) =>
    bytes.length <= LENGTH_OF_ONE_TURN
      ? parseJson(decode(bytes), bounds.bodyValues)
      : parseInTurns(bytes, bounds.bodyValues),
  )
}

/** A longer body, in bytes, is parsed in several turns of the event loop. */
const LENGTH_OF_ONE_TURN = 256 * 1024

async function parseInTurns(bytes: Uint8Array, maxValues: number): Promise<unknown> {
  const text = decode(bytes)
  await nextTurn()
  const members = countedMembers(text, maxValues)
  await nextTurn()
  const value = parsed(text)
  await nextTurn()
  refuseDuplicates(text, value, members)
  await nextTurn()
  keepExactSchemas(value, text)
  await nextTurn()
  return value
}

/** Accepts any parameters, which have no meaning for JSON: the bytes are always read as UTF-8. */
function isJson(contentType: string | undefined): boolean {
  return (
    contentType === 'application/json' ||
    (contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType))
  )
}

/** The 400 of a body that ended before its end. */
export function incompleteBody(cause: unknown): ApiError {
  return invalidRequest('The body did not arrive whole.', undefined, 'incomplete_body', cause)
}

/** The 400 of a body over the bound. */
export function tooLarge(maxBytes: number): ApiError {
  return invalidRequest(
    `The body is too large: expected at most ${maxBytes} bytes.`,
    undefined,
    'body_too_large',
  )
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidRequest('The body is not valid UTF-8.', undefined, 'invalid_encoding')
  }
}

/** Parses JSON text, and refuses duplicate names, of which `JSON.parse` would keep the last. */
export function parseJson(text: string, maxValues = Infinity): unknown {
  const members = countedMembers(text, maxValues)
  const value = parsed(text)
  refuseDuplicates(text, value, members)
  keepExactSchemas(value, text)
  return value
}

/** The number of members in the text. Throws the 400 of one with too many values or levels. */
function countedMembers(text: string, maxValues: number): number {
  const { members, depth, values } = measure(text, maxValues)
  if (values > maxValues)
    throw invalidRequest(
      `The body holds too many values: expected at most ${maxValues} objects, arrays, names, strings and numbers.`,
      undefined,
      'too_many_values',
    )
  if (depth > MAX_DEPTH)
    throw invalidRequest(
      `The body is nested too deeply: expected at most ${MAX_DEPTH} levels.`,
      undefined,
      'nested_too_deeply',
    )
  return members
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const stray = strayText(text)
    const reason = stray === undefined ? '' : `: unexpected ${stray}`
    throw invalidRequest(`The body could not be parsed as JSON${reason}.`, undefined, 'invalid_json', error)
  }
}

function refuseDuplicates(text: string, value: unknown, members: number): void {
  // Each colon outside a string is one member, so a value with fewer members has lost a duplicate.
  if (countMembers(value) !== members) {
    const name = quoted(duplicateName(text) ?? '', 100)
    throw invalidRequest(
      `The name '${name}' appears twice in one object of the body.`,
      name,
      'duplicate_name',
    )
  }
}

/** Counts members, depth and values of the text; stops after `maxValues` values. */
function measure(text: string, maxValues: number): { members: number; depth: number; values: number } {
  // Each value but the first comes after a comma, or is the first one in an object or array.
  let values = 1
  let members = 0
  let depth = 0
  let level = 0
  for (let index = 0; index < text.length && values <= maxValues; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x3a: // :
        // A name counts like a value.
        members += 1
        values += 1
        break
      case 0x2c: // ,
        values += 1
        break
      case 0x5b: // [
      case 0x7b: // {
        level += 1
        values += 1
        if (level > depth) depth = level
        break
      case 0x5d: // ]
      case 0x7d: // }
        level -= 1
        break
    }
  }
  return { members, depth, values }
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item)
    return count
  }
  // `Object.keys` or `Object.values` of a large object would take longer than parsing it.
  const members: Readonly<Record<string, unknown>> = Object(value)
  for (const name in members) count += 1 + countMembers(members[name])
  return count
}

/** The first name that stands twice in one object of this JSON text. */
function duplicateName(text: string): string | undefined {
  const open: Set<string>[] = []
  let name = ''
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '{' || character === '[') open.push(new Set())
    else if (character === '}' || character === ']') open.pop()
    else if (character === '"') {
      const end = endOfString(text, index)
      name = text.slice(index, end + 1)
      index = end
    } else if (character === ':') {
      const names = open.at(-1)
      const key = name.includes('\\') ? String(JSON.parse(name)) : name.slice(1, -1)
      if (names?.has(key)) return key
      names?.add(key)
    }
  }
  return undefined
}
