// Wire format (WIRE): the members of requests and answers, their ranges and their effects.
import type { Section } from '../section.ts'

export const wire = {
  source: 'wire',
  subject: 'server',
  rows: {
    'WIRE-1':
      'MUST: A completion has `id` (non-empty string), `object` = `chat.completion`, `created` (integer seconds, within a day of now), `model`, `choices`.',
    'WIRE-2':
      'MUST: Each choice has `index` (0…n−1, each once), `message.role` = `assistant`, `finish_reason` from the closed set, `logprobs` an object, null or absent. Optional members, where present, have their type, in messages and deltas, completions and chunks: `refusal` a string or null, `annotations` a list, `audio` and `function_call` an object or null; `system_fingerprint` and `service_tier` a string or null. (`refusal: ""` means no refusal.)',
    'WIRE-3':
      'MUST: `usage`, where present, plain or streamed, has three integer counts and `total = prompt + completion`; counts in its details are integers from 0. If there is text, `prompt_tokens` and `completion_tokens` are above 0, and all `n` choices are counted. `cached_tokens` and `audio_tokens` are at most `prompt_tokens`, `reasoning_tokens` at most `completion_tokens` (a warning).',
    'WIRE-4': 'MUST: Ids differ between responses.',
    'WIRE-5': { about: 'content type', rule: 'MUST: Content type `application/json` on JSON answers.' },
    'WIRE-6': 'MUST: `n` choices are returned if requested.',
    'WIRE-7':
      'MUST: `max_tokens` / `max_completion_tokens` bound the output and a cut answer ends with `length` (output of exactly that many tokens may end with either). A tool call that the bound cuts ends with `length` too, never with `tool_calls` or `stop`, plain and streamed.',
    'WIRE-8':
      'MUST: `stop` (string, or 1 to 4 strings) ends the text before the stop string, which is not returned; `finish_reason` is `stop`. (An empty string or an empty list is not judged.)',
    'WIRE-9': {
      requires: 'prompt count',
      rule: 'MUST: Every message form of the format is accepted: system, user, assistant (text, null or absent content with tool calls), tool; content as a string (also "" beside calls, and as the result of a tool) and as text parts. Every message and part is read, in each position, also a last assistant message in parts: if `usage` is given, adding a message or a part raises `prompt_tokens`. The roles developer and function, `name`, refusal parts and media are capabilities; a 400 that speaks of images, audio, files or modalities refuses them by name.',
    },
    'WIRE-10':
      'MUST strict: Documented ranges and enums are enforced with 400: temperature 0–2, top_p 0–1, penalties −2–2, n 1–128, top_logprobs 0–20, logit_bias −100–100, stop ≤ 4, metadata 16/64/512, tools ≤ 128, names `[A-Za-z0-9_-]{1,64}`, at least one message, token limits not negative (0 is not judged), integers if the field is an integer (1.0 may be accepted or refused). The bounds themselves are in range: if a value other than the default is accepted, refusing another value of its range is a failure, even by name (if only the default is accepted, the field is not offered). Not judged: null in a field that is not nullable, a dot in a name, `tool_choice: "none"` without tools.',
    'WIRE-11':
      "MUST strict: Cross-field rules give 400: `top_logprobs` without `logprobs`, `stream_options` without `stream`, `tool_choice` without `tools` or naming an absent tool, a tool message that answers no call, an assistant message with neither content nor calls. (An assistant's call left unanswered may be refused or accepted.)",
    'WIRE-12':
      'MUST strict: A known field that the server does not support is refused with 400 and named, never silently ignored; judged on fields whose effect can be seen (`n`, `stop`, token limits, `response_format`, `tools`, `functions`, `logprobs`, `stream_options`, media parts). Unknown members inside a message of the history may be accepted: clients replay what they were sent.',
    'WIRE-13': 'MUST: `null` for a nullable optional field means the same as leaving it out.',
    'WIRE-14': 'SHOULD: Same request, same `seed`, temperature 0: same text.',
    'WIRE-15':
      'SHOULD: `GET /v1/models`: `object` = `list`, `data[]` of `{id, object: "model", created: integer, owned_by: string}`.',
    'WIRE-16': {
      requires: 'model record',
      rule: 'SHOULD strict: `GET /v1/models/{id}` returns that record, percent-encoded ids included; an unknown id is a 404.',
    },
    'WIRE-17':
      'MUST: `response_format` `json_object`: the content parses as a JSON object. (The prompt says "JSON": a service may demand that.)',
    'WIRE-18':
      'MUST: `response_format` `json_schema` with `strict`: the content validates against the schema, also against schemas as client libraries generate them (`$defs`, `$ref`, recursion, `anyOf` with null, `enum`, nested arrays). A schema that the service cannot follow is refused with a 400.',
    'WIRE-19':
      'MUST: `logprobs`: one entry per token with token, logprob ≤ 0, `bytes` (integers or null), `top_logprobs` of at most the asked length (another order than falling only warns); the bytes joined (the tokens, where bytes are null) are the content. Streamed and plain `logprobs` agree on the same request to a deterministic model, candidates included; where the chosen token is among its candidates, both have the same logprob.',
    'WIRE-20':
      'MUST: `logit_bias` acts: −100 on a token removes it. (Needs a token id of a known text: documented for the reference server, otherwise given to the judge; without one only the range is judged.)',
    'WIRE-21': {
      about: 'header',
      rule: 'SHOULD strict: `x-request-id` on every answer, different each time.',
    },
    'WIRE-22': 'SHOULD: `usage` is present on every completion that is not streamed.',
    'WIRE-23': {
      wireLevel: 'MAY',
      rule: 'SHOULD strict: An unknown top-level field is refused with 400 and named. (MAY in profile `wire`: it is only reported there, since services disagree about it on purpose.)',
    },
    'WIRE-24':
      "SHOULD: An answer's message sent back as history, as the official libraries do it (`tool_calls`, `refusal`, `audio`, `function_call` null, `annotations` empty, what `.parse()` adds left out), is accepted. So is the same message with every further member that the service itself sent (`reasoning_content`, `reasoning`, `extra_content` of a call), as agents send it back.",
    'WIRE-25': 'SHOULD strict: Where `service_tier` is accepted, the answer reports which tier served it.',
    'WIRE-26':
      'SHOULD: A conversation is accepted in any order of roles: two user messages in a row, a system message that is not first, an assistant message first, tool results in another order than their calls.',
    'WIRE-27':
      'SHOULD: `content` carries no markup of the chat template, of tool calls or of reasoning (`<|im_end|>`, `<tool_call>`, `[TOOL_CALLS]`, `<think>` and the like), unless the prompt has it.',
    'WIRE-28':
      "SHOULD: A prompt longer than the model's context is refused with a 400, never silently truncated: while requests succeed, `usage.prompt_tokens` grows with the prompt. (Judged up to a size that the run's budget allows; the report says how far.)",
    'WIRE-29':
      'MAY: Reasoning text, if there is any, has one name (`reasoning_content` or `reasoning`) in answers and streams, and is not mixed into `content`.',
    'WIRE-30':
      'SHOULD strict: A known field is validated also if its value changes nothing that can be seen (`audio`, `prediction`, `web_search_options`, `moderation` and their members). In profile `wire` wrong values of such fields are judged here, one finding for each field, and not under CHAT-5, CHAT-6 and WIRE-10; in profile `service` those rows judge them.',
    'WIRE-31': {
      brokenBy: ['end'],
      rule: 'SHOULD: An answer is compressed only if the request allows it (`Accept-Encoding`, RFC 9110 12.5.3: not for `identity` or a list without that coding; without the header every coding is allowed), and it then decodes to the whole answer, plain and streamed.',
    },
    'WIRE-32':
      'SHOULD: Counts are honest. On a deterministic model the same request has the same `prompt_tokens`; a text repeated 1 to 8 times adds a count that grows by the same number at each step, within one token, and stays on one line for more (so that neither a limit nor rounding hides). `prompt_tokens` count the prompt once, however many choices `n` requests. `completion_tokens` equals the entries of `logprobs` if the answer has them (the token that ends a text may be counted and have no entry) and is never above the bound of the request. A stream counts what the plain answer counts.',
    'WIRE-33': {
      requires: 'stored completions',
      rule: 'SHOULD strict: `store: true` is refused by name, or the completion can be retrieved, listed, its messages read, updated and deleted at `/v1/chat/completions/{id}`, is a 404 afterwards, and is invisible to another key. (A capability. `GET /v1/chat/completions` is then the list, and not a wrong method for ERR-5. Without a key these addresses give 401, AUTH-1.)',
    },
    'WIRE-34':
      'SHOULD: `reasoning_effort: "none"` is kept or refused by name: an answer to it has no reasoning text (in no member of WIRE-29 and not in the content) and no `reasoning_tokens` above 0, plain and streamed. (A model that never thinks may accept it.)',
    'WIRE-35':
      'SHOULD: `usage.prompt_tokens_details.cached_tokens`, if it is given, is honest: a prompt of 2,000 tokens or more that begins with text that was never sent has fewer than 256; the same prompt again has at least as many as before, and never more than `prompt_tokens`; plain and streamed agree within one block of 256. (0 each time is a service without a cache, and allowed.)',
    'WIRE-36':
      'MUST: Parts in the result of a tool: a text part is read (WIRE-9); an image part (`image_url`) is read, so that `prompt_tokens` grows if `usage` is given, or refused with a 400 that names images, the part or its type. It is never dropped silently.',
    'WIRE-37':
      'SHOULD: The JSON is what strict parsers accept: integers (`created`, indexes, counts, token ids) are written without fraction and exponent, no object has a member twice, and no number is rounded. (Clients in Go, Rust, C# and Java refuse the answer otherwise. Judged on the text, because a parser in JavaScript cannot see the difference.)',
  },
} as const satisfies Section
