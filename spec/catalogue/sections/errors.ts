// Errors (ERR): the envelope, the types and the statuses of a refusal.
import type { Section } from '../section.ts'

export const errors = {
  source: 'Errors',
  subject: 'server',
  rows: {
    'ERR-1': {
      requires: 'error',
      rule: 'MUST: Every failed request (HEAD has no body) has an HTTP error status and a JSON body `{"error":{"message","type","code"}}`, all three strings.',
    },
    'ERR-2':
      'MUST strict: One type per status: 400 `invalid_request_error`, 401 `authentication_error`, 404 `model_not_found`, 429 `rate_limit_error`, 500 `api_error`, 503 `service_unavailable`. A status outside the table may carry any type, but always the same one.',
    'ERR-3': 'MUST: `message` is text for a person, not empty.',
    'ERR-4':
      'MUST: No error carries a secret key, whole or in a part that identifies it (more than the prefix and the last four characters).',
    'ERR-5':
      'MUST strict: An unknown path or a wrong method under `/v1` fails with the same envelope; where the status is in the table, with its type.',
    'ERR-6': {
      source: 'wire',
      rule: 'MUST: On any stream that carries an error after it has begun, the error is one `data:` record holding the envelope, and the stream then ends (a `[DONE]` after it only warns: some deployments send it always). (wire. If the target takes fault requests, as the reference server does with `FAULTS=on`, the judge requests such a stream, and a 500 and a 503; otherwise it judges those that occur.)',
    },
    'ERR-7': 'SHOULD strict: Only the statuses of the table are used.',
    'ERR-8':
      "SHOULD strict: A 400 says which field is at fault (`param`, or the field's name in the message).",
    'ERR-9': 'SHOULD strict: No error carries a stack trace or a file path of the machine.',
    'ERR-10': {
      source: 'wire',
      rule: 'SHOULD: An overflow of the context can be recognised: the 400 of WIRE-28 has the `code` `context_length_exceeded`, and its message names the length of the context. Streamed too, before the first byte of a stream.',
    },
  },
} as const satisfies Section
