// What a request asks for, read in one way by every engine: tools that may be called, stop strings, the token limit.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { type ApiError, invalidRequest } from '../http/errors.ts'
import type { Schema, SchemaProblem } from './constrained/schema/schema-problem.ts'

export interface OfferedTool {
  readonly name: string
  readonly description?: string | undefined
  /** A schema of objects; undefined where the tool takes no parameters. */
  readonly parameters?: Schema | undefined
  readonly strict: boolean
  /** The request's name of `parameters`, for errors. */
  readonly param: string
}

/** The tools that may be called, and whether one has to be. Throws the 400 of a custom tool. */
export function offeredTools({ tools, tool_choice: choice }: ChatCompletionRequest): {
  readonly offers: readonly OfferedTool[]
  readonly must: boolean
} {
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
  if (choice === 'none') return { offers: [], must: false }
  if (choice == null || typeof choice === 'string') return { offers: every, must: choice === 'required' }
  // A request names only tools that it has, so there is no custom one to choose.
  const named =
    choice.type === 'allowed_tools'
      ? choice.allowed_tools.tools.map((reference) => nameIn(reference['function']))
      : [choice.type === 'function' ? choice.function.name : undefined]
  const offers = every.filter(({ name }) => named.includes(name))
  return { offers, must: choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required' }
}

function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined
}

/** The 400 that names the keyword of a schema which cannot be honoured. */
export function invalidSchema(
  param: string,
  { keyword, message }: Pick<SchemaProblem, 'keyword' | 'message'>,
): ApiError {
  return invalidRequest(
    `Invalid schema for '${param}': the keyword '${keyword}' cannot be honoured: ${message}.`,
    param,
    'invalid_schema',
  )
}

/** The 400 of a schema, or of several together, that is refused for what it costs. */
export function costlySchema(param: string, reason: string): ApiError {
  return invalidRequest(`Invalid schema for '${param}': ${reason}.`, param, 'invalid_schema')
}

/** The stop strings of a request. */
export function stopsOf({ stop }: ChatCompletionRequest): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? [])
}

/** The smaller of both token limits; `Infinity` where there is none. */
export function tokenLimit({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatCompletionRequest): number {
  return Math.min(older ?? Infinity, newer ?? Infinity)
}
