// The answer of the echo model before it is cut into tokens: the last user message, JSON of a schema, or tool calls.
//
// - A line `#call NAME` or `#call NAME ARGUMENTS` (a JSON object) in the last user message requests a call; each such
//   line that names an offered tool is one call. If a call is required and none is requested, the first offered tool
//   is called. Missing arguments, and arguments that `strict` parameters do not accept, are replaced by a value that
//   is generated from the parameters' schema.
// - After tool messages the answer is their text, unless a call must be made.
// - With a JSON `response_format` the text is the answer if the schema accepts it; otherwise an object with the text as
//   its `content`, or a value that is generated from the schema.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import type { JobResult } from '../constrained/sandbox/sandbox-jobs.ts'
import { isRecord } from '../../../spec/schemas/collections.ts'
import type { Schema } from '../schema-problem.ts'
import { compactJson } from '../../../spec/protocol/exact-json.ts'
import { parseJson } from '../text/parse-json.ts'
import { invalidRequest } from '../../http/api-error.ts'
import { invalidSchema, type OfferedTool, offeredTools } from '../request-options.ts'

export interface EchoCall {
  readonly name: string
  /** JSON. */
  readonly arguments: string
}

export type EchoAnswer = { readonly text: string } | { readonly calls: readonly EchoCall[] }

type Message = ChatCompletionRequest['messages'][number]

/** Returns which of `texts`, all JSON, a schema accepts, and a value that it accepts; see `FitJob`. `param` names the schema. */
export type FitTexts = (asked: {
  readonly param: string
  readonly schema: Schema
  readonly texts: readonly string[]
  readonly value: boolean
}) => Promise<JobResult>

/** Maximum number of lines that request calls: as many as a request may have tools. */
const MAX_ORDERS = 128

/**
 * The answer of every choice, or a function that finds it with `fit` if a schema must be evaluated. Throws the 400 that
 * names the keyword that the server cannot support.
 */
export function echoAnswer(
  request: ChatCompletionRequest,
  fit: FitTexts,
): EchoAnswer | (() => Promise<EchoAnswer>) {
  const { offers, must } = offeredTools(request)
  const last = request.messages.findLastIndex(({ role }) => role === 'user')
  const prompt = textOf(request.messages[last])
  const results = trailingResults(request.messages)
  const orders =
    results === undefined || must ? ordersIn(prompt, offers, must, `messages[${last}].content`) : []
  if (orders.length > 0) {
    const wanted = request.parallel_tool_calls === false ? orders.slice(0, 1) : orders
    return async () => ({ calls: await callsOf(wanted, fit) })
  }
  return formatted(results ?? prompt, request.response_format, fit)
}

/** The text of a message: its content, or its text parts joined. */
export function textOf(message: Message | undefined): string {
  const content = message?.content ?? ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The texts of the tool messages at the end of the conversation, one per line; undefined if there are none. */
function trailingResults(messages: readonly Message[]): string | undefined {
  const isResult = ({ role }: Message): boolean => role === 'tool' || role === 'function'
  const start = messages.findLastIndex((message) => !isResult(message)) + 1
  return start === messages.length ? undefined : messages.slice(start).map(textOf).join('\n')
}

const ORDER = /^#call ([A-Za-z0-9_-]+)(?: (.*))?$/gm

/** A requested call, with its arguments if any are given. */
interface Order {
  readonly tool: OfferedTool
  readonly given: string | undefined
}

function ordersIn(prompt: string, offers: readonly OfferedTool[], must: boolean, param: string): Order[] {
  const [first] = offers
  if (first === undefined) return []
  const byName = new Map(offers.toReversed().map((tool) => [tool.name, tool]))
  const orders: Order[] = []
  for (const [, name = '', given] of prompt.matchAll(ORDER)) {
    const tool = byName.get(name)
    if (tool !== undefined) orders.push({ tool, given })
    if (orders.length > MAX_ORDERS)
      throw invalidRequest(
        `Invalid value: '${param}' has too many lines that begin with '#call'. Expected at most ${MAX_ORDERS}.`,
        param,
        'invalid_value',
      )
  }
  return orders.length === 0 && must ? [{ tool: first, given: undefined }] : orders
}

/** Evaluates the schema of each tool once, for all calls of it. */
async function callsOf(orders: readonly Order[], fit: FitTexts): Promise<EchoCall[]> {
  const made = new Map<Order, string>()
  for (const [tool, own] of Map.groupBy(orders, ({ tool }) => tool)) {
    const jsons = await argumentsOf(
      tool,
      own.map(({ given }) => objectText(given)),
      fit,
    )
    own.forEach((order, place) => made.set(order, jsons[place] ?? '{}'))
  }
  return orders.map((order) => ({ name: order.tool.name, arguments: made.get(order) ?? '{}' }))
}

/** The arguments of calls of one tool: the given ones if the schema accepts them, otherwise a generated value. */
async function argumentsOf(
  { parameters: schema, strict, param }: OfferedTool,
  given: readonly (string | undefined)[],
  fit: FitTexts,
): Promise<string[]> {
  const texts = strict && schema !== undefined ? given.filter((text) => text !== undefined) : []
  const value = given.includes(undefined)
  if (schema === undefined || (texts.length === 0 && !value)) return given.map((text) => text ?? '{}')
  const result = await fit({ param, schema, texts, value })
  if ('problem' in result) {
    // A schema that is not `strict` is a hint, and any object is an answer.
    if (strict) throw invalidSchema(param, result.problem)
    return given.map((text) => text ?? '{}')
  }
  const refused = new Set(texts.filter((_, place) => result.accepted[place] !== true))
  return given.map((text) => (text === undefined || refused.has(text) ? (result.value ?? '{}') : text))
}

/** The JSON of an object, without white space and with its numbers as they are; undefined if `text` is not an object, or is too deep to serialise. */
function objectText(text: string | undefined): string | undefined {
  if (text === undefined || !isRecord(parseJson(text))) return undefined
  try {
    return compactJson(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function formatted(
  text: string,
  format: ChatCompletionRequest['response_format'],
  fit: FitTexts,
): EchoAnswer | (() => Promise<EchoAnswer>) {
  if (format == null || format.type === 'text') return { text }
  const value = parseJson(text)
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined
  if (schema == null) return { text: isRecord(value) ? text : JSON.stringify({ content: text }) }
  const param = 'response_format.json_schema.schema'
  return async () => {
    const result = await fit({
      param,
      schema,
      texts: value === undefined ? [] : [text],
      value: value === undefined,
    })
    if ('problem' in result) throw invalidSchema(param, result.problem)
    return { text: result.accepted[0] === true ? text : (result.value ?? '') }
  }
}
