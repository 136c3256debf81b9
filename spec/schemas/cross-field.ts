// The rules that hold between fields (WIRE-11). Each request that breaks one is well-formed field by field.
import { isRecord } from './collections.ts'
import type { Message } from './message.ts'
import type { Tool, ToolChoice } from './tool.ts'

/** The fields that have a rule with another. */
export interface RelatedFields {
  readonly messages: readonly Message[]
  readonly audio?: object | null | undefined
  readonly logprobs?: boolean | null | undefined
  readonly modalities?: readonly string[] | null | undefined
  readonly stream?: boolean | null | undefined
  readonly stream_options?: object | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly tool_choice?: ToolChoice | null | undefined
  readonly tools?: readonly Tool[] | null | undefined
  readonly top_logprobs?: number | null | undefined
}

/** One broken rule: the path, the code of the 400, and the rest of a sentence that starts with the field. */
export interface CrossFieldIssue {
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
}

const REQUIRED = 'invalid_request_error'
const INVALID = 'invalid_value'
const NEEDS_TOOLS = "it is allowed only if the request has 'tools'"

type Report = (path: CrossFieldIssue['path'], code: string, message: string) => void

/** All rules between fields that `request` breaks, in the order of the fields; empty for most. */
export function crossFieldIssues(request: RelatedFields): CrossFieldIssue[] {
  const issues: CrossFieldIssue[] = []
  const report: Report = (path, code, message) => issues.push({ path, code, message })
  reportMessages(request.messages, report)
  if (request.modalities?.includes('audio') && request.audio == null)
    report(['audio'], REQUIRED, "it is required if 'modalities' has 'audio'")
  if (request.stream_options != null && request.stream !== true)
    report(['stream_options'], INVALID, "it is allowed only if 'stream' is true")
  if (request.top_logprobs != null && request.logprobs !== true)
    report(['top_logprobs'], INVALID, "it is allowed only if 'logprobs' is true")
  if (request.parallel_tool_calls != null && request.tools == null)
    report(['parallel_tool_calls'], INVALID, NEEDS_TOOLS)
  reportToolChoice(request.tool_choice, request.tools ?? [], report)
  return issues
}

/** Empty assistant messages, and results of calls that no message made. A call may stay without a result. */
function reportMessages(messages: readonly Message[], report: Report): void {
  let calls: Set<string> | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) (calls ??= new Set()).add(call.id)
      const carried = message.content ?? message.refusal ?? message.audio ?? message.function_call
      if (carried == null && !message.tool_calls?.length)
        report(
          ['messages', index, 'content'],
          REQUIRED,
          'it is required in an assistant message without calls',
        )
    }
    if (message.role === 'tool' && calls?.has(message.tool_call_id) !== true) {
      const absent = "no earlier assistant message has this id among its 'tool_calls'"
      report(['messages', index, 'tool_call_id'], INVALID, absent)
    }
  }
}

function reportToolChoice(
  choice: RelatedFields['tool_choice'],
  tools: readonly Tool[],
  report: Report,
): void {
  if (choice == null || choice === 'none') return
  if (tools.length === 0) return report(['tool_choice'], INVALID, NEEDS_TOOLS)
  if (typeof choice === 'string') return

  const absent = 'it names a tool that is not among the tools of this request'
  if (choice.type !== 'allowed_tools') {
    if (!isOffered(choice, tools)) report(['tool_choice'], INVALID, absent)
    return
  }
  for (const [index, reference] of choice.allowed_tools.tools.entries())
    if (!isOffered(reference, tools))
      report(['tool_choice', 'allowed_tools', 'tools', index], INVALID, absent)
}

/** Whether `reference`, for example `{"type":"function","function":{"name":"get_time"}}`, is one of `tools`. */
function isOffered(reference: { readonly [member: string]: unknown }, tools: readonly Tool[]): boolean {
  return tools.some((tool) => {
    const { name } = tool.type === 'function' ? tool.function : tool.custom
    const named = reference[tool.type]
    return reference['type'] === tool.type && isRecord(named) && named['name'] === name
  })
}
