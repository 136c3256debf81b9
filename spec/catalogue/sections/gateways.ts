// Gateways (GATE): what a gateway may change. Each row compares the two hops of an exchange.
import type { Section } from '../section.ts'

export const gateways = {
  source: 'gateways',
  subject: 'gateway',
  rows: {
    'GATE-1':
      'MUST: Every member of a valid request reaches the upstream with the same value: messages, parts, tools, schemas, exact numbers, any Unicode, `null`. Nothing is dropped, reordered in a list, or replaced by a default that the client did not send. Each request reaches the upstream: none is answered from the answer to another one. (A gateway may answer an equal request from a cache if a header of the answer says so. The gateway may refuse the request with a 400 that names the member, map the name of the model, add members that the format does not know, and add what says the same as its absence: `null`, `false` for `stream`, `logprobs` and `store`, and `stream_options.include_usage`, which GATE-7 bounds.)',
    'GATE-2':
      'MUST: Every documented member of an answer reaches the client unchanged: choices, text, refusal, tool calls with their ids, finish reason, logprobs, `service_tier`. (`id`, `created`, `model` and `system_fingerprint` may be rewritten, any member may be added, and a member that is `null` may be absent.)',
    'GATE-3':
      'MUST: Text and fragments of a stream reach the client once, in order, in their choice and call, so that the joined text, arguments and logprobs are equal; indexes and ids are kept, comments never become data, each choice has one finish reason, and `[DONE]` comes once. Also for lines over 64 KiB, streams of minutes, characters cut between two writes, and a call that ends with `length`. The members around the choices (`id`, `object`, `created`, `model`) are those of the upstream or of the gateway, present and constant within a stream, its last chunk included; a chunk without choices stays one. (Adjacent deltas may be joined, and split between characters.)',
    'GATE-4':
      'SHOULD: Deltas are forwarded as they arrive: a delta is not held back until the next one comes.',
    'GATE-5':
      "MUST: A refusal keeps its meaning: 400, 404, 429, 500 and 503 of the upstream arrive with that status, with the upstream's `Retry-After`, and any other 4xx as a 4xx, in an error object with a message. A `Retry-After` with a fraction or a date is not shortened: the requested wait arrives whole. (The gateway may first repeat the request within GATE-10. `message`, `type` and `code` may be its own.)",
    'GATE-6':
      'MUST: A stream that breaks, ends early or carries an error record is never turned into a clean end: no `[DONE]`, no invented finish reason. (Behind an error record a `[DONE]` ends nothing cleanly.) A plain answer that breaks is an error.',
    'GATE-7':
      "MUST: `usage` is the upstream's, number by number, details included. It is sent if the client requested it, and not otherwise.",
    'GATE-8':
      "MUST: The client's key never reaches the upstream. The upstream's key and address never reach the client, in no header and no error, even if an error of the upstream quotes its key.",
    'GATE-9':
      'SHOULD: A client that disconnects ends the request at the upstream within 5 seconds, plain and streamed.',
    'GATE-10':
      'SHOULD: The gateway repeats a request only after 429, 500, 503 or a failed connection, in at most 5 attempts, with the same body, and never after the first byte of an answer reached the client.',
    'GATE-11': 'MUST: Concurrent requests are never mixed up.',
    'GATE-12':
      'MUST: If the upstream is down, silent, or answers with something other than the format, the client gets an error with status 500, 502, 503 or 504 within 30 seconds, or within the timeout of the gateway that the judge was given: never a hang, and never a success. (A stream whose 200 has already been sent ends with an error record, or breaks.)',
    'GATE-13':
      'SHOULD: Members that the format does not know reach the other side, in requests and in answers, for example `top_k` and `reasoning_content`, at any depth: in messages, parts, tools, tool calls and deltas (`cache_control`, `extra_content`). (The gateway may refuse the request with a 400 that names the member.)',
    'GATE-14':
      'MUST: Bodies are whole: a request of several MB (images), and an answer that the upstream compressed because the gateway requested it, arrive complete and decodable, with a true length.',
    'GATE-15':
      "MUST: The gateway's own refusals: a missing or wrong key of the client gives 401, an unknown model 404 or 400, each in an error object with a message; neither reaches the upstream. (Not applicable to a gateway without keys of its own.)",
    'GATE-16':
      'SHOULD: A connection to the upstream that the upstream closed while it was idle costs no request: the next request is answered over a new connection.',
  },
} as const satisfies Section
