// Converts the messages of a request for the chat template: texts by role, and calls with their results.
import type { Message, ToolCall } from '../../../../spec/schemas/message.ts'
import { invalidRequest } from '../../../http/api-error.ts'
import { parseJson } from '../../text/parse-json.ts'

export type PromptMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PromptCall[] }

/** A call that the model made earlier. */
export interface PromptCall {
  readonly name: string
  /** Parsed JSON, or the text itself if it is not JSON. */
  readonly arguments: unknown
  /** The text of the tool message that answers it. */
  readonly result?: string
}

/**
 * Maps validated messages, which contain no media. `developer` is `system` under a newer name; a `tool` message becomes
 * the result of the call that it answers, as does a `function` message. Throws a 400 for a result without a call.
 */
export function toPrompt(messages: readonly Message[]): PromptMessage[] {
  const results = toolResults(messages)
  return messages.flatMap((message, index): PromptMessage[] => {
    const at = `messages[${index}]`
    switch (message.role) {
      case 'system':
      case 'developer':
        return [{ role: 'system', text: textOf(message.content) }]
      case 'user':
        return [{ role: 'user', text: textOf(message.content) }]
      case 'assistant': {
        if (message.audio) throw unsupported(`${at}.audio`)
        const older = message.function_call
        const calls = [
          ...(older ? [promptCall(older.name, older.arguments, results.get(older))] : []),
          ...(message.tool_calls ?? []).map((call) =>
            call.type === 'function'
              ? promptCall(call.function.name, call.function.arguments, results.get(call))
              : promptCall(call.custom.name, call.custom.input, results.get(call)),
          ),
        ]
        return [{ role: 'assistant', text: textOf(message.content ?? message.refusal), calls }]
      }
      case 'tool':
      case 'function':
        return []
    }
  })
}

/** The text of each answered call: a tool message answers the nearest earlier call with its id, a function message with its name. */
function toolResults(messages: readonly Message[]): ReadonlyMap<object, string> {
  const open = new Map<string, ToolCall>()
  const openFunctions = new Map<string, object>()
  const results = new Map<object, string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') for (const call of message.tool_calls ?? []) open.set(call.id, call)
    if (message.role === 'assistant' && message.function_call)
      openFunctions.set(message.function_call.name, message.function_call)
    if (message.role === 'function') {
      const called = openFunctions.get(message.name)
      const at = `messages[${index}].name`
      // A chat template has no place for a result without a call.
      if (called === undefined)
        throw invalidRequest(
          `Invalid value: '${at}' names a function that no earlier message called.`,
          at,
          'invalid_value',
        )
      results.set(called, textOf(message.content))
    }
    if (message.role !== 'tool') continue
    const call = open.get(message.tool_call_id)
    if (call !== undefined) results.set(call, textOf(message.content))
  }
  return results
}

function promptCall(name: string, input: string, result: string | undefined): PromptCall {
  const parsed = parseJson(input)
  return {
    name,
    arguments: parsed === undefined ? input : parsed,
    ...(result === undefined ? {} : { result }),
  }
}

/** A message's content as one text, its parts joined. */
function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return (content ?? [])
    .map((part) => (part.type === 'text' ? part.text : part.type === 'refusal' ? part.refusal : ''))
    .join('')
}

function unsupported(at: string) {
  return invalidRequest(
    `Unsupported value: '${at}' is not supported with this model.`,
    at,
    'unsupported_value',
  )
}

/** A lower bound of the tokens of a prompt, if no token has more than `longestTokenBytes`. */
export function leastTokens(messages: readonly PromptMessage[], longestTokenBytes: number): number {
  const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0)
  return Math.max(messages.length, Math.ceil(bytes / longestTokenBytes))
}

/** The bytes of a message in every prompt. */
function bytesOf(message: PromptMessage): number {
  const calls = message.role === 'assistant' ? message.calls : []
  return calls.reduce(
    (sum, call) =>
      sum + Buffer.byteLength(JSON.stringify(call.arguments)) + Buffer.byteLength(call.result ?? ''),
    Buffer.byteLength(message.text),
  )
}
