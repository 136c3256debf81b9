// Whether the requests of a program are ones that the format allows (CALL-7), by the schema of the format itself.
import { parseChatCompletionRequest } from '../../../../spec/schemas/parse-request.ts'
import { at, isRecord } from '../../../../harness/json-value.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import { fail } from '../../../contract/outcome.ts'
import type { Observed } from '../scenario.ts'
import { bodyOf } from './request-rules.ts'

/**
 * Verifies that each request for a completion keeps the types, the ranges and the rules between members. A body that cannot
 * be read is judged by CALL-3, and what a program sends back of an answer by CALL-6.
 */
export function isAllowed({ attempts }: Pick<Observed, 'attempts'>): void {
  for (const attempt of attempts) {
    const broken = ruleBrokenBy(attempt)
    if (broken !== undefined) fail('a request that the format allows', broken)
  }
}

/** The first rule that a request breaks, as a sentence. */
function ruleBrokenBy(attempt: Call): string | undefined {
  const body = bodyOf(attempt)
  if (!isRecord(body)) return undefined
  const { messages } = body
  const judged = Array.isArray(messages) ? { ...body, messages: messages.map(ownPart) } : body
  // Members that the format does not know are those of a vendor.
  const parsed = parseChatCompletionRequest(judged, { lenient: true })
  if ('issue' in parsed) return parsed.issue.message
  if (isSet(body, 'tool_choice') && !isSet(body, 'tools'))
    return "Invalid 'tool_choice': it is allowed only if the request has 'tools'."
  if (isSet(body, 'max_tokens') && isSet(body, 'max_completion_tokens'))
    return "Invalid 'max_tokens': 'max_completion_tokens' is its newer name, and a request has one of them."
  return undefined
}

/** Null means the same as absence. */
const isSet = (body: unknown, name: string): boolean => (at(body, name) ?? null) !== null

/** A message without what the program repeats of an answer: the message of the service, and the ids of calls. */
function ownPart(message: unknown): unknown {
  const role = at(message, 'role')
  if (role === 'assistant') return { role, content: '' }
  // The content of a result has the form of the content of instructions.
  return role === 'tool' ? { role: 'system', content: at(message, 'content') } : message
}
