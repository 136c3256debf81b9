// `tool_choice` requires a call, a call of one function, or no call (TOOL-3); `parallel_tool_calls: false` allows at
// most one (TOOL-7).
import type { Case } from '../../case.ts'
import { namesField } from '../../../../contract/capabilities.ts'
import { PROMPT, messagesOf, succeeded } from '../requests/chat-calls.ts'
import {
  CONVERT,
  answerWithTools,
  askWithTools,
  forcedCalls,
  named,
  requireFinished,
} from './tool-requests.ts'
import { eitherWay } from '../streaming/streamed-answers.ts'
import { atLeastOne, atMostOne, callNames, noCall } from './verifiers.ts'

/** Names by which a target may refuse `allowed_tools`. */
const ALLOWED_NAMES = ['allowed_tools', 'tool_choice'] as const

/** Requires a call of this function alone. */
function allowed(name: string) {
  return { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named(name)] } } as const
}

const { name } = CONVERT.function

export const toolChoiceCases: readonly Case[] = [
  eitherWay('tools.required', 'TOOL-3', '`tool_choice`: required').run(async (t, { members }) => {
    const request = { messages: messagesOf(PROMPT), ...members, tool_choice: 'required' }
    t.expect(await answerWithTools(t, request), atLeastOne)
  }),
  eitherWay('tools.named', 'TOOL-3', '`tool_choice`: a named function').run(async (t, { members }) => {
    const request = { messages: messagesOf(PROMPT), ...members, tool_choice: named(name) }
    t.expect(await answerWithTools(t, request), atLeastOne, callNames([name]))
  }),
  eitherWay('tools.allowed', 'TOOL-3', '`tool_choice`: required, of the tools that are allowed').run(
    async (t, { members }) => {
      const request = { messages: messagesOf(PROMPT), ...members, tool_choice: allowed(name) }
      const exchange = await askWithTools(t, request)
      if (exchange.response.status === 400 && ALLOWED_NAMES.some((field) => namesField(exchange, field)))
        t.notApplicable('the target refuses allowed_tools by name')
      t.expect(exchange, succeeded)
      requireFinished(t, exchange)
      t.expect(exchange, atLeastOne, callNames([name]))
    },
  ),
  eitherWay('tools.none', 'TOOL-3', '`tool_choice`: none').run(async (t, { members }) =>
    t.expect(await answerWithTools(t, { ...members, tool_choice: 'none' }), noCall),
  ),
  eitherWay('tools.one-call', 'TOOL-7', '`parallel_tool_calls`: false').run(async (t, { members }) =>
    t.expect(await forcedCalls(t, { ...members, parallel_tool_calls: false }), atMostOne),
  ),
].flat()
