// How the program read an answer: its exit code shows whether it got one, and it prints a JSON line or plain text. A rule that
// cannot be observed is not judged, and never passes.
import { isDeepStrictEqual } from 'node:util'
import { at } from '../../../../harness/json-value.ts'
import { CheckFailure, Inconclusive, NotApplicable, fail } from '../../../contract/outcome.ts'
import type { Observed } from '../scenario.ts'
import { type ProgramEnd, ending, quote } from '../../../../harness/judged-program.ts'
import {
  type PrintedCall,
  haveSameCalls,
  printedAnswers,
  readCall,
} from '../../../../harness/printed-answer.ts'

/** The end of the program of a scenario. Throws if the judge did not start it, or its time was over. */
export function endOfProgram(observed: Observed): ProgramEnd {
  const [end] = observed.ends
  if (end === undefined)
    throw new NotApplicable('the judge sees how a program read an answer only if it started the program')
  // Only the rows that bound time blame a program for it.
  if (end.isOverdue)
    throw new Inconclusive(`the program was still running after ${Math.round(observed.boundMs / 1000)} s`)
  return end
}

/** The answer that the program printed as a JSON line, if any. */
const jsonLine = ({ stdout }: ProgramEnd) => printedAnswers(stdout).at(-1)

/** The `finish_reason` that the program printed; undefined if it prints none. */
export function finishPrinted(end: ProgramEnd): unknown {
  return jsonLine(end)?.finishReason
}

/** Verifies that the program reported an answer: exit code 0. `usual` is the usual scenario of the same kind. */
export function tookAnswer(observed: Observed, usual: Observed): ProgramEnd {
  requireUsual(usual)
  const end = endOfProgram(observed)
  if (end.exitCode !== 0) fail('exit code 0', ending(end))
  return end
}

/** Throws if the program fails on the usual answer: then an unusual one cannot be judged. */
function requireUsual(usual: Observed): void {
  const [end] = usual.ends
  if (end !== undefined && end.exitCode !== 0)
    throw new Inconclusive(
      `the program ends with ${ending(end)} on an answer with nothing unusual in it (scenario ${usual.scenario.name})`,
    )
}

/** Verifies that the program reported a failure, and did not print a body as an answer. */
export function reportedFailure(observed: Observed, usual: Observed, what: string): void {
  requireUsual(usual)
  const end = endOfProgram(observed)
  const printed = jsonLine(end)
  if (end.exitCode === 0)
    fail(`an exit code other than 0: ${what}`, `exit code 0, printed ${quote(end.stdout)}`)
  if (typeof printed?.content === 'string' && printed.content.includes(observed.text))
    fail(`no answer: ${what}`, `printed ${quote(printed.content)}`)
}

/** Verifies that the program printed the text of the answer. Not applicable to a program that prints no answers. */
export function printedText(observed: Observed, usual: Observed): void {
  const end = tookAnswer(observed, usual)
  const [usualEnd] = usual.ends
  if (usualEnd === undefined) return
  const line = jsonLine(end)
  const usualLine = jsonLine(usualEnd)
  if (line !== undefined && typeof usualLine?.content === 'string') {
    if (usualLine.content !== usual.text) throw unread(usual)
    if (line.content !== observed.text) throw wrongText(observed.text, line.content)
    return
  }
  if (usualEnd.stdout.trim() === usual.text.trim()) {
    if (end.stdout.trim() !== observed.text.trim()) throw wrongText(observed.text, end.stdout)
    return
  }
  if (!usualEnd.stdout.includes(usual.text))
    throw new NotApplicable('the program does not print the text of an answer')
  if (!end.stdout.includes(observed.text)) throw wrongText(observed.text, end.stdout)
}

function unread({ scenario }: Observed): Inconclusive {
  return new Inconclusive(
    `the program misreads an answer with nothing unusual in it (scenario ${scenario.name})`,
  )
}

/** Throws if the program misreads the usual stream: then an unusual one cannot be judged. */
export function readsStreams(streamed: Observed, plain: Observed): void {
  try {
    printedText(streamed, plain)
  } catch (error) {
    if (error instanceof CheckFailure) throw unread(streamed)
    if (!(error instanceof NotApplicable)) throw error
  }
}

function wrongText(expected: string, actual: unknown): CheckFailure {
  return new CheckFailure({ expected: `the text ${quote(expected)}`, actual: quote(actual) })
}

/** Verifies the text of an answer with calls. Not applicable unless the program prints the members of an answer. */
export function printedTextBesideCalls(observed: Observed, usual: Observed): void {
  const end = tookAnswer(observed, usual)
  const [usualEnd] = usual.ends
  const [line, usualLine] = [end, usualEnd].map((one) => one && jsonLine(one))
  if (line === undefined || usualLine?.content !== usual.text)
    throw new NotApplicable('the program does not print the members of an answer')
  if (line.content !== observed.text) throw wrongText(observed.text, line.content)
}

/** Verifies that the program printed these calls, in any order. Not applicable if it prints no calls. */
export function printedCalls(observed: Observed, usual: Observed, expected: readonly PrintedCall[]): void {
  const end = tookAnswer(observed, usual)
  const [usualEnd] = usual.ends
  if (usualEnd === undefined) return
  const usualCalls = jsonLine(usualEnd)?.toolCalls
  if (!Array.isArray(usualCalls) || usualCalls.length === 0)
    throw new NotApplicable('the program does not print the calls of an answer')
  const printed = jsonLine(end)?.toolCalls
  const read = Array.isArray(printed) ? printed.map(readCall) : []
  if (!haveSameCalls(read, expected))
    fail(JSON.stringify(expected), quote(JSON.stringify(printed) ?? 'no calls'))
}

/** Verifies that the program printed the ids and types of calls as in the usual scenario, if it prints `sent` ids there. */
export function printedIds(
  { ends: [end] }: Observed,
  { ends: [usualEnd] }: Observed,
  sent: readonly string[],
): void {
  const [printed, usual] = [end, usualEnd].map((one) => {
    const calls = one && jsonLine(one)?.toolCalls
    return Array.isArray(calls) ? calls.map((call) => [at(call, 'id'), at(call, 'type')]) : []
  })
  const isSent = usual?.every(([id]) => sent.includes(String(id)))
  if (isSent === true && !isDeepStrictEqual(printed, usual))
    fail(`calls with the ids and types ${quote(usual)}`, quote(printed))
}
