// What the echo model answers, before it is cut into tokens: the last user message, JSON of a schema, or tool calls.
//
// - A call is asked for by a line `#call NAME` or `#call NAME ARGUMENTS` (a JSON object) in the last user message;
//   each such line that names an offered tool is one call. Where a call must be made and none is asked for, the first
//   tool offered is called. Arguments that are not given, or that `strict` parameters do not accept, are a value made
//   from the parameters' schema.
// - After tool messages the answer is their text, unless a call must be made.
// - With a `response_format` of JSON the text itself is the answer where the schema accepts it; otherwise an object with
//   the text as its `content`, or a value made from the schema.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { compileSchema, SchemaProblem } from '../constrained/schema/compile-schema.ts'
import { instanceOf } from '../constrained/schema/instance.ts'
import { invalidSchema, type OfferedTool, offeredTools } from '../request-options.ts'

export interface EchoCall {
  readonly name: string
  /** JSON. */
  readonly arguments: string
}

export type EchoAnswer = { readonly text: string } | { readonly calls: readonly EchoCall[] }

type Message = ChatCompletionRequest['messages'][number]
/** The answer of every choice. Throws the 400 that names the schema's keyword where a schema cannot be honoured. */
export function echoAnswer(request: ChatCompletionRequest): EchoAnswer {
  const { offers, must } = offeredTools(request)
  const prompt = textOf(request.messages.findLast(({ role }) => role === 'user'))
  const results = trailingResults(request.messages)
  const calls = results === undefined || must ? callsIn(prompt, offers, must) : []
  if (calls.length > 0) return { calls: request.parallel_tool_calls === false ? calls.slice(0, 1) : calls }
  return { text: formatted(results ?? prompt, request.response_format) }
}

/** The text of a message: its content, or its text parts joined. */
export function textOf(message: Message | undefined): string {
  const content = message?.content ?? ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The texts of the tool messages that end the conversation, a line each; undefined where none do. */
function trailingResults(messages: readonly Message[]): string | undefined {
  const isResult = ({ role }: Message): boolean => role === 'tool' || role === 'function'
  const start = messages.findLastIndex((message) => !isResult(message)) + 1
  return start === messages.length ? undefined : messages.slice(start).map(textOf).join('\n')
}

const ORDER = /^#call ([A-Za-z0-9_-]+)(?: (.*))?$/gm

function callsIn(prompt: string, offers: readonly OfferedTool[], must: boolean): EchoCall[] {
  const calls = [...prompt.matchAll(ORDER)].flatMap(([, name, given]) => {
    const offer = offers.find((tool) => tool.name === name)
    return offer === undefined ? [] : [callOf(offer, given)]
  })
  const [first] = offers
  return calls.length === 0 && must && first !== undefined ? [callOf(first, undefined)] : calls
}

function callOf(tool: OfferedTool, given: string | undefined): EchoCall {
  const { parameters: schema = { type: 'object' }, strict } = tool
  try {
    const value = parsed(given)
    const usable = isObject(value) && (!strict || compileSchema(schema)(value))
    return { name: tool.name, arguments: JSON.stringify(usable ? value : instanceOf(schema)) }
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    // Without `strict` the schema is a hint, and any object is an answer.
    if (!strict) return { name: tool.name, arguments: '{}' }
    throw invalidSchema(tool.param, error)
  }
}

function formatted(text: string, format: ChatCompletionRequest['response_format']): string {
  if (format === undefined || format.type === 'text') return text
  const value = parsed(text)
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined
  if (schema === undefined) return isObject(value) ? text : JSON.stringify({ content: text })
  try {
    return value !== undefined && compileSchema(schema)(value) ? text : JSON.stringify(instanceOf(schema))
  } catch (error) {
    if (error instanceof SchemaProblem) throw invalidSchema('response_format.json_schema.schema', error)
    throw error
  }
}

/** The JSON value that a text is, or undefined. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
