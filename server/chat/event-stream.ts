// Writes the deltas of an answer as an event stream: all roles first, then the deltas as they come, the finish of
// each choice, usage if it was requested, and `[DONE]` (STREAM-1 to STREAM-9).
import type { ChatCompletionChunk } from '../../spec/schemas/response.ts'
import { DONE, encodeComment, encodeRecord } from '../../spec/protocol/sse.ts'
import { type AnswerHead, DeltaEncoder } from './completion.ts'
import type { CountBytes } from './json-text.ts'
import type { Delta } from '../engines/engine.ts'
import { ConnectionCut, toApiError } from '../http/errors.ts'
import type { Sink } from '../http/exchange.ts'
import type { HeldBytes } from '../http/unread.ts'
import type { Generation } from './generation.ts'

export interface EventStreamOptions {
  readonly head: AnswerHead
  /** Choices that were requested. */
  readonly n: number
  /** `stream_options.include_usage` (STREAM-7). */
  readonly includeUsage: boolean
  /** Counts what is written. Throws the error of an answer that is over its bound. */
  readonly count: CountBytes
  /** The account of what waits for the reader. */
  readonly held: HeldBytes
  /** After a silence of so many milliseconds a comment is sent, so that nothing between the two ends gives up. */
  readonly keepAliveMs: number
  /** Called once, when the last byte has been handed on; with what went wrong, if something did. */
  readonly onEnd: (error?: unknown) => void
}

const END = encodeRecord(DONE)
const KEEP_ALIVE = encodeComment('keep-alive')

/** A batch this long is flushed within a turn of the event loop. In UTF-16 code units. */
const BATCH_LENGTH = 16 * 1024

/**
 * Writes the body. Everything that the engine has ready within one turn of the event loop is sent in one write, and an answer that
 * is ready as a whole in one with its headers: a fast engine costs few writes, a slow one waits for nothing. A failure
 * becomes one last record with the envelope, and no `[DONE]` (ERR-6).
 */
export async function writeEventStream(
  generation: Pick<Generation, 'deltas' | 'signal' | 'abandon' | 'abort'>,
  options: EventStreamOptions,
  sink: Sink,
): Promise<void> {
  const iterator = generation.deltas[Symbol.asyncIterator]()
  const chunks = createChunkWriter(options)
  const { count, held } = options
  let batch = ''
  let isFull = false
  let scheduled: NodeJS.Immediate | undefined
  let keepAlive: NodeJS.Timeout | undefined

  /** Takes the batch, counted. */
  function take(): { text: string; bytes: number } {
    const text = batch
    batch = ''
    const bytes = Buffer.byteLength(text)
    count(bytes)
    return { text, bytes }
  }

  function flush(): void {
    clearImmediate(scheduled)
    scheduled = undefined
    keepAlive?.refresh()
    if (batch === '') return
    const { text } = take()
    if (!sink.hasLeft) isFull = !sink.write(text)
  }

  /** Of a timer: a failure ends the generation, and so the loop that waits for its next step. */
  function flushLate(): void {
    try {
      flush()
    } catch (error) {
      generation.abort(error)
    }
  }

  async function waitForReader(): Promise<void> {
    prepareToWait()
    const bytes = sink.waitingBytes
    held.hold(bytes)
    await sink.room(generation.signal)
    held.free(bytes)
    isFull = false
  }

  /** Runs before the first wait: until then there is no silence, and the client cannot disconnect. */
  function prepareToWait(): void {
    if (keepAlive !== undefined) return
    sink.onLeave(() => generation.abandon())
    keepAlive = setInterval(() => {
      // While something waits for the reader, no silence is ours.
      if (sink.waitingBytes > 0) return
      batch += KEEP_ALIVE
      flushLate()
    }, options.keepAliveMs)
  }

  let failure: unknown
  let last: { readonly text: string; readonly bytes?: number }
  try {
    for (;;) {
      let step = iterator.next()
      if (step instanceof Promise) {
        prepareToWait()
        scheduled ??= setImmediate(flushLate)
        step = await step
      }
      if (step.done === true) break
      if (sink.hasLeft) {
        await iterator.return?.()
        generation.signal.throwIfAborted()
      }
      for (const delta of step.value) {
        batch += chunks.record(delta)
        if (batch.length < BATCH_LENGTH) continue
        flush()
        if (isFull && !generation.signal.aborted) await waitForReader()
      }
      if (isFull && !generation.signal.aborted) await waitForReader()
    }
    batch += END
    last = take()
  } catch (error) {
    failure = error
    generation.abort(error)
    const record = error instanceof ConnectionCut ? '' : encodeRecord(toApiError(error).toJson())
    last = { text: batch + record }
  }
  clearInterval(keepAlive)
  clearImmediate(scheduled)
  if (failure instanceof ConnectionCut) {
    if (last.text !== '' && !sink.hasLeft) sink.write(last.text)
    sink.cut()
  } else if (!sink.hasLeft) {
    sink.end(last.text, last.bytes)
  }
  options.onEnd(failure)
}

