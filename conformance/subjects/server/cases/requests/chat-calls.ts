// The requests of the chat, streaming and wire cases. If a valid request is refused, the row that demands an answer
// fails and no other row is blamed.
import { type Members, namesField } from '../../../../contract/capabilities.ts'
import { speaksOfContext } from '../../../../facts/context-facts.ts'
import type { CaseContext } from '../../case.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import { type Verifier, showBody } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import { CHAT_PATH } from './endpoints.ts'

/** Requests a short answer, so that a slow model costs little time. */
export const PROMPT = 'Say hello.'

/** Halves of surrogate pairs, alone or in the wrong order: not valid text. */
export const HALVES = ['\uD83D', 'a\uD83Db', '\uDE00', '\uDE00\uD83D']

/** Requests a long answer of any model. */
export const LONG_PROMPT =
  'Count from 1 to 100 in words, each number on its own line, and write nothing else.'

export const messagesOf = (content: unknown): readonly unknown[] => [{ role: 'user', content }]

/** The smallest valid body. Cases mutate or extend it. */
export const validBody = (t: CaseContext) => ({ model: t.target.model, messages: messagesOf(PROMPT) })

/** A valid body with a bound on its answer, if the target accepts one. */
export const shortBody = async (t: CaseContext) => ({ ...validBody(t), ...(await t.target.brief()) })

/** Sends a JSON value as the body of a chat request, unchanged. */
export function post(t: CaseContext, body: unknown, request: Partial<RequestSpec> = {}): Promise<Exchange> {
  return t.send({ path: CHAT_PATH, body: JSON.stringify(body), ...request })
}

export function postRaw(
  t: CaseContext,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  return t.send({ path: CHAT_PATH, body, headers })
}

/** Whether an answer is a success; CHAT-7 judges that it is 200. */
export const isSuccess = ({ response }: Exchange): boolean => response.status >= 200 && response.status < 300

/** The target refuses the length of the prompt, and nothing else of the request. */
export function isTooLongForModel(exchange: Exchange): boolean {
  return exchange.response.status === 400 && speaksOfContext(at(json(exchange), 'error'))
}

/** The status is 2xx, for rows about an answer and not about its status. */
export const succeeded: Verifier = (exchange) => {
  if (isSuccess(exchange)) return undefined
  return { expected: 'a success', actual: `status ${exchange.response.status}, ${showBody(exchange)}` }
}

/** The verifier, with a note behind what it expects. */
export function noted(verifier: Verifier, note: string): Verifier {
  return (exchange, target) => {
    const mismatch = verifier(exchange, target)
    return mismatch && { ...mismatch, expected: `${mismatch.expected} (${note})` }
  }
}

/**
 * Returns the answer to a plain request. If it is refused or is not a JSON object, the case is inconclusive, because
 * CHAT-1 fails.
 */
export async function plainAnswer(t: CaseContext, members: Members = {}): Promise<Exchange> {
  const exchange = await t.chat({ messages: messagesOf(PROMPT), ...members })
  if (!isSuccess(exchange))
    t.inconclusive(`a valid request was answered with ${exchange.response.status}, which CHAT-1 judges`)
  if (!isRecord(json(exchange))) t.inconclusive('the answer is not a JSON object, which CHAT-1 judges')
  return exchange
}

/** Members that request the same answer each time, as far as the target supports them. */
export async function steadyMembers(t: CaseContext): Promise<Members> {
  return {
    ...((await t.target.supports('temperature')) ? { temperature: 0 } : {}),
    ...((await t.target.supports('seed')) ? { seed: 1 } : {}),
  }
}

/** Requests `n` choices. A target may support two and refuse more by name: then the case does not apply. */
export async function chatWithChoices(t: CaseContext, n: number): Promise<Exchange> {
  await t.target.requireField('n')
  const exchange = await t.chat({ messages: messagesOf(PROMPT), n })
  if (exchange.response.status === 400 && namesField(exchange, 'n'))
    t.notApplicable(`the target refuses ${n} choices by name`)
  return exchange
}

/** Sends a request with a supported field. It must be answered, unless the plain request is not answered either. */
export async function answerWith(t: CaseContext, members: Members): Promise<Exchange> {
  const exchange = await t.chat(members)
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded)
  return exchange
}

export function finishedBy(reason: string): Verifier {
  return (exchange) => {
    const got = at(choicesOf(json(exchange))[0], 'finish_reason')
    return got === reason ? undefined : { expected: `finish_reason ${show(reason)}`, actual: show(got) }
  }
}

export function named(names: readonly string[]): Verifier {
  return (exchange) => {
    if (names.some((name) => namesField(exchange, name))) return undefined
    return { expected: `a 400 that names ${names.join(' or ')}`, actual: showBody(exchange) }
  }
}
