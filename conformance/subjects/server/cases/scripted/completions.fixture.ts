// The answers of the scripted service: JSON, pages, streams, errors in their envelope, and completions. Its model repeats the
// last message of the user, calls functions when it is forced to, and writes a value that the requested schema allows. One
// token is one character, eight in a prompt.
import { randomUUID } from 'node:crypto'
import { encodeRecord } from '../../../../../spec/protocol/sse.ts'
import type { ChatCompletionRequest } from '../../../../../spec/schemas/request.ts'
import { type Answer, bodyOf } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { at } from '../../../../../harness/json-value.ts'
import { type FunctionCall, callsFor, sample } from './function-calls.fixture.ts'
import { errorTypes } from '../../../../../spec/protocol/error.ts'

const UNSUPPORTED = `audio function_call functions moderation prediction prompt_cache_options
  prompt_cache_retention reasoning_effort verbosity web_search_options`.split(/\s+/)

/** The characters of one fragment of a call's arguments. */
const FRAGMENT = /.{1,4}/gsu

export function unsupportedField(request: ChatCompletionRequest): string | undefined {
  const field = UNSUPPORTED.find((name) => (at(request, name) ?? null) !== null)
  if (field !== undefined) return field
  if (request.store === true) return 'store'
  for (const [index, { content }] of request.messages.entries()) {
    if (!Array.isArray(content)) continue
    const part = content.findIndex(({ type }) => type !== 'text' && type !== 'refusal')
    if (part !== -1) return `messages[${index}].content[${part}]`
  }
  return undefined
}

/** The contents of every choice of an answer. */
type Said = ReturnType<typeof say>

/** The answer; a stream that `fails` ends with an error after its first chunk. */
export function complete(request: ChatCompletionRequest, fails = false): Answer {
  const said = say(request)
  const all = Array.from({ length: request.n ?? 1 }, (_, index) => index)
  return request.stream === true ? streamed(request, said, all, fails) : plain(request, said, all)
}

function say(request: ChatCompletionRequest) {
  const limit = Math.min(request.max_tokens ?? Infinity, request.max_completion_tokens ?? Infinity)
  const whole = callsFor(request)
  if (whole.length > 0) {
    const calls = within(whole, limit)
    const isCut = JSON.stringify(calls) !== JSON.stringify(whole)
    return { tokens: [], calls, reason: isCut ? 'length' : 'tool_calls' }
  }
  const calls: readonly FunctionCall[] = []
  const all = Array.from(textOf(request)).filter(
    (token) => request.logit_bias?.[String(token.codePointAt(0))] !== -100,
  )
  const tokens = all.slice(0, limit)
  const text = tokens.join('')
  const stops = [request.stop ?? []].flat().flatMap((stop) => {
    const place = text.indexOf(stop)
    return place === -1 ? [] : [place]
  })
  if (stops.length > 0)
    return { tokens: Array.from(text.slice(0, Math.min(...stops))), calls, reason: 'stop' }
  return { tokens, calls, reason: tokens.length < all.length ? 'length' : 'stop' }
}

/** The calls up to this number of tokens; the last one may be cut. */
function within(calls: readonly FunctionCall[], limit: number): readonly FunctionCall[] {
  const [first, ...others] = calls
  if (first === undefined || limit <= 0) return []
  const text = first.function.arguments.slice(0, limit * CHARS_OF_TOKEN)
  const cut = { ...first, function: { ...first.function, arguments: text } }
  return [cut, ...within(others, limit - tokensOf(first))]
}

const tokensOf = (call: FunctionCall): number => Math.ceil(call.function.arguments.length / CHARS_OF_TOKEN)

function textOf({ messages, response_format: format }: ChatCompletionRequest): string {
  if (format?.type === 'json_object') return '{"any":"object"}'
  if (format?.type === 'json_schema') return JSON.stringify(sample(format.json_schema.schema))
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : '')).join('')
}

/** The calls of a choice; those of a later one have other ids. */
const ofChoice = (calls: readonly FunctionCall[], index: number): readonly FunctionCall[] =>
  calls.map((call) => (index === 0 ? call : { ...call, id: `${call.id}_of_${index}` }))

