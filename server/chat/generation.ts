// A generation is ended by its client (which disconnects), the clock, or the shutdown. Each generation has one
// abort controller; those in flight are kept here, so that a shutdown can end them after the grace period. Whole, because one
// object owns an answer, its time limits and its end.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { Delta, DeltaIterator, Deltas, DeltaSource, Engine, GenerateContext } from '../engines/engine.ts'
import { estimateDeltaTokens } from '../engines/token-estimates.ts'
import { type ApiError, unavailable } from '../http/api-error.ts'
import { createDeadlines, type Deadlines } from '../http/deadlines.ts'
import type { Client } from '../http/call.ts'
import { andThen, orElse, type Soon } from '../http/soon.ts'

/** An answer in flight. */
export interface Generation {
  /** All deltas, the first ones included. Fails with the `ApiError` that aborted it, if there is one. */
  readonly deltas: DeltaSource
  /** Aborts when the work is ended from outside, which also ends a wait for the reader. */
  readonly signal: AbortSignal
  /** The maximum size of the written answer, in bytes. */
  readonly maxAnswerBytes: number
  /** True if its first deltas are still awaited, because a long prompt is being read: a stream begins with a comment then. */
  readonly isLate: boolean
  /** Ends the work because the client has disconnected. */
  abandon(): void
  /** Ends the work because its answer cannot be written. */
  abort(reason: unknown): void
  /** Must be called once, when the answer is complete or has failed. Safe to call twice. */
  end(): void
}

export interface TokensUsed {
  /** Tokens of prompt and answer: the reported usage, or those counted until the answer ended. */
  readonly total: number
  /** Tokens of the answer after its first deltas, by their share of its text; only if usage was reported. */
  readonly afterFirst?: number | undefined
}

export interface GenerationContext {
  readonly requestId: string
  readonly keyId?: string
  /** The work ends when this client disconnects. */
  readonly client: Client
  /** The trace of the client, unchanged; upstreams get it. */
  readonly traceparent?: string | undefined
  /** The messages as the client wrote them. */
  readonly sentMessages?: unknown
  /** Whether members that the format does not know are ignored. */
  readonly lenient?: boolean | undefined
  /** Called once, when the answer has ended or has failed, also before its first deltas. */
  readonly onTokens: (used: TokensUsed) => void
}

export interface Generations {
  /**
   * Starts an answer and waits for its first deltas, so that a refusal before them can still be answered with
   * its status, even if a stream was requested (STREAM-10). Throws what the engine throws. It waits no longer than the client
   * of a stream may hear nothing, once the prompt is being read: then nothing refuses the request any more (STREAM-14).
   */
  start(engine: Engine, request: ChatCompletionRequest, context: GenerationContext): Soon<Generation>
  /** Ends all that are in flight; each client gets `reason`. */
  abortAll(reason: ApiError): void
}

const ABANDONED = new DOMException('The client disconnected.', 'AbortError')

/** True of an error that ended an answer because its client disconnected. */
export function isAbandoned(error: unknown): boolean {
  return error === ABANDONED
}

export interface GenerationsOptions {
  /** The time limit of a whole answer. */
  readonly timeoutMs: number
  /** The maximum size of a written answer, in bytes. */
  readonly maxAnswerBytes: number
  /** The silence of a stream after which a comment is sent, in milliseconds. Default: none begins before its first deltas. */
  readonly keepAliveMs?: number
}

export function createGenerations(options: GenerationsOptions): Generations {
  const { timeoutMs, maxAnswerBytes, keepAliveMs = Infinity } = options
  const inFlight = createDeadlines<Run>(timeoutMs, (run) =>
    run.abort(unavailable(`The answer took longer than ${timeoutMs / 1000} s and was ended.`, 1)),
  )
  return {
    start: (engine, request, context) =>
      new Run(context, maxAnswerBytes, inFlight).start(engine, request, keepAliveMs),
    abortAll(reason) {
      for (const run of inFlight.items()) run.abort(reason)
    },
  }
}

/** One answer in flight: the context of its engine, and the deltas of its reader. */
class Run implements GenerateContext, Generation, DeltaSource, DeltaIterator {
  readonly maxAnswerBytes: number
  readonly #context: GenerationContext
  /** Contains the answer from its first wait on: before that, nothing can interrupt it. */
  readonly #inFlight: Deadlines<Run>
  #controller: AbortController | undefined
  /** The reason, if it was ended from outside. */
  #aborted: { readonly reason: unknown } | undefined
  #iterator: DeltaIterator | undefined
  #first: Soon<IteratorResult<Deltas>> | undefined
  isLate = false
  #onPrompt: (() => void) | undefined
  #isWatched = false
  #isOver = false
  /** The count of the engine so far. */
  readonly #counted = { prompt: 0, answer: 0 }
  /** The estimate of the deltas that were taken. */
  #estimated = 0
  #total: number | undefined
  #answered: number | undefined
  /** Length of the text, in UTF-16 code units. */
  #length = 0
  #firstLength: number | undefined

