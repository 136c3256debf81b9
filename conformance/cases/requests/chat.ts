// The requests that the chat, streaming and wire cases start from, and what becomes of a case whose valid request is
// refused: the row that demands an answer fails, and no other is blamed for it.
import { namesField } from '../../target/capabilities.ts'
import type { CaseContext } from '../../runner/case.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { choicesOf } from '../../../harness/verify/verify-completion.ts'
import { type Verifier, showBody } from '../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../harness/verify/json-value.ts'
import { CHAT_PATH } from './endpoints.ts'

/** Asks for a short answer, so that a slow model costs little time. */
export const PROMPT = 'Say hello.'

/** Text that is none: halves of surrogate pairs, alone or in the wrong order. */
export const HALVES = ['\uD83D', 'a\uD83Db', '\uDE00', '\uDE00\uD83D']

/** Asks any model for an answer of many tokens. */
export const LONG_PROMPT =
  'Count from 1 to 100 in words, each number on its own line, and write nothing else.'

/** The messages of a conversation with one message of the user. */
export function messagesOf(content: unknown): readonly unknown[] {
  return [{ role: 'user', content }]
}

/** The smallest valid body, which a case then breaks or extends. */
export function validBody(t: CaseContext): { readonly model: string; readonly messages: readonly unknown[] } {
  return { model: t.target.model, messages: messagesOf(PROMPT) }
}

/** A valid body whose answer is kept short, where the target takes a limit. */
export async function shortBody(t: CaseContext): Promise<ReturnType<typeof validBody>> {
  return { ...validBody(t), ...(await t.target.brief()) }
}

/** Sends any JSON value as the body of a chat request, just as it is: nothing is filled in. */
export function post(t: CaseContext, body: unknown, request: Partial<RequestSpec> = {}): Promise<Exchange> {
  return t.send({ path: CHAT_PATH, body: JSON.stringify(body), ...request })
}

/** Sends these bytes or this text as the body of a chat request. */
export function postRaw(
  t: CaseContext,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  return t.send({ path: CHAT_PATH, body, headers })
}

/** Whether an answer is a success at all: that it is 200 and no other is what CHAT-7 judges. */
export function isSuccess({ response }: Exchange): boolean {
  return response.status >= 200 && response.status < 300
}

/** The status is of the 2xx: for rows that speak of an answer, not of its status. */
export const succeeded: Verifier = (exchange) => {
  if (isSuccess(exchange)) return undefined
  return { expected: 'a success', actual: `status ${exchange.response.status}, ${showBody(exchange)}` }
}

/**
 * The answer to a plain request that asks for nothing special. Where it is refused, or is no JSON object, the case is
 * inconclusive: CHAT-1 fails for it.
 */
export async function plainAnswer(
  t: CaseContext,
  members: Readonly<Record<string, unknown>> = {},
): Promise<Exchange> {
  const exchange = await t.chat({ messages: messagesOf(PROMPT), ...members })
  if (!isSuccess(exchange))
    t.inconclusive(`a valid request was answered with ${exchange.response.status}, which CHAT-1 judges`)
  if (!isRecord(json(exchange))) t.inconclusive('the answer is no JSON object, which CHAT-1 judges')
  return exchange
}

/** What asks for the same answer each time, as far as the target takes it. */
export async function steadyMembers(t: CaseContext): Promise<Readonly<Record<string, unknown>>> {
  return {
    ...((await t.target.supports('temperature')) ? { temperature: 0 } : {}),
    ...((await t.target.supports('seed')) ? { seed: 1 } : {}),
  }
}

/**
 * Asks for so many choices. A target may give two and refuse more: a number that is refused by name is not judged, as
 * the field is not where it is refused.
 */
export async function chatWithChoices(t: CaseContext, n: number): Promise<Exchange> {
  await t.target.requireField('n')
  const exchange = await t.chat({ messages: messagesOf(PROMPT), n })
  if (exchange.response.status === 400 && namesField(exchange, 'n'))
    t.notApplicable(`the target refuses so many choices by name: ${n}`)
  return exchange
}

/** Sends a request with a supported field: it must be answered, unless even the plain request is not. */
export async function answerWith(
  t: CaseContext,
  members: Readonly<Record<string, unknown>>,
): Promise<Exchange> {
  const exchange = await t.chat(members)
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded)
  return exchange
}

/** The first choice ended for this reason. */
export function finishedBy(reason: string): Verifier {
  return (exchange) => {
    const got = at(choicesOf(json(exchange))[0], 'finish_reason')
    return got === reason ? undefined : { expected: `finish_reason ${show(reason)}`, actual: show(got) }
  }
}

/** The refusal names one of these. */
export function named(names: readonly string[]): Verifier {
  return (exchange) => {
    if (names.some((name) => namesField(exchange, name))) return undefined
    return { expected: `a 400 that names ${names.join(' or ')}`, actual: showBody(exchange) }
  }
}
