// Requests of a client (CALL): how it addresses, signs and writes them.
import type { Section } from '../section.ts'

export const clientRequests = {
  source: 'What the service does; Authentication; Endpoints',
  subject: 'client',
  rows: {
    'CALL-1': {
      about: 'key',
      rule: 'MUST: Every request carries `Authorization: Bearer <key>`: that word, one space, the key as it was given, without quotes or white space; once.',
    },
    'CALL-2': {
      about: 'key',
      rule: 'MUST: The key goes nowhere else: not into an address, a body, another header, the output, or to another host that an answer redirects to.',
    },
    'CALL-3':
      'MUST: `POST {base}/v1/chat/completions` whatever the base address looks like (a path of its own, a slash at its end), `Content-Type: application/json`, a body that is one JSON object in UTF-8. (A request to the right host at another path is a failure of this row, not a missing request.)',
    'CALL-4': {
      notRecorded: 'a recording does not show what the program was asked to send',
      rule: 'MUST: The body has the requested `model` and `messages`, text unchanged (any Unicode, line ends, quotes).',
    },
    'CALL-5': {
      notRecorded: 'attempts of a recording are recognised by their equal bodies',
      rule: 'SHOULD: A retry sends the same body as the attempt before. (Not judged in recordings, which recognise attempts by their equal bodies.)',
    },
    'CALL-6': {
      isAdopted: true,
      rule: 'SHOULD: A conversation continues with what was received: the assistant message goes back with its calls, their ids and arguments unchanged, and with every further member of the message and of its calls (`reasoning_content`, `extra_content`), since some services refuse the next turn without them.',
    },
    'CALL-7': {
      isAdopted: true,
      rule: 'SHOULD: A request is one that the format allows: no empty `tools`, no `tool_choice` or `parallel_tool_calls` without `tools`, no `stream_options` without `stream`, not both token bounds, and every member of the type and range that the format gives. (A member that the scenario itself asks the program to send is not judged.)',
    },
  },
} as const satisfies Section