  constructor(context: GenerationContext, maxAnswerBytes: number, inFlight: Deadlines<Run>) {
    this.#context = context
    this.maxAnswerBytes = maxAnswerBytes
    this.#inFlight = inFlight
  }

  get requestId(): string {
    return this.#context.requestId
  }

  get keyId(): string {
    return this.#context.keyId ?? ''
  }

  get traceparent(): string | undefined {
    return this.#context.traceparent
  }

  get sentMessages(): unknown {
    return this.#context.sentMessages
  }

  get lenient(): boolean | undefined {
    return this.#context.lenient
  }

  /** Created on first use: most answers end before anything needs it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#expectEnd()
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  get deltas(): this {
    return this
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  countTokens(prompt: number, answer = 0): void {
    const counted = this.#counted
    counted.prompt = Math.max(counted.prompt, prompt)
    counted.answer = Math.max(counted.answer, answer)
    if (counted.prompt > 0) this.#onPrompt?.()
  }

  start(engine: Engine, request: ChatCompletionRequest, keepAliveMs: number): Soon<this> {
    return orElse(
      () => {
        if (this.#context.client.hasLeft) this.abandon()
        this.#iterator = engine.generate(request, this)[Symbol.asyncIterator]()
        const step = this.#step()
        if (step instanceof Promise && request.stream === true && keepAliveMs !== Infinity)
          return this.#firstOrLate(step, keepAliveMs)
        return andThen(step, (first) => {
          this.#first = first
          return this
        })
      },
      (error) => {
        this.end()
        throw this.#reasonOr(error)
      },
    )
  }

  next(): Soon<IteratorResult<Deltas>> {
    return orElse(
      () => andThen(this.#first ?? this.#step(), (step) => this.#taken(step)),
      (error) => {
        throw this.#reasonOr(error)
      },
    )
  }

  /** Resolves with the first deltas, or when the prompt has been read for this time without one. */
  async #firstOrLate(step: Promise<IteratorResult<Deltas>>, keepAliveMs: number): Promise<this> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      this.#onPrompt?.()
    }, keepAliveMs)
    this.#onPrompt = () => {
      if (!isOver || this.#counted.prompt === 0) return
      this.isLate = true
      resolve()
    }
    try {
      this.#first = (await Promise.race([step, late])) ?? step
      return this
    } finally {
      clearTimeout(timer)
      this.#onPrompt = undefined
    }
  }

  async return(): Promise<IteratorResult<Deltas>> {
    await this.#iterator?.return?.()
    return { done: true, value: undefined }
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason }
    this.#controller?.abort(reason)
  }

  abandon(): void {
    this.abort(ABANDONED)
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isWatched) this.#inFlight.end(this)
    const share = this.#length === 0 ? 0 : 1 - (this.#firstLength ?? 0) / this.#length
    const afterFirst = this.#answered && Math.round(this.#answered * share)
    const { prompt, answer } = this.#counted
    const total = this.#total ?? prompt + Math.max(answer, this.#estimated)
    this.#context.onTokens({ total, afterFirst })
  }

  /** Lets its client, the clock and the shutdown end it from now on. */
  #expectEnd(): void {
    if (this.#isWatched || this.#isOver) return
    this.#isWatched = true
    this.#inFlight.start(this)
    this.#context.client.onLeave(() => this.abandon())
  }

  /** The engine's next step. Until the first asynchronous step, nothing can end the answer from outside. */
  #step(): Soon<IteratorResult<Deltas>> {
    const step = this.#iterator?.next() ?? { done: true, value: undefined }
    if (step instanceof Promise) this.#expectEnd()
    return step
  }

  #taken(step: IteratorResult<Deltas>): IteratorResult<Deltas> {
    this.#first = undefined
    if (step.done === true) this.#throwIfAborted()
    else this.#count(step.value)
    return step
  }

  #count(deltas: Deltas): void {
    for (const delta of deltas) {
      if (delta.type === 'usage') {
        this.#total = delta.usage.total_tokens
        this.#answered = delta.usage.completion_tokens
      } else this.#estimated += estimateDeltaTokens(delta)
      this.#length += lengthOf(delta)
    }
    this.#firstLength ??= this.#length
  }

  /** The reason if the answer was ended from outside, in place of the engine's own error for the abort. */
  #reasonOr(error: unknown): unknown {
    return this.#aborted === undefined ? error : this.#aborted.reason
  }

  #throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason
  }
}

function lengthOf(delta: Delta): number {
  if (delta.type === 'text' || delta.type === 'refusal') return delta.text.length
  return delta.type === 'tool-call' ? delta.arguments.length : 0
}
