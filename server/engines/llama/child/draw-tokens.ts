// Draws the tokens of an answer, from exactly the distribution that is requested. The library draws if it can.
// Otherwise, or if its draws do not match the grammar, the whole distribution is read, which takes time in proportion
// to the vocabulary. A draw that is repeated without the refused tokens has the distribution of the others.
import type { LlamaModel, Token } from 'node-llama-cpp'
import type { TokenLogprob } from '../../../../spec/schemas/response.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GrammarState } from '../../constrained/grammar/byte-grammar.ts'
import {
  createEffort,
  MAX_PLACE_STEPS,
  MAX_TRY_STEPS,
  spend,
  within,
} from '../../constrained/grammar/effort.ts'
import type { BatchedSequence } from './batch-scheduler.ts'
import { createLibrarySampler, type LibrarySampler } from './library-sampler.ts'
import type { Sampling } from '../process/process-messages.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { SamplerPool } from './sampler-pool.ts'
import { createSampler, EXCLUDES_OTHERS } from '../../text/token-sampling.ts'

/** Stands for the logarithm of 0, which JSON cannot represent. */
const LEAST_LOGPROB = -9999

/** The number of preceding tokens that the tokenizer needs to decide whether a token begins with a space. */
const TOKENS_BEFORE = 4

/**
 * Maximum number of draws for one token, each without the tokens that were refused. They cost a fiftieth of the whole
 * distribution of a large vocabulary. The distribution of a small vocabulary is cheap, so it is read after one draw.
 */
const MOST_DRAWS = 24
const LARGE_VOCABULARY = 4096

/** The number of draws after which the library goes on only if fewer than half of them were refused. */
const LEAST_DRAWS = 8

/** How long tokens are tried before other answers get a turn, in milliseconds. */
const SLICE_MS = 10

export interface Drawn {
  readonly token: Token
  /** The probability from the model itself, before any sampling parameter; only if requested. */
  readonly logprob?: TokenLogprob
}

export interface DrawOptions {
  readonly model: LlamaModel
  readonly vocabulary: Vocabulary
  readonly samplers: SamplerPool
  readonly sampling: Sampling
  readonly topLogprobs: number | null
  /** The grammar of the answer, from its first byte; null for any text. */
  readonly grammar: GrammarState | null
  /** The most tokens. */
  readonly limit: number
}

/**
 * The tokens that follow `prompt`, which is not empty, up to the end of the answer, without its end token. A token is
 * evaluated while the caller handles it, unless the whole distribution is needed.
 */
