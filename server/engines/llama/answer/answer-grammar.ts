// The grammar that constrains the answer to a request: text, JSON, or tool calls. The sandbox tries to build it; the
// child process that uses it builds it again, within the same limit.
import type { ChatCompletionRequest } from '../../../../spec/schemas/request.ts'
import { begin, type GrammarState, one } from '../../constrained/grammar/byte-grammar.ts'
import { createEffort, MAX_BUILD_STEPS, within } from '../../constrained/grammar/effort.ts'
import { wantedGrammar, type WantedGrammar } from '../../constrained/json-grammar.ts'
import { anyObject } from '../../constrained/grammar/json-text-grammar.ts'
import type { Schema } from '../../schema-problem.ts'
import { type OfferedTool, offeredTools } from '../../request-options.ts'
import { callsGrammar, plainTextGrammar, toolsPrompt } from '../../constrained/tool-calls.ts'

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

/** Twice the limit of the sandbox, because joining the grammars takes steps too. */
const MAX_JOINED_STEPS = 2 * MAX_BUILD_STEPS

/** The grammar that `request` asks for; null for any text. Schemas are copied without reading them. */
export function grammarSpec(request: ChatCompletionRequest): GrammarSpec | null {
  const { offers, must } = offeredTools(request)
  const format = request.response_format
  const json =
    format == null || format.type === 'text'
      ? null
      : { schema: format.type === 'json_schema' ? (format.json_schema.schema ?? null) : null }
  if (json === null && offers.length === 0) return null
  return { json, tools: offers, must, parallel: request.parallel_tool_calls ?? true }
}

/** The schemas that have to become grammars, each with its name in the request; that of the answer comes first. */
export function wantedGrammars({ json, tools }: GrammarSpec): { param: string; wanted: WantedGrammar }[] {
  const schema = json?.schema ?? null
  return [
    ...(schema === null
      ? []
      : [{ param: 'response_format.json_schema.schema', wanted: { schema, hint: false, objects: false } }]),
    ...tools.map((tool) => ({ param: tool.param, wanted: argumentsOf(tool) })),
  ]
}

/** The beginning of an answer. Throws if the sandbox would have refused a schema. */
export function beginAnswer({ json, tools, must, parallel }: GrammarSpec): GrammarState {
  return within(createEffort(MAX_JOINED_STEPS), () => {
    const text =
      json === null
        ? plainTextGrammar()
        : json.schema === null
          ? anyObject
          : wantedGrammar({ schema: json.schema, hint: false, objects: false })
    if (tools.length === 0) return begin(text)
    const calls = callsGrammar(
      tools.map((tool) => ({ name: tool.name, argumentsGrammar: wantedGrammar(argumentsOf(tool)) })),
      parallel,
    )
    return begin(must ? calls : one(text, calls))
  })
}

/** The description of the grammar in the system message before the conversation. */
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

/** A schema of tools that is not `strict` is a hint: it constrains as far as a grammar can express it. */
function argumentsOf(tool: OfferedTool): WantedGrammar {
  return { schema: parametersOf(tool), hint: !tool.strict, objects: true }
}
