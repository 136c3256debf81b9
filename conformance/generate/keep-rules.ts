// Keeping the rules between the fields of a request (WIRE-11), which generators of values do not follow.
import type { Json, JsonObject } from './schema-node.ts'
import type { Path } from './schema-values.ts'

/** Fields that are allowed only beside another: the other one cannot be broken alone where they are. */
export const companions: Readonly<Record<string, string>> = {
  stream_options: 'stream',
  top_logprobs: 'logprobs',
  tool_choice: 'tools',
  parallel_tool_calls: 'tools',
  function_call: 'functions',
  modalities: 'audio',
}

/** The tool that is called and chosen where one is needed. */
export const TOOL_NAME = 'look_up'

export interface LocatedRequest {
  readonly body: JsonObject
  /** A place in `body`. */
  readonly path: Path
}

/**
 * The request, changed so that it keeps the rules between fields, and where the place is now. What stands at `path`,
 * and around it, stays valid for its schema.
 */
export function keepRules({ body, path }: LocatedRequest): LocatedRequest {
  const { messages, ...others } = body
  const fields = keepFieldRules(others, path)
  if (!Array.isArray(messages)) return { body: fields, path }
  const conversation = keepMessageRules(messages, path)
  return { body: { ...fields, messages: conversation.messages }, path: conversation.path }
}

function keepFieldRules(body: JsonObject, path: Path): JsonObject {
  const kept: Record<string, Json> = { ...body }
  if (isThere(kept['stream_options'])) kept['stream'] = true
  if (isThere(kept['top_logprobs'])) kept['logprobs'] = true
  if (Array.isArray(kept['modalities']) && kept['modalities'].includes('audio') && !isThere(kept['audio']))
    kept['audio'] = { voice: 'alloy', format: 'wav' }
  if (isThere(kept['tool_choice'])) Object.assign(kept, keepToolChoice(kept['tool_choice'], kept['tools']))
  if (isThere(kept['parallel_tool_calls']) && !isThere(kept['tools']))
    kept['tools'] = [{ type: 'function', function: { name: TOOL_NAME } }]
  // Deployments refuse it where there is nothing to call.
  if (!isThere(kept['functions']) && path[0] !== 'function_call') delete kept['function_call']
  return kept
}

/** Tools that have what `choice` names; the choice names a tool that was there, or one that is added. */
function keepToolChoice(choice: Json, tools: Json | undefined): JsonObject {
  const offered = Array.isArray(tools) ? tools : []
  const type = isObject(choice) && choice['type'] === 'custom' ? 'custom' : 'function'
  const named = offered.filter(isObject).find((tool) => tool['type'] === type)?.[type]
  const reference = { type, [type]: { name: (isObject(named) && named['name']) || TOOL_NAME } }
  const withNamed = named === undefined ? [...offered, reference] : offered

  if (!isObject(choice)) return { tool_choice: choice, tools: offered.length > 0 ? offered : withNamed }
  if (!isObject(choice['allowed_tools'])) return { tool_choice: reference, tools: withNamed }
  const { tools: allowed } = choice['allowed_tools']
  const references = Array.isArray(allowed) ? allowed.map(() => reference) : []
  return {
    tool_choice: { ...choice, allowed_tools: { ...choice['allowed_tools'], tools: references } },
    tools: withNamed,
  }
}

/** A conversation in which every call is answered at once, and nothing else is. */
function keepMessageRules(
  messages: readonly Json[],
  path: Path,
): { readonly messages: readonly Json[]; readonly path: Path } {
  const kept: Json[] = []
  let moved = path
  let calls = 0
  for (const [index, message] of messages.entries()) {
    const isHere = path[0] === 'messages' && path[1] === index
    if (!isObject(message)) continue
    const isAnswer = message['role'] === 'tool'
    const id = `call_${calls}`
    if (isAnswer) {
      calls++
      kept.push({ role: 'assistant', content: null, tool_calls: [callOf(id)] })
    }
    if (isHere) moved = ['messages', kept.length, ...path.slice(2)]
    if (isAnswer) kept.push({ ...message, tool_call_id: id })
    else if (message['role'] !== 'assistant') kept.push(message)
    else {
      const callsAreBroken = isHere && path[2] === 'tool_calls'
      const said = keepAssistantRules(message, calls, callsAreBroken)
      calls += said.ids.length
      kept.push(said.message)
      // A call that is about to be broken has no id that an answer could name.
      if (!callsAreBroken)
        kept.push(...said.ids.map((id) => ({ role: 'tool', content: 'done', tool_call_id: id })))
    }
  }
  return { messages: kept, path: moved }
}

/** The message with something in it, its calls with ids of their own, and without an empty list of them. */
function keepAssistantRules(message: JsonObject, firstCall: number, keepEmpty: boolean) {
  const { tool_calls: given, ...rest } = message
  const calls = Array.isArray(given) ? given.filter(isObject) : []
  const ids = calls.map((_, index) => `call_${firstCall + index}`)
  const tool_calls = calls.map((call, index) => Object.assign({ ...call }, { id: ids[index] }))
  const carries = ['content', 'refusal', 'audio', 'function_call'].some((name) => isThere(rest[name]))
  return {
    ids,
    message: {
      ...rest,
      ...(calls.length > 0 || keepEmpty ? { tool_calls } : {}),
      ...(calls.length > 0 || carries ? {} : { content: 'done' }),
    },
  }
}

function callOf(id: string): JsonObject {
  return { id, type: 'function', function: { name: TOOL_NAME, arguments: '{}' } }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isThere(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null
}
