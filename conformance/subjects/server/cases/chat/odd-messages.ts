// Messages with odd members, and odd paths: each gets an answer, of any status (CHAT-9).

/** Values that are wrong for every member of a message. */
const ODD_VALUES: readonly unknown[] = [null, 0, '', [], {}, [null], [[]], [{}]]

/** The members of a message, each of which code may reach into. */
const MEMBERS = 'content name tool_calls tool_call_id function_call refusal audio'.split(' ')

/** Parts and calls that are not what their type says. */
const ODD_PARTS: readonly unknown[] = [
  { type: 'text' },
  { type: 'text', text: null },
  { type: 'text', text: {} },
  { type: 'image_url' },
  { type: 'image_url', image_url: null },
  { type: 'image_url', image_url: 'x' },
  { type: 'input_audio', input_audio: {} },
  { type: 'file', file: [] },
  { type: null },
  { type: 'constructor' },
]

const ODD_CALLS: readonly unknown[] = [
  null,
  {},
  { id: null, type: 'function', function: null },
  { id: 'a', type: 'function', function: {} },
  { id: 'a', type: 'function', function: { name: null, arguments: null } },
  { id: 'a', type: 'function', function: { name: 'f', arguments: '{' } },
  { id: 'a', type: 'toString', toString: {} },
]

/** Lists of messages, each with one odd thing in it. */
export const oddMessages: readonly (readonly unknown[])[] = [
  ...ODD_VALUES.map((value) => [value]),
  ...['system', 'user', 'assistant', 'tool', 'constructor', null, 1].map((role) => [{ role }]),
  ...(['user', 'assistant', 'tool'] as const).flatMap((role) =>
    MEMBERS.flatMap((member) =>
      ODD_VALUES.slice(0, 5).map((value) => [{ role, content: 'a', [member]: value }]),
    ),
  ),
  ...ODD_PARTS.map((part) => [{ role: 'user', content: [part] }]),
  ...ODD_CALLS.map((call) => [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'b' },
  ]),
  [{ role: 'user', content: 'a', __proto__: null, constructor: { prototype: null } }],
]

/** Paths that trip up what decodes, joins or looks them up, each with its method. */
export const oddPaths: readonly (readonly [method: string, path: string])[] = [
  ...[
    '/v1/models/%',
    '/v1/models/%zz',
    '/v1/models/%ff',
    '/v1/models/%E0%A4%A',
    '/v1/models/%00',
    '/v1/models/%0d%0ax:y',
    '/v1/models/..%2f..%2f',
    '/v1/models/__proto__',
    '/v1/models/constructor',
    '/v1/models/toString',
    '/v1/models//',
    '/v1//models',
    '/v1/models?%',
    '/v1/models?limit=x&limit[]=1&__proto__[x]=1',
    `/v1/models/${'x'.repeat(4000)}`,
    '/v1/%',
    '/v1',
    '/v1/',
  ].map((path) => ['GET', path] as const),
  ...['/v1/chat/completions/', '/v1/chat/completions?%', '/v1/chat/completions/%', '/v1/chat'].map(
    (path) => ['POST', path] as const,
  ),
  ...['HEAD', 'OPTIONS', 'PUT', 'PATCH'].map((method) => [method, '/v1/chat/completions'] as const),
]
