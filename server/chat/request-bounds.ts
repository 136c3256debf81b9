// Refuses requests that would cost too much, before their bodies are validated. The check itself is cheap: it visits no
// more parts of a body than the bounds allow (ERR-8).
import { invalidRequest } from '../http/api-error.ts'

/** The settings of the same names define what each bound counts. */
export interface RequestBounds {
  readonly messages: number
  readonly logitBias: number
  readonly stopChars: number
  readonly answerTokens: number
}

/** Throws the 400 that names the field over its bound. A value of a wrong type is left to the validation. */
export function refuseCostly(body: unknown, bounds: RequestBounds): void {
  if (!isRecord(body)) return
  refuseMessages(body['messages'], bounds.messages)
  refuseLogitBias(body['logit_bias'], bounds.logitBias)
  refuseStops(body['stop'], bounds.stopChars)
  refuseAnswer(body, bounds.answerTokens)
}

function refuseMessages(messages: unknown, most: number): void {
  if (!Array.isArray(messages)) return
  let count = messages.length
  // If the messages alone are too many, none of them is read.
  for (let index = 0; count <= most && index < messages.length; index += 1) {
    const message: unknown = messages[index]
    if (isRecord(message)) count += lengthOf(message['content']) + lengthOf(message['tool_calls'])
  }
  if (count > most)
    throw tooMuch(
      'messages',
      'array_above_max_length',
      `expected at most ${most} messages, content parts and tool calls together`,
    )
}

function refuseLogitBias(bias: unknown, most: number): void {
  if (isRecord(bias) && Object.keys(bias).length > most)
    throw tooMuch('logit_bias', 'object_above_max_properties', `expected at most ${most} entries`)
}

function refuseStops(stop: unknown, most: number): void {
  const stops: unknown[] = Array.isArray(stop) ? stop.slice(0, STOPS_READ) : [stop]
  for (const [index, text] of stops.entries()) {
    if (typeof text !== 'string' || text.length <= most) continue
    const at = Array.isArray(stop) ? `stop[${index}]` : 'stop'
    throw tooMuch(at, 'string_above_max_length', `expected at most ${most} characters, got ${text.length}`)
  }
}

/** More stop strings than these are refused by their number. */
const STOPS_READ = 4

const TOKEN_LIMITS = ['max_completion_tokens', 'max_tokens'] as const

function refuseAnswer(body: Readonly<Record<string, unknown>>, most: number): void {
  const n = typeof body['n'] === 'number' ? body['n'] : 1
  let limit = Infinity
  let smallest: string | undefined
  for (const name of TOKEN_LIMITS) {
    const given = body[name]
    if (typeof given !== 'number' || (smallest !== undefined && given >= limit)) continue
    limit = given
    smallest = name
  }
  if (smallest === undefined || n * limit <= most) return
  const param = n > 1 && limit <= most ? 'n' : smallest
  throw tooMuch(
    param,
    'integer_above_max_value',
    `expected 'n' times '${smallest}' to be at most ${most} tokens, got ${n * limit}`,
  )
}

function tooMuch(param: string, code: string, problem: string): Error {
  return invalidRequest(`Invalid '${param}': ${problem}.`, param, code)
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