function plain(request: ChatCompletionRequest, said: Said, all: readonly number[]): Answer {
  const { tokens, calls, reason } = said
  const message = {
    role: 'assistant',
    content: calls.length > 0 ? null : tokens.join(''),
    refusal: null,
  }
  const logprobs = logprobsOf(request, tokens)
  const choices = all.map((index) => {
    const own = calls.length > 0 ? { ...message, tool_calls: ofChoice(calls, index) } : message
    return { index, message: own, logprobs, finish_reason: reason }
  })
  return json({ ...head('chat.completion', request), choices, usage: usageOf(request, said, all.length) })
}

function streamed(request: ChatCompletionRequest, said: Said, all: readonly number[], fails: boolean) {
  const { tokens, calls, reason } = said
  const common = head('chat.completion.chunk', request)
  const withUsage = request.stream_options?.include_usage === true
  const chunk = (index: number, delta: object, finish: string | null = null, logprobs: unknown = null) => ({
    ...common,
    choices: [{ index, delta, logprobs, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  })
  const first = { role: 'assistant', content: calls.length > 0 ? null : '' }
  const records = [
    ...all.map((index) => chunk(index, first)),
    ...tokens.flatMap((content) =>
      all.map((index) => chunk(index, { content }, null, logprobsOf(request, [content]))),
    ),
    ...all.flatMap((index) =>
      fragmentsOf(ofChoice(calls, index)).map((fragment) => chunk(index, { tool_calls: [fragment] })),
    ),
    ...all.map((index) => chunk(index, {}, reason)),
    ...(withUsage ? [{ ...common, choices: [], usage: usageOf(request, said, all.length) }] : []),
  ].map((record) => encodeRecord(JSON.stringify(record)))
  const failure = { error: { message: 'It fails.', type: 'api_error', code: 'requested', param: null } }
  const sent = fails
    ? [...records.slice(0, 1), encodeRecord(JSON.stringify(failure))]
    : [...records, encodeRecord('[DONE]')]
  return answer(200, 'text/event-stream', sent.join(''))
}

function head(object: string, { model, service_tier: tier }: ChatCompletionRequest): object {
  const created = Math.floor(Date.now() / 1000)
  const common = { id: `chatcmpl-${randomUUID()}`, object, created, model }
  return (tier ?? null) === null ? common : { ...common, service_tier: 'default' }
}

/** The characters of a token of a call, as a tokenizer of usual size has it. */
const CHARS_OF_TOKEN = 4

function usageOf({ messages }: ChatCompletionRequest, { tokens, calls }: Said, choices: number): object {
  const prompt = Math.ceil(JSON.stringify(messages).length / 8)
  const each = calls.reduce((sum, call) => sum + tokensOf(call), tokens.length)
  const completion = each * choices
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

function fragmentsOf(calls: readonly FunctionCall[]): readonly object[] {
  return calls.flatMap(({ function: { name, arguments: text }, ...call }, index) => [
    { index, ...call, function: { name, arguments: '' } },
    ...(text.match(FRAGMENT) ?? []).map((piece) => ({ index, function: { arguments: piece } })),
  ])
}

/** An entry for each token, with as many candidates as were requested; null if none are requested. */
function logprobsOf(request: ChatCompletionRequest, tokens: readonly string[]): object | null {
  if (request.logprobs !== true) return null
  const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] })
  const content = tokens.map((token) => ({
    ...entry(token, -0.5),
    top_logprobs: Array.from({ length: request.top_logprobs ?? 0 }, (_, rank) =>
      entry(rank === 0 ? token : `${rank}`, -0.5 - rank),
    ),
  }))
  return { content, refusal: null }
}

export function answer(status: number, type: string, body: string): Answer {
  const headers = [
    ['content-type', type],
    ['x-request-id', randomUUID()],
    // A stream has no length.
    ...(type === 'text/event-stream' ? [] : [['content-length', String(Buffer.byteLength(body))] as const]),
  ] as const
  return { status, headers, body: bodyOf(body) }
}

export function json(value: unknown, status = 200): Answer {
  return answer(status, 'application/json', JSON.stringify(value))
}

export function refuse(
  status: keyof typeof errorTypes,
  code: string,
  message: string,
  param: string | null = null,
): Answer {
  return json({ error: { message, type: errorTypes[status], code, param } }, status)
}
