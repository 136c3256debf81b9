// Engines (PARSE): how an engine reads the output of a model, judged with a puppet alone: a model whose texts are known.
// One leading and one trailing newline of a text may be trimmed. An engine that parses nothing of a kind, so that the text stays
// in the content, is not judged by the rows of that kind.
import type { Section } from '../section.ts'

export const engines = {
  source: 'wire',
  subject: 'server',
  rows: {
    'PARSE-1':
      'MUST: A text without markup arrives byte for byte, plain and streamed, with all its spaces, newlines, code fences and characters; no chunk splits a character.',
    'PARSE-2':
      'MUST: A call that the model writes arrives as a call: its name, and arguments that are equal to the written ones as JSON values; nothing of its markup is in the content; the finish reason is `tool_calls`.',
    'PARSE-3':
      'MUST: The stream of every script gives the text, the thoughts, the calls and the finish reason of the plain answer.',
    'PARSE-4':
      'MUST: Several calls of one output arrive in order, each with its own id, index and arguments.',
    'PARSE-5': 'MUST: Text before and after a call stays content, whole and once.',
    'PARSE-6':
      'MUST: Thoughts go to the reasoning text (`reasoning_content` or `reasoning`), whole, and the rest to the content or the calls; empty thoughts leave nothing behind.',
    'PARSE-7':
      'MUST: An output that `max_tokens` cuts, at any token, is answered (200, `length`): no part of a marker is in the content or the reasoning text, and a call that was not complete is either absent or has the arguments as far as they came; it is never completed.',
    'PARSE-8':
      'MUST: Arguments survive: nested, empty, null, Unicode, escapes, numbers written as text, texts that hold the markers of the family.',
    'PARSE-9':
      'SHOULD: Markup that is only quoted (in prose, in a code fence), that names no offered function or that never ends is not taken for a call, and is not lost: it is in the content.',
    'PARSE-10':
      'SHOULD: Without `tools`, or with `tool_choice: "none"`, the text of the model is not lost: it arrives as content (or, if the engine parses it all the same, as a call).',
  },
} as const satisfies Section
