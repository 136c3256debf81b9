// Reads the body of POST /v1/chat/completions: the one way from parsed JSON to a request or a refusal.
import type { ZodTypeAny } from 'zod'
import { crossFieldIssues } from './cross-field.ts'
import { quickCheck } from './quick-check.ts'
import { type ChatCompletionRequest, chatCompletionFields } from './request.ts'
import {
  type RequestIssue,
  brokenRule,
  missingField,
  requestIssue,
  unknownField,
  wrongBody,
} from './request-issue.ts'
import { parseKnown } from './unknown-members.ts'

export type ParsedRequest = { readonly request: ChatCompletionRequest } | { readonly issue: RequestIssue }

const fields: ReadonlyMap<string, ZodTypeAny> = new Map(Object.entries(chatCompletionFields.shape))
const isPlainlyValid = quickCheck(chatCompletionFields)
const required = [...fields].flatMap(([name, schema]) => (schema.isOptional() ? [] : [name]))

/**
 * The request in a body that `JSON.parse` returned, or the refusal that is due. The verdict is that of
 * `chatCompletionRequest`, without a look at each of the many fields that a request does not have (a fifth of the
 * time), and it ends at the first error. A value that is plainly valid needs no zod (a tenth of that). `lenient` takes a
 * request in spite of members that the format does not know, wherever they stand, without them.
 */
export function parseChatCompletionRequest(body: unknown, { lenient = false } = {}): ParsedRequest {
  if (isPlainlyValid(body)) return withRules(body as ChatCompletionRequest)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { issue: wrongBody(body) }
  const request: Record<string, unknown> = {}
  for (const name of Object.keys(body)) {
    const field = fields.get(name)
    if (field === undefined && lenient) continue
    if (field === undefined) return { issue: unknownField(name) }
    const value: unknown = Reflect.get(body, name)
    const parsed = lenient ? parseKnown(field, value, [name]) : field.safeParse(value, { path: [name] })
    if (!parsed.success) return { issue: requestIssue(parsed.error, body) }
    request[name] = parsed.data
  }
  const missing = required.find((name) => !Object.hasOwn(request, name))
  if (missing !== undefined) return { issue: missingField(missing) }

  // Every field that is there has passed its schema, and those that must be there are.
  return withRules(request as ChatCompletionRequest)
}

/** The verdict on a request of which every field is valid. */
function withRules(request: ChatCompletionRequest): ParsedRequest {
  const [broken] = crossFieldIssues(request)
  return broken === undefined ? { request } : { issue: brokenRule(broken) }
}
