// The history of a conversation: the message of an answer as a client sends it back, with every member that came (TOOL-6,
// WIRE-24), and fake histories of the judge, which lack the members that a service demands of its own messages.
import { isDeepStrictEqual } from 'node:util'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { at, isRecord, listAt, parseJson } from '../../../../../harness/json-value.ts'
import { type Members, namesField } from '../../../../contract/capabilities.ts'
import type { CaseContext } from '../../case.ts'
import { readsAsStream } from '../requests/asked.ts'
import { isSuccess, plainAnswer } from '../requests/chat-calls.ts'
import { askWithTools } from './tool-requests.ts'

/** Returns the message of the first choice, plain or streamed, with every member that the service sent. */
export function replayedMessage(exchange: Exchange): Members {
  const message = readsAsStream(exchange)
    ? joinedDeltas(readStream(exchange).choices[0]?.deltas ?? [])
    : at(json(exchange), 'choices', 0, 'message')
  if (!isRecord(message)) return { role: 'assistant', content: null }
  if (!Array.isArray(message['tool_calls'])) return message
  return { ...message, tool_calls: message['tool_calls'].map(withReadableArguments) }
}

/** A model may write arguments that are not JSON, which is not about the history. */
function withReadableArguments(call: unknown): unknown {
  const text = at(call, 'function', 'arguments')
  if (!isRecord(call) || (typeof text === 'string' && isRecord(parseJson(text)))) return call
  return { ...call, function: { ...Object(call['function']), arguments: '{}' } }
}

/** Joins deltas as a client does: texts and lists one after the other, any other value as it came last. */
function joinedDeltas(deltas: readonly unknown[]): Members {
  const message: Record<string, unknown> = { content: null }
  for (const [name, value] of deltas.flatMap(membersOf)) {
    const before = message[name]
    if (typeof before === 'string' && typeof value === 'string') message[name] = before + value
    else if (Array.isArray(before) && Array.isArray(value)) message[name] = before.concat(value)
    else message[name] = value
  }
  const fragments = listAt(message, 'tool_calls')
  const calls = [...Map.groupBy(fragments, (fragment) => at(fragment, 'index') ?? 0).values()].map(joinedCall)
  return { ...message, role: 'assistant', ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

/** Joins the arguments of the fragments of a call; any other member is the first that came. */
function joinedCall(fragments: readonly unknown[]): Members {
  const first = (values: readonly unknown[]) => Object.fromEntries(values.flatMap(membersOf).toReversed())
  const { index: _, ...call } = first(fragments)
  const described = fragments.map((fragment) => at(fragment, 'function'))
  const texts = described.map((one) => at(one, 'arguments')).filter((text) => typeof text === 'string')
  return { ...call, function: { ...first(described), arguments: texts.join('') } }
}

/** The members that are not null: a null says as little as leaving the member out. */
const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  Object.entries(isRecord(value) ? value : {}).filter(([, member]) => (member ?? null) !== null)

/** The members of a message and a call that the format knows, and the one that the official library adds. */
const KNOWN: ReadonlySet<string> = new Set(
  'role content refusal annotations audio function_call tool_calls id type function parsed'.split(' '),
)

/** Members that services are known to demand back, beside those that this one sends. */
const DEMANDED = ['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content', 'thought_signature']

const ownMembers = (value: unknown): Members =>
  Object.fromEntries(membersOf(value).filter(([name]) => !KNOWN.has(name)))

/** The names of the members that a message of the service and its calls have beside those of the format. */
export function ownNames(message: unknown): readonly string[] {
  return [message, ...listAt(message, 'tool_calls')].flatMap((one) => Object.keys(ownMembers(one)))
}

/** The history with the own members of a message of the service on each message and each call of the assistant. */
function withOwnMembers(messages: readonly unknown[], own: Members): readonly unknown[] {
  const ofCall = ownMembers(listAt(own, 'tool_calls')[0])
  return messages.map((message) => {
    if (!isRecord(message) || message['role'] !== 'assistant') return message
    const calls = message['tool_calls']
    const tool_calls = Array.isArray(calls) ? calls.map((call) => ({ ...ofCall, ...call })) : calls
    return { ...ownMembers(own), ...message, ...(tool_calls === undefined ? {} : { tool_calls }) }
  })
}

/** A request with a fake history. */
type History = Members & { readonly messages: readonly unknown[] }

/**
 * Sends a request with a fake history, and returns the exchange. Ends the case if the history is refused for
 * the lack of a member alone that the service demands of its own messages: the refusal names one, or the same request with
 * the members of a message of the service is accepted.
 */
export async function chatWithHistory(t: CaseContext, request: History): Promise<Exchange> {
  const exchange = await t.chat(request)
  const ofAssistant = request.messages.filter((message) => at(message, 'role') === 'assistant')
  if (exchange.response.status !== 400 || ofAssistant.length === 0) return exchange
  const demanded = DEMANDED.find((name) => namesField(exchange, name))
  if (demanded !== undefined) t.notApplicable(`the service demands its own ${demanded} of every history`)
  const calls = ofAssistant.some((message) => Array.isArray(at(message, 'tool_calls')))
  const own = calls ? await askWithTools(t, { tool_choice: 'required' }) : await plainAnswer(t)
  const messages = withOwnMembers(request.messages, isSuccess(own) ? replayedMessage(own) : {})
  if (isDeepStrictEqual(messages, request.messages)) return exchange
  if (isSuccess(await t.chat({ ...request, messages })))
    t.notApplicable('the service demands the members of its own messages of every history')
  return exchange
}
