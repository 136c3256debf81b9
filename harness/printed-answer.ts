// The answers that a judged program printed, a JSON line each, and its calls as a reader makes them.
import { at, isRecord, parseJson } from './json-value.ts'

export type PrintedAnswer = ReturnType<typeof readLine>

/** The answers among the lines of a program, in their order. */
export function printedAnswers(stdout: string): readonly PrintedAnswer[] {
  const isAnswer = (value: unknown): boolean =>
    isRecord(value) && ['content', 'tool_calls', 'finish_reason'].some((name) => name in value)
  return stdout.split('\n').map(parseJson).filter(isAnswer).map(readLine)
}

function readLine(line: unknown) {
  return {
    content: at(line, 'content'),
    toolCalls: at(line, 'tool_calls'),
    finishReason: at(line, 'finish_reason'),
    reasoning: at(line, 'reasoning'),
    usage: at(line, 'usage'),
  }
}

/** A tool call as a program reads it: name and parsed arguments. */
export interface PrintedCall {
  readonly name: string
  readonly arguments: unknown
}

/** A call as the format or a program writes it. */
export function readCall(call: unknown): PrintedCall {
  const called = at(call, 'function') ?? call
  // Empty and absent arguments mean none (READ-12).
  const text = at(called, 'arguments') ?? ''
  return {
    name: String(at(called, 'name')),
    arguments: text === '' ? {} : typeof text === 'string' ? (parseJson(text) ?? text) : text,
  }
}

/**
 * Whether two lists have the same calls, in any order: the rows judge how fragments are joined, not the order of calls
 * or of the members in their arguments.
 */
export function haveSameCalls(one: readonly PrintedCall[], other: readonly PrintedCall[]): boolean {
  const inAnyOrder = (calls: readonly PrintedCall[]): string =>
    calls
      .map((call) => JSON.stringify(call, sorted))
      .toSorted()
      .join('\n')
  return inAnyOrder(one) === inAnyOrder(other)
}

/** Members in the order of their names. */
function sorted(_: string, value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted()) : value
}
