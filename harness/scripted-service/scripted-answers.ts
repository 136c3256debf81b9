// The correct answers of the scripted service, which scenarios change.
import { errorCodeOf, errorTypeOf } from '../../spec/protocol/error.ts'
import type { ChatCompletion, ChatCompletionChunk } from '../../spec/schemas/response.ts'
import { DONE, encodeRecord } from '../../spec/protocol/sse.ts'
import { type Asked, type Piece, type Reply, type Step, whole } from './scripted-reply.ts'

/** Members of an answer by their names, with those that a scenario adds or removes. */
export type Members = Readonly<Record<string, unknown>>

/** The time between two records of a stream, in milliseconds, so that each arrives separately. */
const RECORD_MS = 4

/** The usage of each answer. */
export const USAGE = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 }
/** Optional, but in every usual answer, so that an answer without it reveals a client that needs it. */
const FINGERPRINT = 'fp_touchstone'

/** An answer with a JSON body. */
export function jsonReply(status: number, body: unknown, headers: Reply['headers'] = {}): Reply {
  return bodyReply(status, 'application/json', JSON.stringify(body), headers)
}

/** An answer with this body in one piece. */
export function bodyReply(
  status: number,
  contentType: string,
  body: Uint8Array | string,
  headers: Reply['headers'] = {},
): Reply {
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    pieces: whole(body),
    end: 'complete',
  }
}

/** The list of one model. */
export function modelList(id: string): Reply {
  const data = [{ id, object: 'model', created: 0, owned_by: 'touchstone' }]
  return jsonReply(200, { object: 'list', data })
}

/**
 * A refusal in the service's envelope. A status that is not in its table has the type of the nearest one in it;
 * `members` replaces members of its error.
 */
export function refuse(
  status: number,
  headers: Reply['headers'] = {},
  message = 'The request failed.',
  members: { readonly type?: string; readonly code?: string } = {},
): Step {
  const type = errorTypeOf(status)
  const error = { message, type, code: errorCodeOf(status), param: null, ...members }
  return () => jsonReply(status, { error }, headers)
}

/** A whole completion of one choice; `message` replaces members of its message, `choice` of the choice. */
export function completion(
  { id, model, text }: Asked,
  { message = {}, choice = {}, top = {} }: { message?: Members; choice?: Members; top?: Members } = {},
): Members {
  const made: ChatCompletion = {
    id,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
    usage: USAGE,
    system_fingerprint: FINGERPRINT,
  }
  const [first] = made.choices
  return { ...made, choices: [{ ...first, message: { ...first?.message, ...message }, ...choice }], ...top }
}

/** The pieces of a text that deltas carry: of one to five code points, in order. */
export function deltasOf(text: string): readonly string[] {
  const points = [...text]
  const parts: string[] = []
  for (let at = 0, size = 1; at < points.length; at += size, size = (size % 5) + 1)
    parts.push(points.slice(at, at + size).join(''))
  return parts
}

/** The items of several lists by turn: the first items of all lists, then the second ones, and so on. */
export function turnsOf<Item>(lists: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((own) => own.slice(at, at + 1)))
}

/** A chunk of one choice. */
export function chunk(
  head: Members,
  delta: Members,
  finish: string | null = null,
  choice: Members = {},
): Members {
  return { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...choice }] }
}

/** The common members of all chunks of a stream. */
export function chunkHead({ id, model }: Asked): Omit<ChatCompletionChunk, 'choices'> {
  return {
    id,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model,
    system_fingerprint: FINGERPRINT,
  }
}

/** The delta that begins a text. */
export const ROLE: Members = { role: 'assistant', content: '' }

/** The chunks of these deltas, and the one that finishes their choice. */
export function chunksWith(asked: Asked, deltas: readonly Members[], finish = 'stop'): readonly Members[] {
  const head = chunkHead(asked)
  return [...deltas.map((delta) => chunk(head, delta)), chunk(head, {}, finish)]
}

/** The chunks of a whole streamed answer, in an order that every reader accepts. */
export function chunksOf(asked: Asked, finish = 'stop', usage: Members = USAGE): readonly Members[] {
  const texts = deltasOf(asked.text).map((content) => ({ content }))
  return withUsage(asked, chunksWith(asked, [{ ...ROLE, refusal: null }, ...texts], finish), usage)
}

/** The chunks, and the one with the usage behind them if it was requested. */
export function withUsage(
  asked: Asked,
  chunks: readonly Members[],
  usage: Members = USAGE,
): readonly Members[] {
  return asked.includeUsage ? [...chunks, usageChunk(chunks.at(-1) ?? chunkHead(asked), usage)] : chunks
}

