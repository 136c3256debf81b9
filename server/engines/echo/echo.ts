// The deterministic engine: its answers are known beforehand, so a check against it can be exact.
//
// Tokenisation: one token per Unicode code point, its id the code point; a lone surrogate counts as one. A prompt has
// the tokens of all its messages' texts; an answer those of its text, or of its calls' arguments. A delta carries up to
// `DELTA_TOKENS` whole tokens. Every token is certain: its log probability is 0. A `logit_bias` of -100 removes a code
// point; no other sampling parameter can change an answer that is certain, so all are accepted. Whole, because its
// answers are derived by hand from these rules, which are read as one.
import { setImmediate as immediate } from 'node:timers/promises'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import type { FinishReason, TokenLogprob, Usage } from '../../../spec/schemas/response.ts'
import { type EchoAnswer, type EchoCall, echoAnswer, textOf } from './echo-answer.ts'
import { createSandbox, type Sandbox } from '../constrained/sandbox/sandbox.ts'
import { refuseLarge } from './refuse-large.ts'
import type { Delta, Deltas, DeltaSource, Engine, GenerateContext } from '../engine.ts'
import {
  countCodePoints,
  endAfter,
  firstCodePoints,
  chunksOf,
  withoutCodePoints,
} from '../text/code-points.ts'
import { createStopFilter, type StopFilter } from '../text/stop-filter.ts'
import { refuseUnsupported } from '../supported-fields.ts'
import { refuseUnknownTokens, stopsOf, tokenLimit, tooLong } from '../request-options.ts'
import { newId } from '../../http/ids.ts'
import type { Soon } from '../../http/soon.ts'

/** The id of the echo model. */
export const ECHO_MODEL = 'svc-0.1-echo'

/** The number of token ids: each code point is one. */
const CODE_POINTS = 0x110000

/** The number of tokens in one delta: a stream has many records, but a long answer does not flood its reader. */
const DELTA_TOKENS = 4

/**
 * The tokens of one delta of an answer that is not streamed: fewer with stop strings and with log probabilities, whose
 * deltas cost more.
 */
const PLAIN_DELTA_TOKENS = 1024
const SEARCHED_DELTA_TOKENS = 256
const LOGPROB_DELTA_TOKENS = 64

/** The number of deltas in one step; between steps an abort is noticed, and a slow reader is awaited. */
const DELTAS_AT_A_TIME = 64

/** The answer to a longer text begins one turn of the event loop later. In UTF-16 code units. */
const LONG_TEXT = 256 * 1024

/**
 * Makes the echo engine. `created` is the model's time in Unix seconds; `sandbox` evaluates schemas; a prompt of
 * `contextTokens` or more is refused.
 */
export function createEchoEngine(
  created: number,
  sandbox: Sandbox = createSandbox(),
  contextTokens?: number,
): Engine {
  return {
    models: [{ id: ECHO_MODEL, created, ownedBy: 'touchstone', contextTokens: () => contextTokens }],
    generate(request, context) {
      refuseUnsupported(request, context)
      if (contextTokens !== undefined) refuseLong(request, contextTokens)
      refuseUnknownTokens(request.logit_bias, CODE_POINTS)
      const answer = echoAnswer(request, ({ param, ...asked }) => {
        const { signal, keyId = '' } = context
        return sandbox.run({ type: 'fit', ...asked }, [param], { signal, keyId })
      })
      // Only a schema makes the answer asynchronous.
      if (typeof answer === 'function') return echoLater(request, answer, context)
      return echo(request, answer, context)
    },
    close: () => sandbox.close(),
  }
}

/** Throws the 400 of a prompt that leaves no room for an answer. Few prompts are so long that their tokens must be counted. */
function refuseLong({ messages }: ChatCompletionRequest, contextTokens: number): void {
  const texts = messages.map(textOf)
  if (texts.reduce((sum, text) => sum + text.length, 0) < contextTokens) return
  const promptTokens = texts.reduce((sum, text) => sum + countCodePoints(text), 0)
  if (promptTokens >= contextTokens) throw tooLong({ promptTokens, contextTokens })
}

