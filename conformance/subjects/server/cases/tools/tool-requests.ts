// Requests and answers with tool calls: tools, requests that force a call, and the calls of an answer, plain or
// streamed.
import type { Members } from '../../../../contract/capabilities.ts'
import type { CaseContext } from '../../case.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { exactJson } from '../../../../../harness/json-text.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, listAt, parseJson } from '../../../../../harness/json-value.ts'
import { isSuccess, messagesOf, succeeded } from '../requests/chat-calls.ts'
import {
  type AnswerChoice,
  choicesIn,
  firstChoice,
  isCutOrRefused,
  streamedAnswer,
} from '../streaming/streamed-answers.ts'
import { readsAsStream } from '../requests/asked.ts'

export const LOOK_UP = tool(
  'look_up',
  'Looks a word up in the dictionary.',
  strictObject({ word: { type: 'string' } }),
)

/** A second function, so that a model has a choice. */
export const CONVERT = tool(
  'convert',
  'Converts an amount to another unit.',
  strictObject({ amount: { type: 'number' }, unit: { type: 'string' } }),
)

/** A function without parameters. */
export const REFRESH = {
  type: 'function',
  function: { name: 'refresh', description: 'Loads the page again.' },
} as const

/**
 * Requests two calls, in words and in lines that the echo model of the reference server turns into calls. To other
 * models these lines are plain text.
 */
export const TWO_CALLS = `Look up two words, old stone and new gold, with one call of look_up for each of them.
#call look_up {"word":"old stone"}
#call look_up {"word":"new gold"}`

