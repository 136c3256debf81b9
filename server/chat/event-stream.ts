// Writes the deltas of an answer as an event stream: all roles first, then the deltas as they come, the finish of
// each choice, usage where it was asked for, and `[DONE]` (STREAM-1 to STREAM-9).
import type { ChatCompletionChunk } from '../../spec/schemas/response.ts'
import { DONE, encodeComment, encodeRecord } from '../../spec/protocol/sse.ts'
import type { AnswerHead } from './completion.ts'
import type { Delta, Deltas } from '../engines/engine.ts'
import { ConnectionCut, toApiError } from '../http/errors.ts'

export interface EventStreamOptions {
  readonly head: AnswerHead
  /** Choices that were asked for. */
  readonly n: number
  /** `stream_options.include_usage` (STREAM-7). */
  readonly includeUsage: boolean
  /** After a silence of so many milliseconds a comment is sent, so that nothing between the two ends gives up. */
  readonly keepAliveMs: number
  /** Aborts when the generation was ended: then nothing waits for a slow reader any more. */
  readonly signal: AbortSignal
  /** Closes the connection in the middle of the answer; only where the engine asks for it (`ConnectionCut`). */
  readonly cut: () => void
  /** Called when the client disconnects before the end. */
  readonly onCancel: () => void
  /** Called once, when the last byte has been handed on; with what went wrong, if something did. */
  readonly onEnd: (error?: unknown) => void
}

/** Back-pressure: with this many bytes buffered for a slow reader, the engine is asked for no more. */
const BUFFER_BYTES = 64 * 1024

/** A batch this long is flushed within a turn of the event loop. In UTF-16 code units. */
const BATCH_LENGTH = 16 * 1024

/**
 * Makes the body. What the engine has ready within one turn of the event loop leaves in one write: a fast engine
 * costs few writes, a slow one waits for nothing. A failure becomes one last record with the envelope, and no
 * `[DONE]` (ERR-6).
 */
export function eventStream(
  deltas: AsyncIterable<Deltas>,
  options: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const iterator = deltas[Symbol.asyncIterator]()
  const bytes = new TextEncoder()
  let batch = ''
  let cancelled = false
  let scheduled: NodeJS.Immediate | undefined
  let roomMade: (() => void) | undefined

  async function pump(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const keepAlive = setInterval(() => {
      // While something waits for the reader, no silence is ours.
      if (isFull(controller, BUFFER_BYTES)) return
      batch += encodeComment('keep-alive')
      flush()
    }, options.keepAliveMs)

    function flush(): void {
      clearImmediate(scheduled)
      scheduled = undefined
      keepAlive.refresh()
      if (batch !== '' && !cancelled) controller.enqueue(bytes.encode(batch))
      batch = ''
    }

    options.signal.addEventListener('abort', () => roomMade?.())
    const chunks = createChunkWriter(options)
    let failure: unknown
    batch += chunks.opening()
    try {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        if (cancelled) {
          await iterator.return?.()
          break
        }
        for (const delta of step.value) {
          batch += chunks.record(delta)
          if (batch.length >= BATCH_LENGTH) flush()
        }
        scheduled ??= setImmediate(flush)
        if (isFull(controller, 1)) await room(controller, 1)
      }
      batch += encodeRecord(DONE)
    } catch (error) {
      failure = error
      if (!(error instanceof ConnectionCut))
        batch += encodeRecord(JSON.stringify(toApiError(error).toEnvelope()))
    }
    clearInterval(keepAlive)
    flush()
    if (failure instanceof ConnectionCut) {
      await room(controller, BUFFER_BYTES)
      setImmediate(options.cut)
    } else if (!cancelled) {
      controller.close()
    }
    options.onEnd(failure ?? (cancelled ? options.signal.reason : undefined))
  }

  /** Back-pressure: waits until the reader has left room for so many bytes, has disconnected, or is out of time. */
  async function room(controller: ReadableStreamDefaultController<Uint8Array>, size: number): Promise<void> {
    while (!cancelled && !options.signal.aborted && isFull(controller, size))
      await new Promise<void>((resolve) => (roomMade = resolve))
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Not awaited: the stream is readable while it is being written. `pump` settles all its errors itself.
        void pump(controller)
      },
      pull() {
        roomMade?.()
      },
      cancel() {
        cancelled = true
        roomMade?.()
        options.onCancel()
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.byteLength },
  )
}

function isFull(controller: ReadableStreamDefaultController<Uint8Array>, size: number): boolean {
  return (controller.desiredSize ?? BUFFER_BYTES) < size
}

/** Turns deltas into records. The part of a chunk that never changes within a stream is made once. */
function createChunkWriter({ head, n, includeUsage }: EventStreamOptions) {
  const frame = JSON.stringify({
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    service_tier: head.serviceTier,
  })
  const opening = `${frame.slice(0, -1)},"choices":[`
  const closing = includeUsage ? '],"usage":null}' : ']}'

  type ChunkChoice = ChatCompletionChunk['choices'][number]
  const choiceRecord = (choice: ChunkChoice): string =>
    encodeRecord(opening + JSON.stringify(choice) + closing)

  return {
    /** One chunk per choice with its role (STREAM-4). */
    opening(): string {
      let records = ''
      for (let index = 0; index < n; index += 1) {
        records += choiceRecord({
          index,
          delta: { role: 'assistant', content: '', refusal: null },
          finish_reason: null,
        })
      }
      return records
    },
    record(delta: Delta): string {
      switch (delta.type) {
        case 'text': {
          const logprobs =
            delta.logprobs === undefined ? {} : { logprobs: { content: [...delta.logprobs], refusal: null } }
          return choiceRecord({
            index: delta.index,
            delta: { content: delta.text },
            ...logprobs,
            finish_reason: null,
          })
        }
        case 'tool-call':
          return choiceRecord({
            index: delta.index,
            delta: { tool_calls: [toolCallFragment(delta)] },
            finish_reason: null,
          })
        case 'finish':
          return choiceRecord({ index: delta.index, delta: {}, finish_reason: delta.reason })
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
