// The second turn of a conversation: what the program sends back of the answer that it received (CALL-6), and which calls it
// answers (READ-12).
import { isDeepStrictEqual } from 'node:util'
import { at, listAt, parseJson, show } from '../../../../harness/json-value.ts'
import { ending } from '../../../../harness/judged-program.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import type { Members } from '../../../../harness/scripted-service/scripted-answers.ts'
import { NotApplicable, fail } from '../../../contract/outcome.ts'
import type { Observed, Turn } from '../scenario.ts'
import { endOfProgram, finishPrinted, printedCalls, tookAnswer } from './program-output.ts'
import { messagesOf, textOf } from './request-rules.ts'

/** A message that the program received. */
export interface Received {
  readonly content: string | null
  /** The other members of the message, by name. */
  readonly members: Readonly<Record<string, string>>
  readonly calls: readonly Members[]
}

/** The first request with more messages than the first of all: that of the second turn. */
function secondTurn({ attempts }: Observed): Call | undefined {
  const first = attempts[0] === undefined ? 0 : messagesOf(attempts[0]).length
  return attempts.find((attempt) => messagesOf(attempt).length > first)
}

/** The messages of the second turn. Not applicable to a program that makes one request for each start. */
function messagesOfTurn(observed: Observed): readonly unknown[] {
  const turn = secondTurn(observed)
  if (turn === undefined)
    throw new NotApplicable('the program does not continue a conversation with TOUCHSTONE_TURNS')
  return messagesOf(turn)
}

/**
 * The second and the third turn of a conversation, as if they were the first and the second. Not applicable to a program
 * that does not go on twice in `usual` either, a conversation of as many turns.
 */
export function secondAndThirdTurn(observed: Observed, usual: Observed = observed): Observed {
  const turns = lastTurns(observed)
  if (turns !== undefined) return { ...observed, attempts: turns }
  const [end] = observed.ends
  if (lastTurns(usual) !== undefined && end !== undefined)
    fail('a third request, with the results of the calls in the second answer', ending(end))
  throw new NotApplicable('the program does not continue a conversation twice with TOUCHSTONE_TURNS')
}

function lastTurns(observed: Observed): readonly Call[] | undefined {
  const second = secondTurn(observed)
  if (second === undefined) return undefined
  const third = secondTurn({
    ...observed,
    attempts: observed.attempts.slice(observed.attempts.indexOf(second)),
  })
  return third && [second, third]
}

/** The message of the service among those of the second turn, and the messages before and behind it. */
function turnOf(observed: Observed) {
  const messages = messagesOfTurn(observed)
  const at = messages.findLastIndex((message) => roleOf(message) === 'assistant')
  if (at === -1)
    fail('the message of the service among the messages of the second turn', show(messages.map(roleOf)))
  return { before: messages.slice(0, at), message: messages[at], behind: messages.slice(at + 1) }
}

const roleOf = (message: unknown): unknown => at(message, 'role')

/**
 * Verifies that the second turn begins with the messages of the first, and continues with the message of the service and the
 * next ones. `text` is the conversation without calls: a program that continues that one continues this one, or fails.
 */
export function sendsBackHistory(observed: Observed, text: Observed): void {
  const [end] = observed.ends
  if (
    secondTurn(observed) === undefined &&
    secondTurn(text) !== undefined &&
    end !== undefined &&
    end.exitCode !== 0
  )
    fail('a second request, with the message of the service', ending(end))
  const { before, behind } = turnOf(observed)
  const first = observed.attempts[0] === undefined ? [] : messagesOf(observed.attempts[0])
  const [expected, actual] = [first, before].map((messages) =>
    messages.map((message) => [roleOf(message), textOf(at(message, 'content')) ?? '']),
  )
  if (!isDeepStrictEqual(expected, actual))
    fail(`the messages of the first turn, ${show(expected)}`, show(actual))
  const [turn] = observed.task.turns
  if (typeof turn === 'string' && (behind.length !== 1 || textOf(at(behind[0], 'content')) !== turn))
    fail(`one message behind that of the service, ${show(turn)}`, show(behind))
}

