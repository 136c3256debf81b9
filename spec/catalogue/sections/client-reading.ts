// How a client reads (READ): plain answers, streams, errors and tool calls.
import type { Section } from '../section.ts'

export const clientReading = {
  source: 'Errors; Resources; wire',
  subject: 'client',
  isAdopted: true,
  rows: {
    'READ-1':
      'MUST: Any status other than 200 is a failure and reported as one (the exit code of the program); its body is never presented as an answer.',
    'READ-2':
      'MUST: A `content` that is null, with calls or without, breaks nothing; nor does a null or absent member that a service may leave out (`usage`, `refusal`, `logprobs`, `system_fingerprint`, and `id`, `type`, `name` of a later fragment).',
    'READ-3': 'MUST: Unknown members of an answer, a choice, a message, a chunk or a delta are ignored.',
    'READ-4':
      'MUST: An error whose body is empty, HTML or another JSON is a failure by its status, retried or not by its status.',
    'READ-5':
      "MUST: A stream's text is its deltas in order, however its bytes come: split inside a record or a character, many records in one piece, comments, CRLF, no space after the colon, `text/event-stream; charset=utf-8`, lines of 1 MB, `\\u` escapes with surrogates, empty deltas, two equal deltas in a row; compressed if the client requested it.",
    'READ-6': "MUST: A chunk without choices (usage, a filter's report) breaks nothing and adds nothing.",
    'READ-7': 'MUST: A record with `error` within a stream is a failure, not an end.',
    'READ-8':
      'SHOULD: A stream that ends without `finish_reason` and without `[DONE]` is a failure, not a complete answer.',
    'READ-9': 'MUST: Tool calls are joined by their `index`, even if fragments of several interleave.',
    'READ-10': 'SHOULD: A `finish_reason` it does not know breaks nothing.',
    'READ-11': 'SHOULD: A client that is stopped closes its connection.',
    'READ-12':
      'SHOULD: The arguments of a call are read as an object: `""` and absent arguments mean `{}`. A call whose arguments are cut (`finish_reason` `length`) is never executed as if it were complete: the client ends with an error, or returns the answer with its `finish_reason`, and sends no result of that call.',
    'READ-13':
      'MUST: A plain answer is read however HTTP delivers it: with a length or chunked, in pieces, compressed if the client requested it, with a charset in its type, after `103` or other interim answers.',
    'READ-14':
      'SHOULD: A 400 with the `code` `context_length_exceeded` reaches the user of the program as such: the code, or the message of the service, is in what the program prints; the request is not repeated unchanged.',
    'READ-15':
      'MUST: A 200 without a completion is a failure, and not an empty answer: an object with `error` and without choices, `choices: []` in a plain answer, or JSON of another kind; streamed: no choice in any chunk.',
    'READ-16':
      'SHOULD: A stream that continues is read to its end: while a delta comes at least each second, no limit on the whole time ends the stream before 90 seconds. (Not in a quick run.)',
  },
} as const satisfies Section