/** The schema of an object with exactly these members. */
export function strictObject(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

export function tool(name: string, description: string, parameters: object, strict?: boolean) {
  const described = { name, description, parameters, ...(strict === undefined ? {} : { strict }) }
  return { type: 'function', function: described } as const
}

/** The choice of one function by its name. */
export const named = (name: string) => ({ type: 'function', function: { name } }) as const

/** A call of an answer. Verifiers judge its members. */
export interface Call {
  readonly id: unknown
  readonly type: unknown
  readonly name: unknown
  readonly arguments: unknown
}

/** A choice of an answer, with all members of its calls. */
export interface CallingChoice extends AnswerChoice {
  readonly calls: readonly Call[]
}

/** The choices of an answer, plain or streamed, with their calls in order; missing members are undefined. */
export function choicesAndCalls(exchange: Exchange): readonly CallingChoice[] {
  const calls = readsAsStream(exchange)
    ? readStream(exchange).choices.map(({ deltas }) => joinedCalls(fragmentsIn(deltas)))
    : listAt(json(exchange), 'choices').map((choice) => listAt(choice, 'message', 'tool_calls').map(readCall))
  return choicesIn(exchange).map((choice, place) => Object.assign({}, choice, { calls: calls[place] ?? [] }))
}

/** The choices that were neither cut nor refused. */
export const finishedCalls = (exchange: Exchange): readonly CallingChoice[] =>
  choicesAndCalls(exchange).filter((choice) => !isCutOrRefused(choice))

/** The calls of the first choice. */
export const callsOf = (exchange: Exchange): readonly Call[] => choicesAndCalls(exchange)[0]?.calls ?? []

function readCall(call: unknown): Call {
  return {
    id: at(call, 'id'),
    type: at(call, 'type'),
    name: at(call, 'function', 'name'),
    arguments: at(call, 'function', 'arguments'),
  }
}

/** The fragments of calls, in the order of their arrival. */
export const fragmentsIn = (deltas: readonly unknown[]): readonly unknown[] =>
  deltas.flatMap((delta) => listAt(delta, 'tool_calls'))

/** The fragments of the calls of all choices. */
export const fragmentsOf = (exchange: Exchange): readonly unknown[] =>
  readStream(exchange).choices.flatMap(({ deltas }) => fragmentsIn(deltas))

/** Joins fragments by index. Fragments without an index count as one call, so that only TOOL-5 fails. */
function joinedCalls(all: readonly unknown[]): readonly Call[] {
  const byIndex = Map.groupBy(all, (fragment) => at(fragment, 'index') ?? 0)
  return [...byIndex.values()].map((fragments) => {
    const texts = fragments.map((fragment) => at(fragment, 'function', 'arguments') ?? '')
    const { id, type, name } = readCall(fragments[0])
    return {
      id,
      type,
      name,
      arguments: texts.every((text) => typeof text === 'string') ? texts.join('') : texts,
    }
  })
}

/** How often a request is repeated whose answer is cut: a model may stop earlier the next time. */
export const MOST_TRIES = 3

/** Whether the first choice of an answer was cut or refused. */
export const isUnfinished = (exchange: Exchange): boolean => isCutOrRefused(firstChoice(exchange))

export function requireFinished(t: CaseContext, exchange: Exchange): void {
  if (isUnfinished(exchange)) t.inconclusive('the answer was cut or refused')
}

/**
 * Sends a request with tools. In profile `wire`, a target that refuses one of its fields by name makes the case not
 * applicable. Inconclusive if the target streams nothing at all, which STREAM-1 judges.
 */
export async function askWithTools(t: CaseContext, members: Members): Promise<Exchange> {
  const request = { messages: messagesOf(TWO_CALLS), tools: [LOOK_UP, CONVERT], ...members }
  if (t.target.profile === 'wire') {
    await t.target.requireField('tools')
    const fields = ['tool_choice', 'parallel_tool_calls', 'strict'].filter((field) =>
      field === 'strict' ? JSON.stringify(request.tools).includes('"strict"') : Object.hasOwn(request, field),
    )
    for (const field of fields) await t.target.requireField(field, { ...request, stream: false })
  }
  const exchange = await t.finished((bound) => t.chat({ ...bound, ...request }))
  if (members['stream'] === true && !isSuccess(exchange)) await streamedAnswer(t)
  return exchange
}

/** Ends the case if the target refuses the schema: services that cannot follow one answer 400. */
export function requireTaken(t: CaseContext, exchange: Exchange): void {
  if (exchange.response.status === 400) t.notApplicable('the target refuses this schema')
}

/** Returns a whole answer. If the request is refused or fails, the judged row fails. */
export async function answerWithTools(t: CaseContext, members: Members): Promise<Exchange> {
  const exchange = await askWithTools(t, members)
  t.expect(exchange, succeeded)
  requireFinished(t, exchange)
  return exchange
}

/**
 * Forces a call for a row that does not judge whether an answer comes: inconclusive if a plain forced call is not answered
 * either.
 */
export async function answerWithCalls(t: CaseContext, members: Members): Promise<Exchange> {
  const exchange = await askWithTools(t, members)
  if (!isSuccess(exchange)) {
    const { status } = (await askWithTools(t, { tool_choice: 'required' })).response
    if (status < 200 || status > 299)
      t.inconclusive(`a forced call was answered with ${status}, which TOOL-3 judges`)
  }
  t.expect(exchange, succeeded)
  requireFinished(t, exchange)
  return exchange
}

/**
 * Returns an answer with calls to a request that forces one. Inconclusive if every such request is refused, if no call
 * came, or if fragments cannot be joined: other rows judge that.
 */
export async function forcedCalls(t: CaseContext, members: Members = {}): Promise<Exchange> {
  const exchange = await answerWithCalls(t, { tool_choice: 'required', ...members })
  if (callsOf(exchange).length === 0) t.inconclusive('no call came, which TOOL-3 judges')
  if (
    readsAsStream(exchange) &&
    !fragmentsOf(exchange).every((fragment) => Number.isInteger(at(fragment, 'index')))
  )
    t.inconclusive('a fragment has no index, which TOOL-5 judges')
  return exchange
}

/** The arguments with exact numbers, as `exactJson` has them; undefined if they are not JSON. */
export function argumentsOf(call: Pick<Call, 'arguments'> | undefined): unknown {
  if (typeof call?.arguments !== 'string') return undefined
  return exactJson(call.arguments) ?? parseJson(call.arguments)
}