/** The chunk with the usage, and the head of another one. */
export function usageChunk(other: Members, usage: Members = USAGE): Members {
  return { ...other, choices: [], usage }
}

/** The data of the records of a stream: its chunks, and `[DONE]`. */
export function dataOf(chunks: readonly Members[]): readonly string[] {
  return [...chunks.map((one) => JSON.stringify(one)), DONE]
}

/** Chunks as records, each in a piece of its own, `afterMs` after the one before, and `[DONE]` behind them. */
export function recordsOf(chunks: readonly Members[], afterMs = RECORD_MS): readonly Piece[] {
  const records = dataOf(chunks).map(encodeRecord)
  return records.map((record, at) => ({ bytes: Buffer.from(record), afterMs: at === 0 ? 0 : afterMs }))
}

/** An event stream of these pieces. */
export function streamReply(pieces: readonly Piece[], end: Reply['end'] = 'complete'): Reply {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, pieces, end }
}

/** The good answer, streamed if the request asks for it. */
export function answer(asked: Asked): Reply {
  return asked.stream ? streamReply(recordsOf(chunksOf(asked))) : jsonReply(200, completion(asked))
}

/** The beginning of the good answer as a stream: its role, and half of its text. */
export function begun(asked: Asked): readonly Piece[] {
  const deltas = deltasOf(asked.text)
  const half = deltas.slice(0, Math.ceil(deltas.length / 2)).map((content) => ({ content }))
  // Without the end of the choice, and `[DONE]`.
  return recordsOf(chunksWith(asked, [ROLE, ...half])).slice(0, -2)
}

/** The record of an error, and the same before the last record of a stream. */
export const ERROR_RECORD = whole(
  encodeRecord(
    JSON.stringify({
      error: { message: 'The model failed.', type: 'api_error', code: 'api_error', param: null },
    }),
  ),
)
export const ERROR_AND_DONE: readonly Piece[] = [...ERROR_RECORD, ...whole(encodeRecord(DONE))]

/** The tool calls of an answer, with parsed arguments. */
export const TOOL_CALLS = [
  { name: 'get_weather', arguments: { city: 'Tromsø', days: 3 } },
  { name: 'get_time', arguments: { zone: 'Europe/Oslo' } },
] as const

/** The tool calls in the wire format. */
const wireCalls = TOOL_CALLS.map(({ name, arguments: args }, index) => ({
  id: `call_${index + 1}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
}))

/** The ids of those calls. */
export const CALL_IDS = wireCalls.map(({ id }) => id)

/** An answer with calls and null content, streamed if that is requested; a text if no tools were sent. */
export function toolAnswer(asked: Asked): Reply {
  return callsWith(asked, 'tool_calls')
}

/** Calls with another reason for their end than the usual one. */
export function callsWith(asked: Asked, finish: string): Reply {
  if (!asked.tools) return answer(asked)
  if (!asked.stream)
    return jsonReply(
      200,
      completion(asked, {
        message: { content: null, tool_calls: wireCalls },
        choice: { finish_reason: finish },
      }),
    )
  const fragments = wireCalls.flatMap((_, index) => [openCall(index), ...argumentsOf(index, 7)])
  return toolStream(asked, fragments, finish)
}

/** A stream whose deltas carry these fragments of calls. */
export function toolStream(
  asked: Asked,
  deltas: readonly (readonly Members[])[],
  finish = 'tool_calls',
): Reply {
  const all = [{ ...ROLE, content: null }, ...deltas.map((tool_calls) => ({ tool_calls }))]
  return streamReply(recordsOf(chunksWith(asked, all, finish)))
}

/** The first fragment of a call. */
export function openCall(index: number): readonly Members[] {
  const call = wireCalls[index]
  return [{ index, ...call, function: { ...call?.function, arguments: '' } }]
}

/** The further fragments of a call, of `size` characters each. */
export function argumentsOf(index: number, size: number): readonly (readonly Members[])[] {
  const text = wireCalls[index]?.function.arguments ?? ''
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => [
    { index, function: { arguments: text.slice(at * size, (at + 1) * size) } },
  ])
}

/** The good answer to a request that is not streamed, with a change; a streamed request gets it unchanged. */
export function plain(change: (asked: Asked) => Reply): Step {
  return (asked) => (asked.stream ? answer(asked) : change(asked))
}

/** The good answer to a streamed request, with a change; a plain request gets it unchanged. */
export function streamed(change: (asked: Asked) => Reply): Step {
  return (asked) => (asked.stream ? change(asked) : answer(asked))
}
