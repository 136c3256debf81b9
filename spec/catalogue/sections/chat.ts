// Chat (CHAT): which requests are answered and which are refused, whatever their optional members.
import type { Section } from '../section.ts'

export const chat = {
  source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
  subject: 'server',
  isOfFormat: true,
  rows: {
    'CHAT-1': {
      requires: 'completion',
      rule: 'MUST: A valid request: 200, JSON, `choices` with at least one entry, each with `message.content` a string or null. (Holds for every valid request of the run, whatever its fields: a 200 whose body is empty, HTML, cut or not JSON, for example with a bare `NaN` or `-Infinity`, fails this row, live and recorded. No other check passes on an answer that it could not read. A page that answers a streamed request fails STREAM-1 instead.)',
    },
    'CHAT-2': 'MUST: Roles `system` and `user` are accepted, `content` a string.',
    'CHAT-3': 'MUST strict: Malformed JSON (truncated, trailing comma, not an object, empty body): 400.',
    'CHAT-4':
      'MUST strict: A missing `model`, `messages`, `messages[].role` or `messages[].content` (for system and user): 400, type and code `invalid_request_error`.',
    'CHAT-5': {
      isAdopted: true,
      rule: "MUST strict: A value of the wrong type (a string for `messages`, a number for `model`, an object for `content`): 400. The code of a 400 other than CHAT-4's may be any string.",
    },
    'CHAT-6': 'MUST strict: A value out of its range: 400.',
    'CHAT-7': 'MUST: Success is 200 and no other 2xx.',
    'CHAT-8': {
      isAdopted: true,
      rule: 'MUST: Text survives unchanged in both directions: any well-formed Unicode, escapes, line ends, NUL, up to 64 KiB. (On a model that echoes. The specification names no size: a long text may be refused with a 400 or 413, and a shorter one is judged instead. A lone surrogate may be refused, replaced or echoed, but never causes a 5xx.)',
    },
    'CHAT-9': {
      brokenBy: ['connection', 'time'],
      rule: 'MUST: Every well-formed HTTP request is answered, whatever its body: no 5xx (503 for overload and 501 for a method aside), no hang, no connection broken before the answer. Closing it after the answer, as on a body over the size limit, is right. (A 5xx from a proxy in front of the service counts too, live and recorded, with or without an error object.)',
    },
    'CHAT-10': {
      brokenBy: ['answer'],
      rule: 'MUST: A valid request succeeds in every HTTP framing that existing client libraries use: `Content-Type: application/json; charset=utf-8`, a chunked body, `Expect: 100-continue`, `Upgrade: h2c` with its settings header, no `Accept` header, a connection reused after some idle seconds.',
    },
  },
} as const satisfies Section
