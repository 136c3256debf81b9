// Tool calls (TOOL-1, 2, 4, 5, 6). `tool_choice` forces every call, because the judge does not judge what a model
// prefers.
import { type Case, type CaseContext, type Observer, defineCase } from '../../runner/case.ts'
import { toolObservers } from './observed.ts'
import { toolChoiceCases } from './tool-choice.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { at, isRecord, parseJson } from '../../../harness/verify/json-value.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { isSuccess, plainAnswer, steadyMembers, succeeded } from '../requests/chat.ts'
import { PLAIN_AGAIN, readsAsStream, bothWays } from '../streaming/answers.ts'
import { strictSchemas } from './strict-schemas.ts'
import {
  type Call,
  CONVERT,
  LOOK_UP,
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
  validates,
} from './requests.ts'
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
  sameCallsAs,
} from './verifiers.ts'

const OFFERED: readonly unknown[] = [LOOK_UP.function.name, CONVERT.function.name]

/** A function without parameters, and one whose parameters have no members. */
const REFRESH = { type: 'function', function: { name: 'refresh', description: 'Loads the page again.' } }
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

/** Members of a call, by their slugs. */
const members: Readonly<Record<string, readonly [title: string, verifier: Verifier, level?: 'SHOULD']>> = {
  ids: ['the ids of calls', callIds],
  types: ['the type of calls', callTypes],
  names: ['the names of calls', callNames(OFFERED)],
  'arguments-text': ['arguments as a string', argumentTexts],
  'arguments-json': ['arguments that are a JSON object, where `strict` is not set', argumentJson, 'SHOULD'],
}

const strictCases = strictSchemas.flatMap(({ slug: kind, schema }) =>
  bothWays.map(({ slug, title, members: form }) =>
    defineCase(
      `tools.strict-${kind}${slug}`,
      'TOOL-4',
      `arguments of a strict tool, ${kind}${title}`,
      async (t) => {
        const tools = [tool('order', 'Takes an order.', schema, true)]
        const request = { tools, tool_choice: 'required', ...form }
        // A target may refuse any schema but the plainest.
        if (kind !== 'flat') requireTaken(t, await askWithTools(t, request))
        const exchange = await forcedCalls(t, request)
        const [call] = callsOf(exchange)
        if (argumentsOf(call) === undefined) t.inconclusive('the arguments are not JSON, which TOOL-1 judges')
        t.expect(
          exchange,
          validates(schema, 'arguments', () => argumentsOf(call)),
        )
      },
    ),
  ),
)

/** Sends the calls of an answer back, each with a result, and returns the next answer. */
async function answerAfterResults(
  t: CaseContext,
  first: Exchange,
  more: object,
  content = 'It is an old word.',
): Promise<Exchange> {
  const calls = callsOf(first)
  const wellFormed = [callIds, callNames(OFFERED), callTypes, argumentTexts]
  if (wellFormed.some((verifier) => verifier(first, t.target) !== undefined))
    t.inconclusive('a call is not well-formed, which TOOL-1 judges')
  // The model may write arguments that are not JSON, which is not about the round trip.
  const isWhole = !readsAsStream(first) && calls.every((call) => isReadable(call.arguments))
  const message = isWhole ? at(json(first), 'choices', 0, 'message') : rebuilt(calls)
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content }))
  const messages = [{ role: 'user', content: 'What do these words mean?' }, message, ...results]
  return t.finished((bound) => t.chat({ ...bound, messages, tools: [LOOK_UP, CONVERT], ...more }))
}

const isReadable = (text: unknown): boolean => typeof text === 'string' && isRecord(parseJson(text))

/** Builds a message as a client does from a stream. */
function rebuilt(calls: readonly Call[]): object {
  const tool_calls = calls.map(({ id, type, name, arguments: text }) => ({
    id,
    type,
    function: { name, arguments: isReadable(text) ? text : '{}' },
  }))
  return { role: 'assistant', content: null, tool_calls }
}