async function* echoLater(
  request: ChatCompletionRequest,
  answer: () => Promise<EchoAnswer>,
  context: GenerateContext,
): AsyncGenerator<Deltas> {
  for await (const deltas of echo(request, await answer(), context)) yield deltas
}

/** Makes the deltas of an answer, chunk by chunk. */
interface Maker {
  /** The number of tokens of one choice so far. */
  readonly tokens: number
  /** Adds the next chunk of each choice. Returns the reason of the end if there is no further chunk. */
  add(deltas: Delta[]): FinishReason | undefined
}

/** Throws the 400 of an answer that is too large. */
function makerOf(request: ChatCompletionRequest, answer: EchoAnswer, maxBytes: number): Maker {
  return 'calls' in answer
    ? callMaker(request, answer.calls, maxBytes)
    : new TextMaker(request, answer.text, maxBytes)
}

/** The deltas of all choices. The first ones are ready at once; a long answer is made in several turns of the event loop. */
function echo(request: ChatCompletionRequest, answer: EchoAnswer, context: GenerateContext): DeltaSource {
  const choices = request.n ?? 1
  let made: Maker | undefined
  // Reading a long text has filled this turn, so it is measured and cut in the next one.
  let begun = 'text' in answer && answer.text.length > LONG_TEXT
  let ended = false
  let prompt: number | undefined

  function part(): IteratorResult<Deltas> {
    const maker = (made ??= makerOf(request, answer, context.maxAnswerBytes))
    prompt ??= request.messages.reduce((sum, message) => sum + countCodePoints(textOf(message)), 0)
    const deltas: Delta[] = []
    while (!ended && deltas.length < DELTAS_AT_A_TIME) {
      const reason = maker.add(deltas)
      if (reason === undefined) continue
      ended = true
      for (let index = 0; index < choices; index += 1) deltas.push({ type: 'finish', index, reason })
      deltas.push({ type: 'usage', usage: usageOf(prompt, maker.tokens * choices) })
    }
    context.countTokens?.(prompt, maker.tokens * choices)
    return { done: false, value: deltas }
  }

  function next(): Soon<IteratorResult<Deltas>> {
    if (ended) return { done: true, value: undefined }
    if (begun)
      return immediate().then(() => {
        context.signal.throwIfAborted()
        return part()
      })
    begun = true
    return part()
  }

  return new DeltaSteps(next)
}

/** A class, because an object literal with a computed name costs a microsecond. */
class DeltaSteps implements DeltaSource {
  readonly next: () => Soon<IteratorResult<Deltas>>

  constructor(next: () => Soon<IteratorResult<Deltas>>) {
    this.next = next
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function usageOf(prompt: number, answer: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer }
}

/** Cuts a text into chunks of some tokens, up to a stop string, the token limit or its end. */
class TextMaker implements Maker {
  tokens = 0
  readonly #choices: number
  readonly #size: number
  /** Candidates to report for each token; undefined if the request wants no log probabilities. */
  readonly #top: number | undefined
  /** The text up to the token limit, and how much of it the stop filter has read. */
  readonly #within: string
  #read = 0
  /** Absent without stop strings, which few requests have. */
  readonly #filter: StopFilter | undefined
  /** The finish reason unless a stop string ends the text. */
  readonly #reason: FinishReason
  /** Text that cannot be a part of a stop string, its sent length, and the finish reason if it is the last text. */
  #sure = ''
  #sent = 0
  #end: FinishReason | undefined

