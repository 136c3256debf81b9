// Streamed answers. If no stream came, the row that demands one fails (STREAM-1), or the row that demands its end
// (STREAM-2), and no other row is blamed.
import { type Members, namesField } from '../../../../contract/capabilities.ts'
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { type Case, type CaseContext, type CaseOptions, check } from '../../case.ts'
import { type StreamReading, readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { at, isRecord, listAt, show } from '../../../../../harness/json-value.ts'
import { choicesAsked, failureOf, readsAsStream } from '../requests/asked.ts'
import { answerWith, isSuccess, messagesOf, plainAnswer, succeeded } from '../requests/chat-calls.ts'

/** Requests an answer of several deltas. */
export const STREAM_PROMPT = 'Count from one to ten, in words, separated by commas.'

/** How often a plain answer is repeated before a streamed one is blamed for a difference. */
export const PLAIN_AGAIN = 2

export interface StreamedAnswer {
  readonly exchange: Exchange
  readonly stream: StreamReading
}

/** Sends a streamed request that asks for nothing special, whatever comes of it. */
export function requestStream(t: CaseContext, members: Members = {}, request: Partial<RequestSpec> = {}) {
  return t.chat({ messages: messagesOf(STREAM_PROMPT), ...members, stream: true }, request)
}

/** A stream that came to its end, read; otherwise the case is inconclusive, with the row that judges that. */
export async function streamedAnswer(
  t: CaseContext,
  members: Members = {},
  request: Partial<RequestSpec> = {},
): Promise<StreamedAnswer> {
  const exchange = await requestStream(t, members, request)
  if (!isSuccess(exchange))
    t.inconclusive(`a streamed request was answered with ${exchange.response.status}, which STREAM-1 judges`)
  return readAnswer(t, exchange)
}

/** Members of a request that may not be refused in streams alone. */
const STREAMED_BY_ALL: ReadonlySet<string> = new Set(['messages', 'stream', 'tools', 'tool_choice'])

/**
 * A stream of a request that asks for something special: that it is refused is a failure, unless every streamed
 * request is, which STREAM-1 judges, or the field is refused by name in streams.
 */
export async function ownStream(t: CaseContext, members: Members): Promise<StreamedAnswer> {
  const exchange = await requestStream(t, members)
  if (!isSuccess(exchange)) await streamedAnswer(t)
  const names = Object.keys(members).filter((name) => !STREAMED_BY_ALL.has(name))
  const refused = names.find((name) => exchange.response.status === 400 && namesField(exchange, name))
  if (refused !== undefined) t.notApplicable(`the target refuses ${refused} in a stream by name`)
  t.expect(exchange, succeeded)
  return readAnswer(t, exchange)
}

/** Reads the stream of an exchange that was a success. */
export function readAnswer(t: CaseContext, exchange: Exchange): StreamedAnswer {
  const stream = readStream(exchange)
  const failure = failureOf(stream)
  if (failure !== undefined) t.inconclusive(`the stream carried an error: ${show(failure)}`)
  requireEnd(t, exchange)
  if (stream.chunks.length === 0) t.inconclusive('no chunk came, which STREAM-1 judges')
  return { exchange, stream }
}

/** Inconclusive if an answer was cut: its last record shows nothing. */
export function requireEnd(t: CaseContext, exchange: Exchange): void {
  const { end } = exchange.response
  if (end === 'broken' || end === 'timeout' || end === 'too-large')
    t.inconclusive(`the stream did not come to its end (${end}), which STREAM-2 judges`)
}

/** A choice of an answer, plain or streamed. Verifiers judge its members; missing ones are undefined. */
export interface AnswerChoice {
  readonly index?: unknown
  readonly content?: unknown
  readonly refusal?: unknown
  readonly finishReason?: unknown
  readonly calls: readonly { readonly name: unknown; readonly arguments: unknown }[]
}

/** The choices of an answer, plain or streamed. */
export function choicesIn(exchange: Exchange): readonly AnswerChoice[] {
  if (readsAsStream(exchange))
    return readStream(exchange).choices.map(
      ({ index, content, refusal, finishReasons: [finishReason], toolCalls }) => {
        return { index, content, refusal, finishReason, calls: toolCalls }
      },
    )
  return listAt(json(exchange), 'choices').map((choice, place) => ({
    // A choice without an index, which WIRE-2 judges, is known by its place.
    index: at(choice, 'index') ?? place,
    content: at(choice, 'message', 'content'),
    refusal: at(choice, 'message', 'refusal'),
    finishReason: at(choice, 'finish_reason'),
    calls: listAt(choice, 'message', 'tool_calls').map((call) => ({
      name: at(call, 'function', 'name'),
      arguments: at(call, 'function', 'arguments'),
    })),
  }))
}

/** The first choice of an answer, plain or streamed. */
export const firstChoice = (exchange: Exchange): AnswerChoice => choicesIn(exchange)[0] ?? { calls: [] }

/** The text of the first choice, plain or streamed. */
export function textOf(exchange: Exchange): string {
  const { content } = firstChoice(exchange)
  return typeof content === 'string' ? content : ''
}

/** Whether every choice has a content, text or null: CHAT-1 judges others. */
export const hasContents = (exchange: Exchange): boolean =>
  choicesIn(exchange).every(({ content }) => content === null || typeof content === 'string')

/** Whether a choice was cut or refused, so that it cannot be judged as a whole. An empty refusal is none. */
export function isCutOrRefused({ finishReason, refusal }: AnswerChoice): boolean {
  return finishReason === 'length' || finishReason === 'content_filter' || (refusal ?? '') !== ''
}

/** The choices of an answer that were neither cut nor refused. */
export const finishedChoices = (exchange: Exchange): readonly AnswerChoice[] =>
  choicesIn(exchange).filter((choice) => !isCutOrRefused(choice))

/** One entry of the `choices` of a chunk, with the place of the chunk in the stream. */
export interface ChunkChoice {
  readonly chunk: number
  readonly choice: unknown
}

/** The entries of all chunks for each choice, in order. Entries without an index count as those of choice 0. */
export function entriesByChoice(stream: StreamReading): ReadonlyMap<unknown, readonly ChunkChoice[]> {
  const entries = stream.chunks.flatMap((record, chunk) =>
    listAt(record, 'choices').map((choice): ChunkChoice => ({ chunk, choice })),
  )
  return Map.groupBy(entries, ({ choice }) => at(choice, 'index') ?? 0)
}

/** Whether the parts of a stream can be assigned to the choices that were requested; STREAM-8 judges that. */
export function hasRequestedChoices(exchange: Exchange): boolean {
  const { chunks, choices } = readStream(exchange)
  const parts = chunks.flatMap((chunk) => listAt(chunk, 'choices'))
  return (
    choices.length === choicesAsked(exchange) && parts.every((part) => Number.isInteger(at(part, 'index')))
  )
}

/** Whether a chunk is the one that carries the usage: no choices, and a usage record. */
export function isUsageChunk(chunk: unknown): boolean {
  const choices = at(chunk, 'choices')
  return Array.isArray(choices) && choices.length === 0 && isRecord(at(chunk, 'usage'))
}

/** Both ways to request an answer, with their parts of ids and titles. */
export const bothWays = [
  { slug: '', title: '', streamed: false, members: {} },
  { slug: '-streamed', title: ', streamed', streamed: true, members: { stream: true } },
] as const

export type Way = Pick<(typeof bothWays)[number], 'streamed' | 'members'>

/** Defines a case for each way to request an answer; of those that are always quick, a quick run has the plain one. */
export function eitherWay(id: string, requirement: RequirementId, title: string) {
  const withOptions = ({ alwaysQuick = false, ...options }: CaseOptions) => ({
    run: (run: (t: CaseContext, way: Way) => Promise<void>): readonly Case[] =>
      bothWays.map((way) =>
        check(id + way.slug, requirement, title + way.title)
          .with({ ...options, alwaysQuick: alwaysQuick && !way.streamed })
          .run((t) => run(t, way)),
      ),
  })
  return { ...withOptions({}), with: withOptions }
}

/** Ends the case as inconclusive if an ordinary request of this kind is not answered either, with the row that judges that. */
export async function requireOrdinary(t: CaseContext, streamed: boolean): Promise<void> {
  await (streamed ? streamedAnswer(t) : plainAnswer(t))
}

/** An answer to these members, plain or streamed: that it is refused is a failure. */
export async function answerEitherWay(t: CaseContext, members: Members, streamed: boolean) {
  return streamed ? (await ownStream(t, members)).exchange : answerWith(t, members)
}
