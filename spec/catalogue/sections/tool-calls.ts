// Tool calls (TOOL): their members, plain and streamed, and the conversation that contains them.
import type { Section } from '../section.ts'

export const toolCalls = {
  source: 'wire',
  subject: 'server',
  rows: {
    'TOOL-1':
      'MUST: A call has `id` (unique within the answer), `type` = `function`, `function.name` among the tools offered, `function.arguments` a string that parses as a JSON object: `{}` for a function without parameters, never an empty string, never JSON encoded twice (only a warning where `strict` is not set: the format promises no more).',
    'TOOL-2':
      'MUST: `content` is there beside calls, null or a string; `finish_reason` is `tool_calls` (where `tool_choice` demanded a call, `stop` is allowed too).',
    'TOOL-3':
      'MUST: `tool_choice`: `required` gives at least one call, a named function at least one call and only of that function, `none` no call.',
    'TOOL-4': "MUST: Arguments validate against the tool's parameters when `strict` is set.",
    'TOOL-5':
      'MUST: Streamed: first fragment `{index, id, type, function: {name, arguments}}`, later ones `{index, function: {arguments}}` (`arguments` may be absent from the first; the same `type` may be repeated, as client libraries expect of `type`; `id` and `name` may not); indexes count from 0; fragments joined equal the non-streamed arguments.',
    'TOOL-6':
      'MUST: A full round trip works: call, tool message with that `tool_call_id`, final answer; also with several calls and an empty result. (The judge sends back every member that it received, plain and streamed, those that the format does not know included: a service may demand its own `reasoning_content` or `extra_content`. A history of the judge that a service refuses for such a member alone is not judged.)',
    'TOOL-7': 'MUST: `parallel_tool_calls: false` gives at most one call.',
    'TOOL-8':
      'MUST: `response_format` (`json_object`, `json_schema`) and `tools` in one request both hold, plain and streamed: with `tool_choice` `none` the content has the format, and no call comes; with `required` or a name a valid call comes; with `auto` the answer is one or the other. (If both are offered alone. A 400 that names one of them is a refusal by name.)',
    'TOOL-9':
      'SHOULD: The ids of calls do not come again in later answers of a conversation: several answers to one history that grows have no id twice.',
  },
} as const satisfies Section
