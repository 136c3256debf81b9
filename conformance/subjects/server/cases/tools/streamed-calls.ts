// Streamed calls are those of the plain answer to the same request, whatever the other fields of the request are
// (TOOL-5, STREAM-6), and each of several choices has its own, whole (STREAM-8).
import type { Members } from '../../../../contract/capabilities.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { isRecord, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { isRefusedByName } from '../requests/asked.ts'
import { readsAsStream, usageOf } from '../requests/asked.ts'
import { isSuccess, steadyMembers } from '../requests/chat-calls.ts'
import { sameFinishAs, sameRefusalAs, sameTextAs, sameUsageAs } from '../streaming/parity.ts'
import { everyChoiceComplete } from '../streaming/chunks.ts'
import {
  PLAIN_AGAIN,
  choicesIn,
  hasContents,
  isCutOrRefused,
  readAnswer,
} from '../streaming/streamed-answers.ts'
import { type Call, CONVERT, argumentsOf, askWithTools, choicesAndCalls, named } from './tool-requests.ts'
import { fragmentMismatch, sameCallsAs } from './verifiers.ts'

const REQUIRED = { tool_choice: 'required' }

/** Requests for calls, by the fields beside `tools`. */
const requests: Variants<[members: Members]> = {
  auto: ['`tool_choice`: auto', { tool_choice: 'auto' }],
  named: ['a named function', { tool_choice: named(CONVERT.function.name) }],
  single: ['`parallel_tool_calls`: false', { ...REQUIRED, parallel_tool_calls: false }],
  'beside-a-format': ['a `response_format`', { ...REQUIRED, response_format: { type: 'json_object' } }],
  'of-two': ['two choices', { ...REQUIRED, n: 2 }],
}

/** Ends the case as not applicable if a field that `askWithTools` does not know is refused by name. */
async function requireFields(t: CaseContext, members: Members): Promise<void> {
  if (Object.hasOwn(members, 'n')) await t.target.requireField('n')
  if (Object.hasOwn(members, 'response_format')) await t.target.requireField('response_format')
}

/** Sends a request for calls. Other rows judge one that is refused or cut, and a field may be refused by name. */
async function wholeCalls(t: CaseContext, members: Members): Promise<Exchange> {
  const exchange = await askWithTools(t, members)
  if (isRefusedByName(exchange)) t.notApplicable('the target refuses one of these fields by name')
  if (!isSuccess(exchange)) t.inconclusive('the request is refused, which TOOL-3 and STREAM-1 judge')
  // A stream that did not come is judged by STREAM-1 alone.
  if (members['stream'] === true || readsAsStream(exchange)) readAnswer(t, exchange)
  if (choicesIn(exchange).some(isCutOrRefused)) t.inconclusive('the answer was cut or refused')
  return exchange
}

/** The plain answer to such a request. */
async function plainCalls(t: CaseContext, members: Members): Promise<Exchange> {
  const plain = await wholeCalls(t, members)
  if (everyChoiceCalls(plain, t.target) !== undefined)
    t.notApplicable(
      'a choice of the plain answer has no call, or one that is not JSON, which other rows judge',
    )
  return plain
}

/**
 * Each choice has at least one call, and the arguments are JSON. TOOL-1 judges that they are an object, and TOOL-5 fragments
 * that cannot be joined.
 */
const everyChoiceCalls: Verifier = (exchange) => {
  const isJoined = !readsAsStream(exchange) || fragmentMismatch(exchange) === undefined
  const isCut = (call: Call): boolean => isJoined && argumentsOf(call) === undefined
  const odd = choicesAndCalls(exchange).find(({ calls }) => calls.length === 0 || calls.some(isCut))
  return odd && { expected: `whole calls of choice ${show(odd.index)}`, actual: show(odd.calls) }
}

/** The parts of a plain answer that are the same each time. */
const said = (plain: Exchange): string => JSON.stringify([choicesIn(plain), usageOf(plain)])

/** Compares the streamed answer with the plain one, if the plain one is the same each time. */
async function expectSame(
  t: CaseContext,
  members: Members,
  streamedOnly: Members,
  verifiersOf: (plain: Exchange) => readonly Verifier[],
): Promise<void> {
  await t.target.requireDeterministic()
  await requireFields(t, members)
  const request = { ...(await steadyMembers(t)), ...members }
  const plain = await plainCalls(t, request)
  const streamed = await wholeCalls(t, { ...request, ...streamedOnly, stream: true })
  if (choicesIn(streamed).length !== choicesIn(plain).length)
    t.notApplicable('the stream has another number of choices, which WIRE-6 and STREAM-8 judge')
  const verifiers = verifiersOf(plain)
  const holds = (): boolean => verifiers.every((verifier) => verifier(streamed, t.target) === undefined)
  // A model that gives the same text each time may still call with other arguments.
  for (let again = 0; again < PLAIN_AGAIN && !holds(); again += 1)
    if (said(await askWithTools(t, request)) !== said(plain))
      t.notApplicable('the plain answers differ from one to the next')
  t.expect(streamed, ...verifiers)
}

/** Streamed and plain answers with calls agree on all but the calls, as answers with text do. */
function sameBesideCalls(plain: Exchange): readonly Verifier[] {
  const usage = usageOf(plain)
  // CHAT-1 judges a content that is neither text nor null.
  const ofText = hasContents(plain) ? [sameTextAs] : []
  const same = [...ofText, sameRefusalAs, sameFinishAs].map((sameAs) => sameAs(json(plain)))
  const sameUsage: Verifier = (streamed, target) =>
    isRecord(usage) && isRecord(usageOf(streamed)) ? sameUsageAs(usage)(streamed, target) : undefined
  return [...same, sameUsage]
}

export const streamedCallCases: readonly Case[] = [
  ...checkEach('tools.same-calls-*', 'TOOL-5', 'the calls, streamed and plain: *', requests).run(
    (t, members) => expectSame(t, members, {}, (plain) => [sameCallsAs(plain)]),
  ),
  check(
    'stream.same-beside-calls',
    'STREAM-6',
    'text, finish reason, refusal and usage beside calls, streamed and plain',
  ).run(async (t) => {
    const hasUsage = await t.target.supports('stream_options')
    const streamedOnly = hasUsage ? { stream_options: { include_usage: true } } : {}
    await expectSame(t, REQUIRED, streamedOnly, sameBesideCalls)
  }),
  check(
    'stream.every-choice-calls',
    'STREAM-8',
    'the whole calls of each of two choices, with its index and its finish',
  )
    .with({ alwaysQuick: true })
    .run(async (t) => {
      const request = { ...REQUIRED, n: 2 }
      await requireFields(t, request)
      const complete = [everyChoiceComplete(2), everyChoiceCalls]
      const ask = () => wholeCalls(t, { ...request, stream: true })
      const isComplete = (exchange: Exchange): boolean =>
        complete.every((verifier) => verifier(exchange, t.target) === undefined)
      let streamed = await ask()
      // A model may write a call that is not JSON, plain or streamed.
      if (!isComplete(streamed)) {
        const plain = await plainCalls(t, request)
        if (choicesIn(plain).length !== 2)
          t.notApplicable('the plain answer has no two choices, which WIRE-6 judges')
        streamed = await ask()
      }
      t.expect(streamed, ...complete)
    }),
]
