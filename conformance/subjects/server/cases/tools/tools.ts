// Tool calls (TOOL-1, 2, 4, 5, 6, 9). `tool_choice` forces every call, because the judge does not judge what a model
// prefers.
import { type Case, type CaseContext, type CaseOptions, check } from '../../case.ts'
import type { Observer } from '../../../../contract/observer.ts'
import { toolObservers } from './tool-observers.ts'
import { callIdCases, callIdObservers } from './call-ids.ts'
import { longCallCases } from './long-calls.ts'
import { streamedCallCases } from './streamed-calls.ts'
import { cutCallCases, cutCallObservers } from './cut-calls.ts'
import { toolChoiceCases } from './tool-choice.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { isSuccess, plainAnswer, steadyMembers, succeeded } from '../requests/chat-calls.ts'
import { PLAIN_AGAIN, eitherWay } from '../streaming/streamed-answers.ts'
import { chatWithHistory, replayedMessage } from './history.ts'
import { strictSchemas } from './strict-schemas.ts'
import {
  CONVERT,
  LOOK_UP,
  REFRESH,
  answerWithCalls,
  askWithTools,
  argumentsOf,
  callsOf,
  forcedCalls,
  fragmentsOf,
  named,
  requireTaken,
  strictObject,
  tool,
} from './tool-requests.ts'
import { validates } from './schema-matching.ts'
import {
  argumentJson,
  argumentTexts,
  callIds,
  callNames,
  callTypes,
  contentBesideCalls,
  finalAnswer,
  finishIs,
  fragmentForms,
  fragmentMismatch,
  sameCallsAs,
} from './verifiers.ts'

const OFFERED: readonly unknown[] = [LOOK_UP.function.name, CONVERT.function.name]

/** A function whose parameters have no members. */
const STRICT_REFRESH = tool('refresh', 'Loads the page again.', strictObject({}), true)

/** A history with two calls, for models that make one call at a time. */
const CALLED_TWICE = {
  role: 'assistant',
  content: null,
  tool_calls: ['stone', 'gold'].map((word) => ({
    id: `call_${word}`,
    type: 'function',
    function: { name: LOOK_UP.function.name, arguments: JSON.stringify({ word }) },
  })),
}

const members: Readonly<Record<string, readonly [title: string, verifier: Verifier, options?: CaseOptions]>> =
  {
    ids: ['the ids of calls', callIds],
    types: ['the type of calls', callTypes],
    names: ['the names of calls', callNames(OFFERED)],
    'arguments-text': ['arguments as a string', argumentTexts],
    'arguments-json': [
      'arguments that are a JSON object, where `strict` is not set',
      argumentJson,
      { level: 'SHOULD' },
    ],
  }

const strictCases = Object.entries(strictSchemas).flatMap(([kind, schema]) =>
  eitherWay(`tools.strict-${kind}`, 'TOOL-4', `arguments of a strict tool, ${kind}`).run(
    async (t, { members: form }) => {
      const tools = [tool('order', 'Takes an order.', schema, true)]
      const request = { tools, tool_choice: 'required', ...form }
      // A target may refuse any schema but the plainest.
      if (kind !== 'flat') requireTaken(t, await askWithTools(t, request))
      const exchange = await forcedCalls(t, request)
      const value = argumentsOf(callsOf(exchange)[0])
      if (value === undefined) t.inconclusive('the arguments are not JSON, which TOOL-1 judges')
      const right = validates(schema, 'a value of arguments', () => [value])
      t.expect(exchange, right)
    },
  ),
)

const ASKED = { role: 'user', content: 'What do these words mean?' }

function resultsOf(calls: readonly { readonly id: unknown }[], content = 'It is an old word.') {
  return calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content }))
}

async function expectFinal(t: CaseContext, exchange: Exchange): Promise<void> {
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded, finalAnswer)
}

/** Sends the calls of an answer back, each with a result, and returns the next answer. */
async function answerAfterResults(t: CaseContext, first: Exchange, more: object, content?: string) {
  const calls = callsOf(first)
  const wellFormed = [callIds, callNames(OFFERED), callTypes, argumentTexts]
  if (wellFormed.some((verifier) => verifier(first, t.target) !== undefined))
    t.inconclusive('a call is not well-formed, which TOOL-1 judges')
  const messages = [ASKED, replayedMessage(first), ...resultsOf(calls, content)]
  return t.finished((bound) => t.chat({ ...bound, messages, tools: [LOOK_UP, CONVERT], ...more }))
}

