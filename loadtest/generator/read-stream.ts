// Reads one streamed answer while it arrives, and keeps the time of each event with output.
import { parseJson, at, isRecord, listAt } from '../../harness/json-value.ts'
import { DONE, createEventStreamParser } from '../../spec/protocol/sse.ts'
import type { Failure } from './stream-record.ts'

/** The longest detail of a failure, in characters. */
const DETAIL_CHARS = 200

/** The members of a delta with output, which a reader sees if it is visible. The role is not output. */
const VISIBLE = ['content', 'refusal']
const HIDDEN = ['reasoning_content', 'reasoning']
const CALLS = ['tool_calls', 'function_call']

export type AnswerReader = ReturnType<typeof createAnswerReader>
export type ReadAnswer = ReturnType<AnswerReader['end']>

/** Makes a reader for a body of this status. */
export function createAnswerReader(status: number) {
  const decoder = new TextDecoder()
  const parser = createEventStreamParser()
  const outputMs: number[] = []
  let beginning = ''
  let text = ''
  let ttfvMs: number | undefined
  let usage: unknown
  let isFinished = false
  let isDone = false
  let failed: { readonly failure: Failure; readonly detail: string } | undefined

  function fail(failure: Failure, detail: string): void {
    failed ??= { failure, detail: detail.slice(0, DETAIL_CHARS) }
  }

  function read(data: string, nowMs: number): void {
    if (isDone) return
    if (data === DONE) {
      isDone = true
      return
    }
    const record = parseJson(data)
    if (!isRecord(record)) return fail('malformed', data)
    if ((at(record, 'error') ?? null) !== null) return fail('error-record', data)
    usage = at(record, 'usage') ?? usage
    const choices = listAt(record, 'choices')
    if (choices.some((choice) => (at(choice, 'finish_reason') ?? null) !== null)) isFinished = true
    const deltas = choices.map((choice) => at(choice, 'delta'))
    const isVisible = deltas.some((delta) => VISIBLE.some((name) => hasText(at(delta, name))))
    const isOutput =
      isVisible ||
      deltas.some(
        (delta) =>
          HIDDEN.some((name) => hasText(at(delta, name))) || CALLS.some((name) => hasCall(at(delta, name))),
      )
    if (isOutput) outputMs.push(nowMs)
    if (isVisible) ttfvMs ??= nowMs
    for (const delta of deltas) {
      const content = at(delta, 'content')
      if (typeof content === 'string') text += content
    }
  }

  return {
    /** The next bytes of the body, and the time of their arrival in milliseconds. */
    chunk(bytes: Uint8Array, nowMs: number): void {
      const piece = decoder.decode(bytes, { stream: true })
      if (beginning.length < DETAIL_CHARS) beginning += piece.slice(0, DETAIL_CHARS)
      if (status !== 200) return
      for (const { data } of parser.push(piece)) read(data, nowMs)
    },
    /** The whole answer, to be called after its last byte. */
    end() {
      if (status !== 200) fail('status', beginning)
      if (!isFinished || !isDone)
        fail('cut', isDone ? 'no finish_reason before [DONE]' : isFinished ? 'no [DONE]' : 'no finish_reason')
      return { outputMs, ttfvMs, failure: failed?.failure, detail: failed?.detail, text, usage }
    },
  }
}

const hasText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const hasCall = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : isRecord(value))
