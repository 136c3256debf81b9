// Which grammar constrains the answer to a request: text, JSON, or calls of tools. What no grammar can express is refused.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { begin, type Grammar, leastBytes, one } from '../constrained/grammar/byte-grammar.ts'
import { jsonGrammar } from '../constrained/json-grammar.ts'
import { anyObject } from '../constrained/grammar/json-text.ts'
import { compileSchema, type Schema, SchemaProblem } from '../constrained/schema/compile-schema.ts'
import { invalidSchema, type OfferedTool, offeredTools } from '../request-options.ts'
import { callsGrammar, plainTextGrammar, toolsPrompt } from '../constrained/tool-calls.ts'

/** The grammar as a message to the child process, which builds the same `Grammar` from it. */
export interface GrammarSpec {
  /** A JSON object, or JSON that the schema accepts; null for any text. */
  readonly json: { readonly schema: Schema | null } | null
  readonly tools: readonly OfferedTool[]
  /** Whether a tool has to be called. */
  readonly must: boolean
  /** Whether one answer may hold more than one call. */
  readonly parallel: boolean
}

/**
 * The grammar that `request` asks for; null for any text. Throws the 400 that names the keyword of a schema that no
 * grammar can express. A schema of tools that is not `strict` is a hint: it constrains as far as a grammar can express it.
 */
export function grammarSpec(request: ChatCompletionRequest): GrammarSpec | null {
  const { offers, must } = offeredTools(request)
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
      begin(jsonGrammar(schema))
    })
  }
  for (const tool of offers) {
    checked(tool.param, () => {
      compileSchema(parametersOf(tool), { runs: false })
      begin(argumentsGrammar(tool))
    })
  }
  return { json, tools: offers, must, parallel: request.parallel_tool_calls ?? true }
}

/** Builds what `grammarSpec` has checked. */
export function buildGrammar({ json, tools, must, parallel }: GrammarSpec): Grammar {
  const text =
    json === null ? plainTextGrammar() : json.schema === null ? anyObject : jsonGrammar(json.schema)
  if (tools.length === 0) return text
  const calls = callsGrammar(
    tools.map((tool) => ({ name: tool.name, argumentsGrammar: argumentsGrammar(tool) })),
    parallel,
  )
  return must ? calls : one(text, calls)
}

/** What the system message before the conversation says of the grammar. */
export function grammarPrompt({ json, tools }: GrammarSpec): string {
  const parts = [
    ...(tools.length === 0 ? [] : [toolsPrompt(tools.map(described))]),
    ...(json?.schema == null
      ? []
      : [`Answer with JSON that this JSON Schema accepts: ${JSON.stringify(json.schema)}`]),
  ]
  return parts.join('\n\n')
}

function described(tool: OfferedTool) {
  return { name: tool.name, description: tool.description, parameters: parametersOf(tool) }
}

function parametersOf({ parameters }: OfferedTool): Schema {
  return parameters ?? { type: 'object', additionalProperties: false }
}

function argumentsGrammar(tool: OfferedTool): Grammar {
  const { strict } = tool
  const grammar = jsonGrammar(parametersOf(tool), { hint: !strict, objects: true })
  return strict || leastBytes(grammar) < Infinity ? grammar : anyObject
}

function checked(param: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof SchemaProblem) throw invalidSchema(param, error)
    if (error instanceof RangeError) throw invalidSchema(param, { keyword: '$ref', message: error.message })
    throw error
  }
}