export const cases: readonly Case[] = [
  ...Object.entries(members).flatMap(([what, [of, verifier, level]]) =>
    bothWays.map(({ slug, title, members: form }) =>
      defineCase(
        `tools.${what}${slug}`,
        'TOOL-1',
        `${of}${title}`,
        level === undefined ? {} : { level },
        async (t) => t.expect(await forcedCalls(t, form), verifier),
      ),
    ),
  ),
  defineCase(
    'tools.strict-arguments-json',
    'TOOL-1',
    'arguments that are a JSON object, of a strict tool',
    async (t) => {
      const { name, description, parameters } = LOOK_UP.function
      t.expect(await forcedCalls(t, { tools: [tool(name, description, parameters, true)] }), argumentJson)
    },
  ),
  ...bothWays.flatMap(({ slug, title, members: form }) => [
    defineCase(
      `tools.no-parameters${slug}`,
      'TOOL-1',
      `arguments of a function without parameters, an object${title}`,
      { level: 'SHOULD' },
      async (t) => t.expect(await forcedCalls(t, { tools: [REFRESH], ...form }), argumentJson),
    ),
    defineCase(
      `tools.strict-no-parameters${slug}`,
      'TOOL-1',
      `arguments of a strict function without parameters, an object${title}`,
      async (t) => {
        const request = { tools: [STRICT_REFRESH], tool_choice: 'required', ...form }
        requireTaken(t, await askWithTools(t, request))
        t.expect(await forcedCalls(t, request), argumentJson)
      },
    ),
  ]),
  defineCase('tools.content', 'TOOL-2', '`content` beside calls', async (t) =>
    t.expect(await forcedCalls(t), contentBesideCalls),
  ),
  ...bothWays.flatMap(({ slug, title, members: form }) => [
    defineCase(
      `tools.finish-reason${slug}`,
      'TOOL-2',
      `the finish reason of a required call${title}`,
      async (t) => t.expect(await forcedCalls(t, form), finishIs('tool_calls', 'stop')),
    ),
    defineCase(
      `tools.finish-reason-auto${slug}`,
      'TOOL-2',
      `the finish reason of a call that the model chose${title}`,
      async (t) => {
        const exchange = await answerWithCalls(t, { ...form, tool_choice: 'auto' })
        if (callsOf(exchange).length === 0) t.notApplicable('the model chose no call')
        t.expect(exchange, finishIs('tool_calls'))
      },
    ),
    defineCase(
      `tools.finish-reason-named${slug}`,
      'TOOL-2',
      `the finish reason of a call of a named function${title}`,
      async (t) => {
        const tool_choice = named(CONVERT.function.name)
        t.expect(await forcedCalls(t, { ...form, tool_choice }), finishIs('tool_calls', 'stop'))
      },
    ),
    defineCase(
      `tools.round-trip${slug}`,
      'TOOL-6',
      `a call, its result, and the final answer${title}`,
      async (t) => {
        const exchange = await answerAfterResults(t, await forcedCalls(t, form), form)
        if (!isSuccess(exchange)) await plainAnswer(t)
        t.expect(exchange, succeeded, finalAnswer)
      },
    ),
  ]),
  defineCase(
    'tools.round-trip-empty',
    'TOOL-6',
    'a call, an empty result, and the final answer',
    async (t) => {
      const exchange = await answerAfterResults(t, await forcedCalls(t), {}, '')
      if (!isSuccess(exchange)) await plainAnswer(t)
      t.expect(exchange, succeeded, finalAnswer)
    },
  ),
  defineCase(
    'tools.round-trip-several',
    'TOOL-6',
    'two calls, their results, and the final answer',
    async (t) => {
      await forcedCalls(t)
      const results = CALLED_TWICE.tool_calls.map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: 'It is an old word.',
      }))
      const messages = [{ role: 'user', content: 'What do these words mean?' }, CALLED_TWICE, ...results]
      const exchange = await t.finished((bound) => t.chat({ ...bound, messages, tools: [LOOK_UP] }))
      if (!isSuccess(exchange)) await plainAnswer(t)
      t.expect(exchange, succeeded, finalAnswer)
    },
  ),
  ...toolChoiceCases,
  ...strictCases,
  defineCase('tools.fragments', 'TOOL-5', 'the first fragment of a call, and the later ones', async (t) => {
    const exchange = await answerWithCalls(t, { stream: true, tool_choice: 'required' })
    t.expect(exchange, fragmentForms)
    if (fragmentsOf(exchange).length === 0) t.inconclusive('no call came, which TOOL-3 judges')
  }),
  defineCase('tools.same-calls', 'TOOL-5', 'the calls, streamed and plain', async (t) => {
    await t.target.requireDeterministic()
    const steady = await steadyMembers(t)
    const plain = callsOf(await forcedCalls(t, steady))
    if (plain.some((call) => typeof call.arguments !== 'string'))
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

export const observers: readonly Observer[] = toolObservers
