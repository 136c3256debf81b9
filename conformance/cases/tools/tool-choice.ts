// `tool_choice` requires a call, a call of one function, or no call (TOOL-3); `parallel_tool_calls: false` allows at
// most one (TOOL-7).
import { type Case, defineCase } from '../../runner/case.ts'
import { namesField } from '../../target/capabilities.ts'
import { PROMPT, messagesOf, succeeded } from '../requests/chat.ts'
import { CONVERT, answerWithTools, askWithTools, forcedCalls, named, requireFinished } from './requests.ts'
import { bothWays } from '../streaming/answers.ts'
import { atLeastOne, callCount, callNames } from './verifiers.ts'

/** Names by which a target may refuse `allowed_tools`. */
const ALLOWED_NAMES = ['allowed_tools', 'tool_choice'] as const

/** Requires a call of this function alone. */
function allowed(name: string) {
  return { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named(name)] } } as const
}

export const toolChoiceCases: readonly Case[] = bothWays.flatMap(({ slug, title, members: form }) => [
  defineCase(`tools.required${slug}`, 'TOOL-3', `\`tool_choice\`: required${title}`, async (t) =>
    t.expect(
      await answerWithTools(t, { messages: messagesOf(PROMPT), ...form, tool_choice: 'required' }),
      atLeastOne,
    ),
  ),
  defineCase(`tools.named${slug}`, 'TOOL-3', `\`tool_choice\`: a named function${title}`, async (t) => {
    const { name } = CONVERT.function
    const exchange = await answerWithTools(t, {
      messages: messagesOf(PROMPT),
      ...form,
      tool_choice: named(name),
    })
    t.expect(exchange, atLeastOne, callNames([name]))
  }),
  defineCase(
    `tools.allowed${slug}`,
    'TOOL-3',
    `\`tool_choice\`: required, of the tools that are allowed${title}`,
    async (t) => {
      const { name } = CONVERT.function
      const exchange = await askWithTools(t, {
        messages: messagesOf(PROMPT),
        ...form,
        tool_choice: allowed(name),
      })
      if (exchange.response.status === 400 && ALLOWED_NAMES.some((field) => namesField(exchange, field)))
        t.notApplicable('the target refuses allowed_tools by name')
      t.expect(exchange, succeeded)
      requireFinished(t, exchange)
      t.expect(exchange, atLeastOne, callNames([name]))
    },
  ),
  defineCase(`tools.none${slug}`, 'TOOL-3', `\`tool_choice\`: none${title}`, async (t) => {
    const exchange = await answerWithTools(t, { ...form, tool_choice: 'none' })
    t.expect(
      exchange,
      callCount('no call', (count) => count === 0),
    )
  }),
  defineCase(`tools.one-call${slug}`, 'TOOL-7', `\`parallel_tool_calls\`: false${title}`, async (t) => {
    const exchange = await forcedCalls(t, { ...form, parallel_tool_calls: false })
    t.expect(
      exchange,
      callCount('at most one call', (count) => count <= 1),
    )
  }),
])
