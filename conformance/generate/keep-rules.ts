// Changes a generated request so that it keeps the rules between fields (WIRE-11).
import type { Json, JsonObject } from '../../spec/openapi/schema-walk.ts'
import type { Located } from '../../spec/openapi/schema-values.ts'
import type { Path } from '../../spec/schemas/request-issue.ts'
import { isObject } from './mutations.ts'

/** Fields that are valid only beside another field; they are left out when that other field is mutated. */
export const companions: Readonly<Record<string, string>> = {
  stream_options: 'stream',
  top_logprobs: 'logprobs',
  tool_choice: 'tools',
  parallel_tool_calls: 'tools',
  function_call: 'functions',
  modalities: 'audio',
}

/** The name of a tool that is added if a call or a choice needs one. */
export const TOOL_NAME = 'look_up'

/** Returns the request and the new path of its place. The value at `path`, and all around it, stays valid. */
export function keepRules({ value, path }: Located<JsonObject>): Located<JsonObject> {
  const { messages, ...others } = value
  const fields = keepFieldRules(others, path)
  if (!Array.isArray(messages)) return { value: fields, path }
  const conversation = keepMessageRules(messages, path)
  return { value: { ...fields, messages: conversation.messages }, path: conversation.path }
}

function keepFieldRules(body: JsonObject, path: Path): JsonObject {
  const kept: Record<string, Json> = { ...body }
  if (isPresent(kept['stream_options'])) kept['stream'] = true
  if (isPresent(kept['top_logprobs'])) kept['logprobs'] = true
  if (Array.isArray(kept['modalities']) && kept['modalities'].includes('audio') && !isPresent(kept['audio']))
    kept['audio'] = { voice: 'alloy', format: 'wav' }
  if (isPresent(kept['tool_choice'])) Object.assign(kept, keepToolChoice(kept['tool_choice'], kept['tools']))
  if (isPresent(kept['parallel_tool_calls']) && !isPresent(kept['tools']))
    kept['tools'] = [{ type: 'function', function: { name: TOOL_NAME } }]
  // Deployments refuse `function_call` without functions.
  if (!isPresent(kept['functions']) && path[0] !== 'function_call') delete kept['function_call']
  return kept
}

/** Makes the choice name an offered tool, and adds one if none fits. */
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

/** Returns a conversation in which each call is followed by its result and each result has its call. */
function keepMessageRules(messages: readonly Json[], path: Path) {
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
      // Of a message without content, a service that takes broken calls for absent ones would still refuse the rest.
      const asked = callsAreBroken && path.length === 3 ? { content: 'done', ...message } : message
      const said = keepAssistantRules(asked, calls, callsAreBroken)
      calls += said.ids.length
      kept.push(said.message)
      // A call that is mutated later may have no id, so it gets no result.
      if (!callsAreBroken)
        kept.push(...said.ids.map((id) => ({ role: 'tool', content: 'done', tool_call_id: id })))
    }
  }
  return { messages: kept, path: moved }
}

/** The message with content or calls; its calls have ids of their own. */
function keepAssistantRules(message: JsonObject, firstCall: number, keepEmpty: boolean) {
  const { tool_calls: given, ...rest } = message
  const calls = Array.isArray(given) ? given.filter(isObject) : []
  const ids = calls.map((_, index) => `call_${firstCall + index}`)
  const tool_calls = calls.map((call, index) => Object.assign({ ...call }, { id: ids[index] }))
  const carries = ['content', 'refusal', 'audio', 'function_call'].some((name) => isPresent(rest[name]))
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

function isPresent(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null
}