export async function* drawTokens(
  sequence: BatchedSequence,
  prompt: readonly Token[],
  options: DrawOptions,
): AsyncGenerator<Drawn, void> {
  const { model, vocabulary, sampling, topLogprobs, grammar, limit } = options
  const biases = new Map<number, number>(sampling.bias)
  const sampler = createSampler<Token>({ ...sampling, bias: biases })
  const library =
    topLogprobs === null && canBias(options) ? createLibrarySampler(options.samplers, sampling) : undefined
  // With top_p, a draw without the refused tokens would be inexact: other tokens would join the likeliest.
  const exact = sampling.topP >= 1 || sampling.temperature === 0
  const mostDraws = exact && vocabulary.size >= LARGE_VOCABULARY ? MOST_DRAWS : 1
  const before = prompt.slice(-TOKENS_BEFORE)
  let state = grammar
  let draws = 0
  let refused = 0
  let next = begin(prompt)
  try {
    for (let given = 1; ; given += 1) {
      let probabilities: ReadonlyMap<Token, number> | undefined
      const first = await next
      let token: Token | undefined
      if (library !== undefined && first !== undefined) {
        token = await libraryDraw(library, first)
        draws += 1
        if (token === undefined) refused += 1
      }
      if (token === undefined) {
        probabilities = (await sequence.distribution()) as ReadonlyMap<Token, number>
        token = await drawFrom(probabilities)
      }
      if (token === undefined || model.isEogToken(token)) return
      sampler.accept(token)
      library?.accept(token)
      state = state === null ? null : (after(state, token) ?? null)
      const isLast = given === limit || state?.mustEnd === true
      if (!isLast) next = begin([token])
      yield topLogprobs === null || probabilities === undefined
        ? { token }
        : { token, logprob: logprobOf(token, { probabilities, topLogprobs, before, model, vocabulary }) }
      before.push(token)
      before.splice(0, before.length - TOKENS_BEFORE)
      if (isLast) return
    }
  } finally {
    await next.catch(() => {})
    if (library !== undefined) options.samplers.release(library.sampler)
  }

  /** Evaluates `tokens`. Returns the token that the library draws to follow them; undefined if it does not draw. */
  function begin(tokens: readonly Token[]): Promise<number | undefined> {
    const begun =
      library !== undefined && (draws < LEAST_DRAWS || refused * 2 < draws)
        ? sequence.evaluateAndDraw(tokens, library.sampler)
        : sequence.evaluate(tokens, { toGoOn: true }).then(() => undefined)
    // `next` is awaited later, and throws the failure then.
    begun.catch(() => {})
    return begun
  }

  /** Returns `first` if it fits, or another token that does; undefined if the library cannot draw one exactly, or finds none. */
  async function libraryDraw(library: LibrarySampler, first: number): Promise<Token | undefined> {
    try {
      let token = tokenOf(first)
      for (let draw = 1; !admits(token); draw += 1) {
        if (draw === mostDraws) return undefined
        library.exclude(token)
        token = tokenOf(await sequence.draw(library.sampler))
      }
      return token
    } finally {
      library.excludeNone()
    }
  }

  function admits(token: Token): boolean {
    if (state === null) return true
    if (model.isEogToken(token)) return state.mayEnd
    return vocabulary.bytesOf(token).length > 0 && after(state, token) !== undefined
  }

  function after(from: GrammarState, token: Token): GrammarState | undefined {
    const effort = createEffort(MAX_TRY_STEPS)
    const state = within(effort, () => from.after(vocabulary.bytesOf(token)))
    spend(MAX_TRY_STEPS - effort.left)
    return state
  }

  /** The first of `tokens` that is admitted. They may be the whole vocabulary, so the sequence pauses for long trials. */
  async function firstAdmitted(tokens: Iterable<Token>): Promise<Token | undefined> {
    const effort = createEffort(MAX_PLACE_STEPS)
    let sliceEnd = performance.now() + SLICE_MS
    let resume: (() => void) | undefined
    try {
      for (const token of tokens) {
        if (within(effort, () => admits(token))) return token
        if (performance.now() < sliceEnd) continue
        resume ??= sequence.pause()
        await nextTurn()
        sliceEnd = performance.now() + SLICE_MS
      }
      return undefined
    } finally {
      resume?.()
    }
  }

  async function drawFrom(probabilities: ReadonlyMap<Token, number>): Promise<Token | undefined> {
    const order = sampler.order(probabilities)
    if (state === null) return order.next().value ?? undefined
    const drawn = await firstAdmitted(order)
    if (drawn !== undefined && (probabilities.get(drawn) !== 0 || biases.get(drawn) === EXCLUDES_OTHERS)) {
      return drawn
    }
    // The model excludes every token that the grammar admits, so the grammar's shortest completion follows.
    const next = state.nextByte()
    return next === undefined ? undefined : vocabulary.ofByte(next)
  }
}

/** Returns whether the library can apply the biases: it cannot bias tokens that end an answer. */
function canBias({ model, sampling: { bias } }: DrawOptions): boolean {
  return bias.every(([token, added]) => added !== EXCLUDES_OTHERS && !model.isEogToken(tokenOf(token)))
}

/** The library gives token ids a type of their own; those of a request are numbers. */
function tokenOf(id: number): Token {
  return id as Token
}

interface TokenContext {
  readonly probabilities: ReadonlyMap<Token, number>
  readonly topLogprobs: number
  readonly before: readonly Token[]
  readonly model: LlamaModel
  readonly vocabulary: Vocabulary
}

function logprobOf(token: Token, context: TokenContext): TokenLogprob {
  const top = [...context.probabilities.keys().take(context.topLogprobs)]
  return { ...candidate(token, context), top_logprobs: top.map((other) => candidate(other, context)) }
}

function candidate(token: Token, { probabilities, before, model, vocabulary }: TokenContext) {
  const probability = probabilities.get(token) ?? 0
  const logprob = probability > 0 ? Math.min(0, Math.log(probability)) : LEAST_LOGPROB
  const plain = model.detokenize([token], false, before)
  // A marker has no text of its own, so its name is returned.
  const text = plain === '' ? model.detokenize([token], true) : plain
  return { token: text, logprob, bytes: [...vocabulary.bytesOfText(token, text)] }
}