/** Verifies that the message goes back with a member as it was received. */
export function sendsBack(observed: Observed, { content, members }: Received, name: string): void {
  const { message } = turnOf(observed)
  const expected = name === 'content' ? content : members[name]
  const actual = name === 'content' ? textOf(at(message, name)) : at(message, name)
  if (actual !== expected) fail(`\`${name}\` ${show(expected)}, as it was received`, show(actual))
}

/**
 * Verifies that a text which came under several names goes back under each as it came. A program may keep one of the names:
 * another scenario for each shows whether it does.
 */
export function sendsBackOnce(observed: Observed, { members }: Received): void {
  const { message } = turnOf(observed)
  for (const [name, text] of Object.entries(members)) {
    const sent = at(message, name) ?? text
    if (sent !== text) fail(`\`${name}\` ${show(text)}, as it was received`, show(sent))
  }
}

/** Verifies that each call goes back with these members as they were received, in any order. */
export function sendsBackCalls(observed: Observed, calls: Received['calls'], names: readonly string[]): void {
  const sent = listAt(turnOf(observed).message, 'tool_calls')
  for (const [place, call] of calls.entries()) {
    // Other ids are the fault of one check; the others then compare by place.
    const own = sent.find((one) => at(one, 'id') === call['id']) ?? sent[place]
    for (const name of names) {
      const actual = memberOf(own, name)
      if (!isDeepStrictEqual(actual, call[name]))
        fail(`\`tool_calls[${place}].${name}\` ${show(call[name])}, as it was received`, show(actual))
    }
  }
  if (sent.length > calls.length) fail(`${calls.length} calls`, show(sent))
}

/** A member of a call; of its function what the format names. */
function memberOf(call: unknown, name: string): unknown {
  const value = at(call, name)
  return name === 'function' && value !== undefined
    ? { name: at(value, 'name'), arguments: at(value, 'arguments') }
    : value
}

/** Verifies that each call is followed by its result, with its id. */
export function sendsBackResults(observed: Observed, calls: Received['calls'], results: Turn): void {
  const { message, behind } = turnOf(observed)
  const sent = listAt(message, 'tool_calls')
  for (const [place, { id: received, function: called }] of calls.entries()) {
    // Another id of the call itself is not judged here.
    const id = sent.some((one) => at(one, 'id') === received) ? received : at(sent[place], 'id')
    const expected = at(results, String(at(called, 'name')))
    const own = behind.find((message) => at(message, 'tool_call_id') === id)
    const actual = own && textOf(at(own, 'content'))
    if (roleOf(own) !== 'tool' || actual !== expected)
      fail(
        `a tool message with \`tool_call_id\` ${show(id)} and the content ${show(expected)}`,
        show(own ?? behind),
      )
  }
}

/**
 * Verifies that a call without arguments is read as one with `{}`: its result goes back, or the program prints it. `text` is
 * the conversation without calls, `usual` the usual scenario with calls.
 */
export function readsEmptyArguments(
  observed: Observed,
  text: Observed,
  usual: Observed,
  plain: Observed,
): void {
  const turn = secondTurn(observed)
  if (turn === undefined) {
    tookAnswer(observed, plain)
    if (secondTurn(text) === undefined)
      return printedCalls(observed, usual, [{ name: 'list_cities', arguments: {} }])
    fail('a second request with the result of the call', 'no second request')
  }
  const [call] = listAt(turnOf(observed).message, 'tool_calls')
  const sent = at(call, 'function', 'arguments') ?? ''
  if (sent !== '' && show(parseJson(String(sent))) !== '{}')
    fail('arguments that are `{}` or left empty', show(sent))
}

/** Verifies that no result of a cut call is sent, and that the program does not hide that the answer was cut. */
export function keepsCallsWhole(observed: Observed, id: string): void {
  const answered = observed.attempts.flatMap(messagesOf).find((message) => at(message, 'tool_call_id') === id)
  if (answered !== undefined) fail('no result of a call that is cut', show(answered))
  const end = endOfProgram(observed)
  if (end.exitCode !== 0) return
  const finish = finishPrinted(end)
  if (finish === undefined)
    throw new NotApplicable('the program does not print the `finish_reason` of an answer')
  if (secondTurn(observed) === undefined && finish !== 'length')
    fail(
      'an error, or the answer with `finish_reason` "length"',
      `exit code 0, \`finish_reason\` ${show(finish)}`,
    )
}