/** Turns deltas into records. Members that never change within a stream or a choice are encoded once. */
function createChunkWriter({ head, n, includeUsage }: EventStreamOptions) {
  const { id, created, model } = head
  let opening = openingWith(head.serviceTier)
  const closing = includeUsage ? '],"usage":null}' : ']}'

  type ChunkChoice = ChatCompletionChunk['choices'][number]
  const choiceRecord = (choice: ChunkChoice): string =>
    encodeRecord(opening + JSON.stringify(choice) + closing)
  const encoder = new DeltaEncoder()

  /** The text before and after the delta of each choice in its record, joined into one string. */
  let before = beforeDeltas()
  const goingOn = [',"finish_reason":null}', closing, '\n\n'].join('')

  /** One chunk per choice with its role (STREAM-4); beside calls the content is null, as in a plain answer. */
  function roles(content: '""' | 'null'): string {
    let records = ''
    for (const start of before)
      records += `${start}{"role":"assistant","content":${content},"refusal":null}${goingOn}`
    return records
  }

  function openingWith(serviceTier: string | undefined): string {
    const tier = serviceTier === undefined ? '' : `,"service_tier":${JSON.stringify(serviceTier)}`
    return `{"id":"${id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}${tier},"choices":[`
  }

  function beforeDeltas(): readonly string[] {
    return Array.from({ length: n }, (_, index) => ['data: ', opening, `{"index":${index},"delta":`].join(''))
  }

  let isOpen = false
  return {
    record(delta: Delta): string {
      if (delta.type === 'service-tier') {
        opening = openingWith(delta.tier)
        before = beforeDeltas()
        return ''
      }
      if (!isOpen) {
        isOpen = true
        const isSpoken = delta.type !== 'tool-call' && delta.type !== 'refusal'
        return roles(isSpoken ? '""' : 'null') + this.record(delta)
      }
      switch (delta.type) {
        case 'text':
          if (delta.logprobs === undefined)
            return `${before[delta.index]}{"content":${encoder.string(delta.text)}}${goingOn}`
          return `${before[delta.index]}{"content":${encoder.string(delta.text)}},"logprobs":{"content":[${encoder.logprobs(delta.logprobs)}],"refusal":null}${goingOn}`
        case 'refusal':
          return choiceRecord({
            index: delta.index,
            delta: { refusal: delta.text },
            finish_reason: null,
            ...(delta.logprobs === undefined
              ? {}
              : { logprobs: { content: null, refusal: [...delta.logprobs] } }),
          })
        case 'members':
          return delta.of === 'message'
            ? `${before[delta.index]}${JSON.stringify(delta.members)}${goingOn}`
            : ''
        case 'tool-call':
          return choiceRecord({
            index: delta.index,
            delta: { tool_calls: [toolCallFragment(delta)] },
            finish_reason: null,
          })
        case 'finish':
          return `${before[delta.index]}{},"finish_reason":"${delta.reason}"}${closing}\n\n`
        case 'usage':
          return includeUsage ? encodeRecord(`${opening}],"usage":${JSON.stringify(delta.usage)}}`) : ''
      }
    },
  }
}

/** The first fragment of a call carries its id, type and name; later ones only more of the arguments (TOOL-5). */
function toolCallFragment({ call, id, name, arguments: args }: Extract<Delta, { type: 'tool-call' }>) {
  if (id === undefined || name === undefined) return { index: call, function: { arguments: args } }
  return { index: call, id, type: 'function' as const, function: { name, arguments: args } }
}