  constructor(request: ChatCompletionRequest, text: string, maxBytes: number) {
    const all = withoutCodePoints(text, removedBy(request))
    const stops = stopsOf(request)
    this.#choices = request.n ?? 1
    this.#size = chunkSize(request)
    this.#top = request.logprobs === true ? (request.top_logprobs ?? 0) : undefined
    this.#within = firstCodePoints(all, tokenLimit(request))
    this.#reason = this.#within.length === all.length ? 'stop' : 'length'
    // A stop string counts only within the token limit, because a model that generates token by token stops there. The
    // length of the answer is not known yet.
    if (stops.length > 0) this.#filter = createStopFilter(stops)
    else {
      refuseLarge(request, this.#within, maxBytes, DELTA_TOKENS)
      this.#sure = this.#within
      this.#end = this.#reason
    }
  }

  add(deltas: Delta[]): FinishReason | undefined {
    if (this.#sent === this.#sure.length) {
      if (this.#end !== undefined) return this.#end
      this.#filterNext()
    }
    const start = this.#sent
    this.#sent = endAfter(this.#sure, start, this.#size)
    if (this.#sent > start) this.#show(this.#sure.slice(start, this.#sent), deltas)
    return undefined
  }

  #filterNext(): void {
    const start = this.#read
    this.#read = endAfter(this.#within, start, this.#size)
    this.#sent = 0
    if (this.#read > start) {
      const next = this.#filter?.push(this.#within.slice(start, this.#read))
      this.#sure = next?.text ?? ''
      if (next?.stopped === true) this.#end = 'stop'
    } else {
      this.#sure = this.#filter?.flush() ?? ''
      this.#end = this.#reason
    }
  }

  #show(text: string, deltas: Delta[]): void {
    const top = this.#top
    const logprobs = top === undefined ? undefined : Array.from(text, (token) => certain(token, top))
    this.tokens += logprobs?.length ?? countCodePoints(text)
    for (let index = 0; index < this.#choices; index += 1)
      deltas.push(
        logprobs === undefined ? { type: 'text', index, text } : { type: 'text', index, text, logprobs },
      )
  }
}

const NONE: ReadonlySet<number> = new Set()

/** The code points that `logit_bias` removes. */
function removedBy({ logit_bias: biases }: ChatCompletionRequest): ReadonlySet<number> {
  if (biases == null) return NONE
  return new Set(Object.entries(biases).flatMap(([id, bias]) => (bias === -100 ? Number(id) : [])))
}

function callMaker(request: ChatCompletionRequest, calls: readonly EchoCall[], maxBytes: number): Maker {
  for (const call of calls) refuseLarge(request, call.arguments, maxBytes, DELTA_TOKENS)
  const choices = request.n ?? 1
  const maker = {
    tokens: 0,
    add(deltas: Delta[]) {
      const step = steps.next()
      if (step.done === true) return step.value
      for (let index = 0; index < choices; index += 1) deltas.push(step.value(index))
      return undefined
    },
  }
  const steps = callSteps(request, calls, maker)
  return maker
}

/** The deltas of the calls, as functions of the choice, because all choices get the same ones. Adds their tokens to `count`. */
function* callSteps(
  request: ChatCompletionRequest,
  calls: readonly EchoCall[],
  count: { tokens: number },
): Generator<(index: number) => Delta, FinishReason> {
  const limit = tokenLimit(request)
  for (const [call, { name, arguments: json }] of calls.entries()) {
    const within = firstCodePoints(json, limit - count.tokens)
    yield (index) => ({ type: 'tool-call', index, call, id: newId('call_'), name, arguments: '' })
    for (const chunk of chunksOf(within, chunkSize(request))) {
      count.tokens += countCodePoints(chunk)
      yield (index) => ({ type: 'tool-call', index, call, arguments: chunk })
    }
    if (within.length < json.length) return 'length'
  }
  return 'tool_calls'
}

/** The tokens of one delta: many if the answer is not streamed. */
function chunkSize(request: ChatCompletionRequest): number {
  if (request.stream === true) return DELTA_TOKENS
  if (request.logprobs === true) return LOGPROB_DELTA_TOKENS
  return stopsOf(request).length > 0 ? SEARCHED_DELTA_TOKENS : PLAIN_DELTA_TOKENS
}

/** The log probability of a token that is certain. */
function certain(token: string, top: number): TokenLogprob {
  const candidate = { token, logprob: 0, bytes: token.isWellFormed() ? [...Buffer.from(token)] : null }
  return { ...candidate, top_logprobs: top > 0 ? [candidate] : [] }
}
