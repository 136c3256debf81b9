// The other forms of fields that have several (GATE-1): a text for a list, a word for an object, an old name for a new one;
// objects without their optional members; and the HTTP framings of client libraries.
import { NotApplicable } from '../../../../contract/outcome.ts'
import { type GatewayScenario, type RequestBody, scenario } from '../../crossing.ts'
import { TOOLS, arrivesUnchanged, crossing } from './unchanged-requests.ts'

const form = (name: string, title: string, request: RequestBody): GatewayScenario =>
  crossing(`form-${name}`, title, request)

const tool = (choice: unknown): RequestBody => ({ tools: TOOLS, tool_choice: choice })
const functions = [{ name: 'f', parameters: { type: 'object', properties: {} } }]

/** Objects with the members that they must have: a gateway adds no default of its own (`detail: "auto"`, `strict: false`). */
const bare = (name: string, title: string, request: RequestBody): GatewayScenario =>
  crossing(`bare-${name}`, `${title} without optional members`, request)

/** A request in another framing, which the gateway has to read as well. */
function framed(
  name: string,
  title: string,
  headers: GatewayScenario['headers'] & {},
  body: RequestBody = {},
) {
  return scenario(`gate.request-framing-${name}`, 'GATE-1', `a request with ${title} reaches the upstream`)
    .with({ phase: 'answers', request: { seed: 7, ...body }, headers })
    .verify((seen) => {
      // A client that offers HTTP/2 reads the answer in it.
      if (seen.answer?.response.status === 101)
        throw new NotApplicable('the gateway switches to the offered protocol')
      arrivesUnchanged(seen)
    })
}

const CHUNKED = { 'content-length': '', 'transfer-encoding': 'chunked' } as const

export const scenarios: readonly GatewayScenario[] = [
  framed('charset', 'a content type with `charset=utf-8`', {
    'content-type': 'application/json; charset=utf-8',
  }),
  framed('upper-case-charset', 'a content type with `charset=UTF-8`', {
    'content-type': 'application/json;charset=UTF-8',
  }),
  framed('chunked', 'a body of chunks', CHUNKED),
  framed('chunked-streamed', 'a body of chunks for a stream', CHUNKED, { stream: true }),
  framed('expect', '`Expect: 100-continue`', { expect: '100-continue' }),
  framed('upgrade', '`Upgrade: h2c` with its settings', {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  }),
  framed('no-accept', 'no `Accept` header', { accept: '' }),
  framed('accept-stream', '`Accept: text/event-stream`', { accept: 'text/event-stream' }, { stream: true }),
  bare('image', 'images, audio and files', {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==' } },
          { type: 'text', text: 'Look.' },
        ],
      },
    ],
  }),
  bare('image-address', 'the address of an image', {
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a%20b.png?x=1&y=%C3%A9' } }],
      },
    ],
  }),
  bare('tool', 'a tool', { tools: [{ type: 'function', function: { name: 'f' } }] }),
  bare('parameters', 'parameters of a tool', {
    tools: [
      { type: 'function', function: { name: 'f', parameters: {} } },
      { type: 'function', function: { name: 'g', parameters: { type: 'object' } } },
    ],
  }),
  bare('schema', 'a schema for the answer', {
    response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } },
  }),
  bare('web-search', 'options of a search', { web_search_options: {} }),
  bare('messages', 'messages of each role', {
    tools: TOOLS,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be polite.' },
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Call it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_3', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'call_3', content: 'Done.' },
    ],
  }),
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
