// The interface between the service and the engines that generate text. An engine does not know HTTP, event streams or
// ids of completions: it yields deltas, from which both plain and streamed answers are made.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { FinishReason, TokenLogprob, Usage } from '../../spec/schemas/response.ts'
import type { Soon } from '../http/soon.ts'

/** A model that an engine serves, as `GET /v1/models` shows it. */
export interface Model {
  readonly id: string
  /** The creation time of the model, in Unix seconds. */
  readonly created: number
  readonly ownedBy: string
  /** The length of its context, in tokens; undefined while it is unknown. */
  contextTokens?(): number | undefined
}

/** Members that the format does not know, by their names. */
export type UnknownMembers = Readonly<Record<string, unknown>>

/**
 * One step of an answer. `index` is the choice that it belongs to, from 0 to n−1. For each choice: any number of
 * `text`, `refusal`, `tool-call` and `members` deltas, then exactly one `finish`. After the last `finish`, exactly one
 * `usage`.
 */
export type Delta =
  /**
   * A part of the text or of a refusal. Whole characters only: never half of a surrogate pair. `logprobs` covers exactly
   * the tokens of `text`.
   */
  | {
      readonly type: 'text' | 'refusal'
      readonly index: number
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[]
    }
  /** A fragment of call `call` (from 0) of this choice; `id` and `name` on its first fragment and on no other. */
  | {
      readonly type: 'tool-call'
      readonly index: number
      readonly call: number
      readonly id?: string
      readonly name?: string
      readonly arguments: string
      /** Members of the call and of its function that the format does not know, which an upstream sent. */
      readonly members?: { readonly call: UnknownMembers; readonly function: UnknownMembers }
    }
  /** Members that the format does not know, which an upstream sent (GATE-13). */
  | {
      readonly type: 'members'
      readonly index: number
      readonly of: 'message' | 'choice' | 'answer'
      readonly members: UnknownMembers
    }
  /** `isNull`: the content of a plain answer is null, although it has neither calls nor a refusal. */
  | {
      readonly type: 'finish'
      readonly index: number
      readonly reason: FinishReason
      readonly isNull?: boolean
    }
  /** The tier that served the request, before any other delta. */
  | { readonly type: 'service-tier'; readonly tier: string }
  | { readonly type: 'usage'; readonly usage: Usage }

/** Deltas that are ready together, at least one: each pass through the service handles all of them. */
export type Deltas = readonly Delta[]

/** Yields an answer in steps: synchronously if the next deltas are ready, otherwise as a promise. */
export interface DeltaIterator {
  next(): Soon<IteratorResult<Deltas>>
  /** Ends the work; no method is called afterwards. */
  return?(value?: undefined): Promise<IteratorResult<Deltas>>
}

/** The deltas of an answer, for one reader; every `AsyncIterable<Deltas>` is one. */
export interface DeltaSource {
  [Symbol.asyncIterator](): DeltaIterator
}

export interface GenerateContext {
  /** Aborts when the client disconnects; the engine then stops its work and ends or throws. */
  readonly signal: AbortSignal
  /** The id of the request, for logs. */
  readonly requestId: string
  /** The key of the request; evaluating schemas is shared evenly between keys. */
  readonly keyId?: string
  /** The trace that the request belongs to, for upstreams. */
  readonly traceparent?: string | undefined
  /** The messages as the client wrote them, with members that the format does not know, for upstreams (GATE-13). */
  readonly sentMessages?: unknown
  /** Whether members that the format does not know are ignored, also those that request another answer. */
  readonly lenient?: boolean | undefined
  /**
   * Called as the work goes on, with the tokens so far: the evaluated tokens of the prompt, including those in
   * evaluation, and the generated tokens. They are charged if the answer ends without its usage.
   */
  countTokens?(prompt: number, answer?: number): void
  /** A larger answer is ended; an engine that knows the size of its answer beforehand throws the same 400 at once. */
  readonly maxAnswerBytes: number
}

export interface Engine {
  readonly models: readonly Model[]
  /**
   * Generates the answer to a validated request for one of `models`. Throws `ApiError` before the first delta for a
   * refusal (400 for an unsupported field or a prompt over the context, 503 if not ready), and any error later for a
   * failure.
   */
  generate(request: ChatCompletionRequest, context: GenerateContext): DeltaSource
  /** Ends all work and frees all resources. Safe to call twice. */
  close(): Promise<void>
}
