// Writes the deltas of an answer as an event stream: all roles first, then the deltas as they come, the finish of
// each choice, usage if it was requested, and `[DONE]` (STREAM-1 to STREAM-9).
import { encodeRecord } from '../../spec/protocol/sse.ts'
import { type ChunkOptions, ChunkWriter } from './chunk-writer.ts'
import type { CountBytes } from './growing-json.ts'
import type { DeltaIterator, Deltas } from '../engines/engine.ts'
import { ConnectionCut, toApiError } from '../http/api-error.ts'
import type { Sink } from '../http/call.ts'
import type { HeldBytes } from '../http/unread.ts'
import { andThen, orElse, type Soon } from '../http/soon.ts'
import type { Generation } from './generation.ts'

export interface EventStreamOptions extends ChunkOptions {
  /** Counts the written bytes. Throws the error of an answer that is over its bound. */
  readonly count: CountBytes
  /** The account of the bytes that wait for the reader. */
  readonly held: HeldBytes
  /** The silence after which a comment is sent, in milliseconds, because proxies close silent connections. */
  readonly keepAliveMs: number
  /** Called once, when the last byte has been handed on, with the error if there was one. */
  readonly onEnd: (error?: unknown) => void
}

/** The length at which a batch is flushed before the turn of the event loop ends, in UTF-16 code units. */
const BATCH_LENGTH = 16 * 1024

type Streamed = Pick<Generation, 'deltas' | 'signal' | 'abandon' | 'abort'> &
  Partial<Pick<Generation, 'isLate'>>

/**
 * Writes the body. All deltas that the engine yields within one turn of the event loop leave in one write, and a
 * complete answer in one write with its headers: a fast engine costs few writes, and a slow one is not delayed. A
 * failure becomes one last record with the envelope, and no `[DONE]` (ERR-6).
 */
export function writeEventStream(generation: Streamed, options: EventStreamOptions, sink: Sink): Soon<void> {
  const stream = new EventStream(generation, options, sink)
  return andThen(
    orElse(
      () => stream.writeAll(),
      (error) => stream.fail(error),
    ),
    (last) => stream.end(last),
  )
}

/** The last text of a stream, and the failure that it reports. */
interface Last {
  readonly text: string
  readonly bytes?: number
  readonly failure?: unknown
}

class EventStream {
  readonly #generation: Streamed
  readonly #options: EventStreamOptions
  readonly #sink: Sink
  readonly #iterator: DeltaIterator
  readonly #chunks: ChunkWriter
  #isFull = false
  #scheduled: NodeJS.Immediate | undefined
  #keepAlive: NodeJS.Timeout | undefined

  constructor(generation: Streamed, options: EventStreamOptions, sink: Sink) {
    this.#generation = generation
    this.#options = options
    this.#sink = sink
    this.#iterator = generation.deltas[Symbol.asyncIterator]()
    this.#chunks = new ChunkWriter(options)
    // The client has waited for as long as a stream may be silent.
    if (generation.isLate === true) this.#chunks.addKeepAlive()
  }

  /** Writes all deltas but the last ones. */
  writeAll(): Soon<Last> {
    for (;;) {
      const step = this.#iterator.next()
      if (step instanceof Promise) return this.#writeLate(step)
      if (step.done === true) return this.#takeLast()
      const written = this.#write(step.value, 0)
      if (written instanceof Promise) return written.then(() => this.#writeLate(this.#iterator.next()))
    }
  }

  /** Continues from `step`. Returns one promise, even if it waits several times. */
  async #writeLate(first: Soon<IteratorResult<Deltas>>): Promise<Last> {
    for (let step = first; ; step = this.#iterator.next()) {
      if (step instanceof Promise) {
        this.#prepareToWait()
        this.#scheduled ??= setImmediate(() => this.#flushLate())
        step = await step
      }
      if (step.done === true) return this.#takeLast()
      const written = this.#write(step.value, 0)
      if (written instanceof Promise) await written
    }
  }

  fail(failure: unknown): Last {
    this.#generation.abort(failure)
    const record = failure instanceof ConnectionCut ? '' : encodeRecord(toApiError(failure).toJson())
    return { text: this.#chunks.take().text + record, failure }
  }

  end({ text, bytes, failure }: Last): void {
    const sink = this.#sink
    clearInterval(this.#keepAlive)
    clearImmediate(this.#scheduled)
    if (failure instanceof ConnectionCut) {
      if (text !== '' && !sink.hasLeft) sink.write(text)
      sink.cut()
    } else if (!sink.hasLeft) {
      sink.end(text, bytes)
    }
    this.#options.onEnd(failure)
  }

  /** Writes the deltas from `at` on. */
  #write(deltas: Deltas, at: number): Soon<void> {
    if (this.#sink.hasLeft) return this.#leave()
    for (let next = at; next < deltas.length; next += 1) {
      const delta = deltas[next]
      if (delta !== undefined) this.#chunks.add(delta)
      if (this.#chunks.length >= BATCH_LENGTH) this.#flush()
      if (this.#isFull && !this.#generation.signal.aborted)
        return this.#waitForReader().then(() => this.#write(deltas, next + 1))
    }
    return undefined
  }

  async #leave(): Promise<void> {
    await this.#iterator.return?.()
    this.#generation.signal.throwIfAborted()
  }

  #takeLast(): Last {
    this.#chunks.addEnd()
    return this.#take()
  }

  /** Takes the records, counted. */
  #take(): { readonly text: string; readonly bytes: number } {
    const taken = this.#chunks.take()
    this.#options.count(taken.bytes)
    return taken
  }

  #flush(): void {
    clearImmediate(this.#scheduled)
    this.#scheduled = undefined
    this.#keepAlive?.refresh()
    if (this.#chunks.length === 0) return
    const { text } = this.#take()
    if (!this.#sink.hasLeft) this.#isFull = !this.#sink.write(text)
  }

  /** Runs in a timer, so a failure aborts the generation instead of being thrown. */
  #flushLate(): void {
    try {
      this.#flush()
    } catch (error) {
      this.#generation.abort(error)
    }
  }

  async #waitForReader(): Promise<void> {
    this.#prepareToWait()
    const { held } = this.#options
    const bytes = this.#sink.waitingBytes
    held.hold(bytes)
    await this.#sink.room(this.#generation.signal)
    held.free(bytes)
    this.#isFull = false
  }

  /** Runs before the first wait, because a stream without waits has no silence and cannot notice a disconnect. */
  #prepareToWait(): void {
    if (this.#keepAlive !== undefined) return
    this.#sink.onLeave(() => this.#generation.abandon())
    this.#keepAlive = setInterval(() => {
      // If bytes wait for the reader, the reader is the cause of the silence.
      if (this.#sink.waitingBytes > 0) return
      this.#chunks.addKeepAlive()
      this.#flushLate()
    }, this.#options.keepAliveMs)
  }
}
