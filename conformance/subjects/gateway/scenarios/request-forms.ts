// The other forms of fields that have several (GATE-1): a text for a list, a word for an object, an old name for a new one.
import { type GatewayScenario, type RequestBody } from '../crossing.ts'
import { TOOLS, crossing } from './unchanged-requests.ts'

const form = (name: string, title: string, request: RequestBody): GatewayScenario =>
  crossing(`form-${name}`, title, request, 2)

const tool = (choice: unknown): RequestBody => ({ tools: TOOLS, tool_choice: choice })
const functions = [{ name: 'f', parameters: { type: 'object', properties: {} } }]

export const scenarios: readonly GatewayScenario[] = [
  form('stop-text', '`stop` as one text', { stop: 'never said' }),
  form('stop-list-of-one', '`stop` as a list of one text', { stop: ['never said'] }),
  ...['none', 'auto', 'required'].map((word) =>
    form(`tool-choice-${word}`, `\`tool_choice\` as the word \`${word}\``, tool(word)),
  ),
  form(
    'tool-choice-allowed',
    '`tool_choice` as a list of allowed tools',
    tool({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
    }),
  ),
  form('function-call-word', '`function_call` as a word', { functions, function_call: 'none' }),
  form('prediction-parts', '`prediction` in parts', {
    prediction: { type: 'content', content: [{ type: 'text', text: 'predicted' }] },
  }),
  form('response-text', '`response_format` of type `text`', { response_format: { type: 'text' } }),
  form('system-parts', 'the content of every role in parts', {
    tools: TOOLS,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Call it.' }] },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'I call it.' }],
        tool_calls: [{ id: 'call_3', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_3', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'It is' }] },
    ],
  }),
  form('calls-without-content', 'a message with calls and without `content`', {
    tools: TOOLS,
    messages: [
      { role: 'user', content: 'Call it.' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_3', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_3', content: 'Done.' },
    ],
  }),
]