export const cases: readonly Case[] = [
  ...Object.entries(members).flatMap(([what, [title, verifier, options]]) =>
    eitherWay(`tools.${what}`, 'TOOL-1', title)
      .with(options ?? {})
      .run(async (t, way) => t.expect(await forcedCalls(t, way.members), verifier)),
  ),
  ...eitherWay(
    'tools.strict-arguments-json',
    'TOOL-1',
    'arguments that are a JSON object, of a strict tool',
  ).run(async (t, way) => {
    const { name, description, parameters } = LOOK_UP.function
    const tools = [tool(name, description, parameters, true)]
    const exchange = await forcedCalls(t, { tools, ...way.members })
    if (way.streamed && fragmentMismatch(exchange) !== undefined)
      t.inconclusive('the fragments cannot be joined, which TOOL-5 judges')
    t.expect(exchange, argumentJson)
  }),
  ...eitherWay('tools.no-parameters', 'TOOL-1', 'arguments of a function without parameters, an object')
    .with({ level: 'SHOULD' })
    .run(async (t, way) =>
      t.expect(await forcedCalls(t, { tools: [REFRESH], ...way.members }), argumentJson),
    ),
  ...eitherWay(
    'tools.strict-no-parameters',
    'TOOL-1',
    'arguments of a strict function without parameters, an object',
  ).run(async (t, way) => {
    const request = { tools: [STRICT_REFRESH], tool_choice: 'required', ...way.members }
    requireTaken(t, await askWithTools(t, request))
    t.expect(await forcedCalls(t, request), argumentJson)
  }),
  check('tools.content', 'TOOL-2', '`content` beside calls').run(async (t) =>
    t.expect(await forcedCalls(t), contentBesideCalls),
  ),
  ...eitherWay('tools.finish-reason', 'TOOL-2', 'the finish reason of a required call').run(async (t, way) =>
    t.expect(await forcedCalls(t, way.members), finishIs('tool_calls', 'stop')),
  ),
  ...eitherWay('tools.finish-reason-auto', 'TOOL-2', 'the finish reason of a call that the model chose').run(
    async (t, way) => {
      const exchange = await answerWithCalls(t, { ...way.members, tool_choice: 'auto' })
      if (callsOf(exchange).length === 0) t.notApplicable('the model chose no call')
      t.expect(exchange, finishIs('tool_calls'))
    },
  ),
  ...eitherWay('tools.finish-reason-named', 'TOOL-2', 'the finish reason of a call of a named function').run(
    async (t, way) => {
      const tool_choice = named(CONVERT.function.name)
      t.expect(await forcedCalls(t, { ...way.members, tool_choice }), finishIs('tool_calls', 'stop'))
    },
  ),
  ...eitherWay('tools.round-trip', 'TOOL-6', 'a call, its result, and the final answer').run(async (t, way) =>
    expectFinal(t, await answerAfterResults(t, await forcedCalls(t, way.members), way.members)),
  ),
  ...eitherWay('tools.round-trip-empty', 'TOOL-6', 'a call, an empty result, and the final answer').run(
    async (t, way) =>
      expectFinal(t, await answerAfterResults(t, await forcedCalls(t, way.members), way.members, '')),
  ),
  ...eitherWay('tools.round-trip-several', 'TOOL-6', 'two calls, their results, and the final answer').run(
    async (t, way) => {
      await forcedCalls(t, way.members)
      const messages = [ASKED, CALLED_TWICE, ...resultsOf(CALLED_TWICE.tool_calls)]
      const request = { messages, tools: [LOOK_UP], ...way.members }
      await expectFinal(t, await t.finished((bound) => chatWithHistory(t, { ...bound, ...request })))
    },
  ),
  ...toolChoiceCases,
  ...cutCallCases,
  ...strictCases,
  ...streamedCallCases,
  ...callIdCases,
  ...longCallCases,
  check('tools.fragments', 'TOOL-5', 'the first fragment of a call, and the later ones').run(async (t) => {
    const exchange = await answerWithCalls(t, { stream: true, tool_choice: 'required' })
    t.expect(exchange, fragmentForms)
    if (fragmentsOf(exchange).length === 0) t.inconclusive('no call came, which TOOL-3 judges')
  }),
  check('tools.same-calls', 'TOOL-5', 'the calls, streamed and plain').run(async (t) => {
    await t.target.requireDeterministic()
    const steady = await steadyMembers(t)
    const plain = await forcedCalls(t, steady)
    if (callsOf(plain).some((call) => typeof call.arguments !== 'string'))
      t.inconclusive('arguments are not a string, which TOOL-1 judges')
    const same = sameCallsAs(plain)
    const streamed = await forcedCalls(t, { ...steady, stream: true })
    // A model that gives the same text each time may still call with other arguments.
    for (let again = 0; again < PLAIN_AGAIN && same(streamed, t.target) !== undefined; again += 1)
      if (same(await forcedCalls(t, steady), t.target) !== undefined)
        t.notApplicable('the plain calls differ from one answer to the next')
    t.expect(streamed, same)
  }),
]

export const observers: readonly Observer[] = [...toolObservers, ...cutCallObservers, ...callIdObservers]
