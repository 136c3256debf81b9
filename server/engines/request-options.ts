// Reads the options of a request in the same way for each engine: callable tools, stop strings, the token limit.
import { quoted } from '../../spec/protocol/key.ts'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { isRecord } from '../../spec/schemas/collections.ts'
import { type ApiError, invalidRequest } from '../http/api-error.ts'
import type { Schema, SchemaProblem } from './schema-problem.ts'

export interface OfferedTool {
  readonly name: string
  readonly description?: string | undefined
  /** A schema of objects; undefined if the tool has no parameters. */
  readonly parameters?: Schema | undefined
  readonly strict: boolean
  /** The request's name of `parameters`, for errors. */
  readonly param: string
}

/** Whether the answer must call a tool. */
export function mustCall({ tool_choice: choice }: ChatCompletionRequest): boolean {
  if (choice == null || choice === 'auto' || choice === 'none') return false
  return (
    typeof choice === 'string' || choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required'
  )
}

/** The callable tools, and whether the answer must call one. Throws a 400 for a custom tool. */
export function offeredTools(request: ChatCompletionRequest): {
  readonly offers: readonly OfferedTool[]
  readonly must: boolean
} {
  const { tools, tool_choice: choice } = request
  const must = mustCall(request)
  const every = (tools ?? []).map((tool, place): OfferedTool => {
    const at = `tools[${place}]`
    if (tool.type === 'custom') {
      throw invalidRequest(
        `Unsupported value: '${at}' is a custom tool. Expected a tool of type 'function'.`,
        at,
        'unsupported_value',
      )
    }
    const { name, description, parameters, strict } = tool.function
    return {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      strict: strict === true,
      param: `${at}.function.parameters`,
    }
  })
  if (choice === 'none') return { offers: [], must }
  if (choice == null || typeof choice === 'string') return { offers: every, must }
  // The request is validated: it names only its own tools, and none of these is a custom tool.
  const named =
    choice.type === 'allowed_tools'
      ? choice.allowed_tools.tools.map(({ function: named }) => isRecord(named) && named['name'])
      : [choice.type === 'function' ? choice.function.name : undefined]
  return { offers: every.filter(({ name }) => named.includes(name)), must }
}

/** The 400 of a schema that the server cannot support; it names the keyword, if one is the cause. */
export function invalidSchema(
  param: string,
  { keyword, message }: Pick<SchemaProblem, 'keyword' | 'message'>,
): ApiError {
  const reason = keyword === undefined ? message : `the keyword '${keyword}' cannot be honoured: ${message}`
  return costlySchema(param, reason)
}

/** The 400 for a schema, or for several together, for a reason such as too much work. */
export function costlySchema(param: string, reason: string): ApiError {
  return invalidRequest(`Invalid schema for '${param}': ${reason}.`, param, 'invalid_schema')
}

export function stopsOf({ stop }: ChatCompletionRequest): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? [])
}

/** Throws the 400 that names the first id of `logit_bias` that none of `count` tokens has: they are 0 to `count` − 1. */
export function refuseUnknownTokens(bias: ChatCompletionRequest['logit_bias'], count: number): void {
  for (const id in bias) if (Number(id) >= count) throw unknownToken(id, count)
}

/** The 400 for an id in `logit_bias` that none of `count` tokens has. */
export function unknownToken(id: string | number, count: number): ApiError {
  const param = `logit_bias.${quoted(String(id), 40)}`
  return invalidRequest(
    `Invalid '${param}': this model has no token with this id. Expected 0 to ${count - 1}.`,
    param,
    'invalid_value',
  )
}

/** The smaller of both token limits; `Infinity` if there is none. */
export function tokenLimit({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatCompletionRequest): number {
  return Math.min(older ?? Infinity, newer ?? Infinity)
}

/** The 400 of a prompt that leaves no room for an answer. If not `exact`, `promptTokens` is a lower bound. */
export function tooLong({
  promptTokens,
  exact = true,
  contextTokens,
}: {
  readonly promptTokens: number
  readonly exact?: boolean
  readonly contextTokens: number
}): ApiError {
  const tokens = `${exact ? '' : 'at least '}${promptTokens} tokens`
  return invalidRequest(
    `The prompt has ${tokens}, which leaves no room for an answer in this model's context of ${contextTokens} tokens.`,
    'messages',
    'context_length_exceeded',
  )
}
