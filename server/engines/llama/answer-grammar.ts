// Which form the answer to a request must have: text, JSON, or calls of tools. What cannot be held to is refused.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { type ApiError, invalidRequest } from '../../http/errors.ts'
import { begin, type Form, isPossible, one } from '../constrained/grammar/byte-grammar.ts'
import { jsonForm } from '../constrained/json-grammar.ts'
import { anyObject } from '../constrained/grammar/json-text.ts'
import { compileSchema, type Schema, SchemaProblem } from '../constrained/schema/compile-schema.ts'
import { callsForm, plainForm, toolsPrompt } from '../constrained/tool-calls.ts'

/** The form in a message to the child process, which builds the same `Form` from it. */
export interface FormOrder {
  /** A JSON object, or JSON that the schema accepts; null for any text. */
  readonly json: { readonly schema: Schema | null } | null
  readonly tools: readonly OfferedTool[]
  /** Whether a tool has to be called. */
  readonly must: boolean
  /** Whether one answer may hold more than one call. */
  readonly parallel: boolean
}

interface OfferedTool {
  readonly name: string
  readonly description?: string
  /** A schema of objects. */
  readonly parameters: Schema
  readonly strict: boolean
}

/**
 * The form that `request` asks for; null for any text. Throws the 400 that names the keyword of a schema that an answer
 * cannot be held to. A schema of tools that is not `strict` is a hint: it is held to as far as a form can express it.
 */
export function formOrder(request: ChatCompletionRequest): FormOrder | null {
  const { offers, must } = offered(request)
  const format = request.response_format
  const json =
    format === undefined || format.type === 'text'
      ? null
      : { schema: format.type === 'json_schema' ? (format.json_schema.schema ?? null) : null }
  if (json === null && offers.length === 0) return null

  if (json?.schema != null) {
    const { schema } = json
    checked('response_format.json_schema.schema', () => {
      compileSchema(schema, { runs: false })
      begin(jsonForm(schema))
    })
  }
  for (const { tool, place } of offers) {
    checked(`tools[${place}].function.parameters`, () => {
      compileSchema(tool.parameters, { runs: false })
      begin(argumentsForm(tool))
    })
  }
  return { json, tools: offers.map(({ tool }) => tool), must, parallel: request.parallel_tool_calls ?? true }
}

/** Builds what `formOrder` has checked. */
export function buildForm({ json, tools, must, parallel }: FormOrder): Form {
  const text = json === null ? plainForm() : json.schema === null ? anyObject : jsonForm(json.schema)
  if (tools.length === 0) return text
  const calls = callsForm(
    tools.map((tool) => ({ name: tool.name, argumentsForm: argumentsForm(tool) })),
    parallel,
  )
  return must ? calls : one(text, calls)
}

/** What the model is told of the form before the conversation. */
export function formPrompt({ json, tools }: FormOrder): string {
  const parts = [
    ...(tools.length === 0 ? [] : [toolsPrompt(tools.map(described))]),
    ...(json?.schema == null
      ? []
      : [`Answer with JSON that this JSON Schema accepts: ${JSON.stringify(json.schema)}`]),
  ]
  return parts.join('\n\n')
}

function described({ name, description, parameters }: OfferedTool) {
  return { name, description, parameters }
}

function argumentsForm({ parameters, strict }: OfferedTool): Form {
  const form = jsonForm(parameters, { hint: !strict, objects: true })
  return strict || isPossible(form) ? form : anyObject
}

interface Offer {
  readonly tool: OfferedTool
  /** Its place among the tools of the request. */
  readonly place: number
}

/** The tools that may be called, and whether one has to be. */
function offered({ tools = [], tool_choice: choice }: ChatCompletionRequest): {
  offers: Offer[]
  must: boolean
} {
  const every = tools.map((tool, place): Offer => {
    if (tool.type === 'custom') throw unsupported(`tools[${place}]`, 'is a custom tool')
    const { name, description, parameters, strict } = tool.function
    const described = description === undefined ? {} : { description }
    const schema = parameters ?? { type: 'object', additionalProperties: false }
    return { tool: { name, ...described, parameters: schema, strict: strict === true }, place }
  })
  const named = (name: unknown): Offer[] => every.filter(({ tool }) => tool.name === name)
  if (choice === undefined || choice === 'auto') return { offers: every, must: false }
  if (choice === 'none') return { offers: [], must: false }
  if (choice === 'required') return { offers: every, must: true }
  if (choice.type === 'custom') throw unsupported('tool_choice', 'names a custom tool')
  if (choice.type === 'function') return { offers: named(choice.function.name), must: true }
  const { tools: allowed, mode } = choice.allowed_tools
  const offers = every.filter(({ tool }) => allowed.some((one) => nameIn(one['function']) === tool.name))
  return { offers, must: mode === 'required' && offers.length > 0 }
}

function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined
}

function checked(param: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof SchemaProblem) throw invalidSchema(param, error.keyword, error.message)
    if (error instanceof RangeError) throw invalidSchema(param, '$ref', error.message)
    throw error
  }
}

function invalidSchema(param: string, keyword: string, message: string): ApiError {
  return invalidRequest(
    `Invalid schema for '${param}': the keyword '${keyword}' cannot be honoured: ${message}.`,
    param,
    'invalid_schema',
  )
}

function unsupported(at: string, what: string): ApiError {
  return invalidRequest(
    `Unsupported value: '${at}' ${what}. Expected a tool of type 'function'.`,
    at,
    'unsupported_value',
  )
}
