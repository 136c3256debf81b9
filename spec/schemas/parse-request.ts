// Reads the body of POST /v1/chat/completions: the one way from parsed JSON to a request or a refusal.
import type { ZodTypeAny } from 'zod'
import { crossFieldIssues } from './cross-field.ts'
import { type ChatCompletionRequest, chatCompletionFields } from './request.ts'
import {
  type RequestIssue,
  brokenRule,
  missingField,
  requestIssue,
  unknownField,
  wrongBody,
} from './request-issue.ts'

export type ParsedRequest = { readonly request: ChatCompletionRequest } | { readonly issue: RequestIssue }

const fields: ReadonlyMap<string, ZodTypeAny> = new Map(Object.entries(chatCompletionFields.shape))
const required = [...fields].flatMap(([name, schema]) => (schema.isOptional() ? [] : [name]))

/**
 * The request in a body that `JSON.parse` returned, or the refusal that is due. The verdict is that of
 * `chatCompletionRequest`, without a look at each of the many fields that a request does not have (a fifth of the
 * time), and at the first thing that is wrong it ends.
 */
export function parseChatCompletionRequest(body: unknown): ParsedRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { issue: wrongBody(body) }
  const request: Record<string, unknown> = {}
  for (const name of Object.keys(body)) {
    const field = fields.get(name)
    if (field === undefined) return { issue: unknownField(name) }
    const parsed = field.safeParse(Reflect.get(body, name), { path: [name] })
    if (!parsed.success) return { issue: requestIssue(parsed.error, body) }
    request[name] = parsed.data
  }
  const missing = required.find((name) => !Object.hasOwn(request, name))
  if (missing !== undefined) return { issue: missingField(missing) }

  // Every field that is there has passed its schema, and those that must be there are.
  const whole = request as ChatCompletionRequest
  const [broken] = crossFieldIssues(whole)
  return broken === undefined ? { request: whole } : { issue: brokenRule(broken) }
}
