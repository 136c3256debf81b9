// Draws the tokens of an answer: by the library's own sampler where that does exactly what is asked, and otherwise
// from the whole distribution, which costs time with each token of the vocabulary.
import type { LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp'
import type { TokenLogprob } from '../../spec/response.ts'
import type { FormState } from './byte-grammar.ts'
import type { Sampling } from './llama-protocol.ts'
import { createSampler } from './sampling.ts'
import { byteToken, tokenBytes } from './llama-vocabulary.ts'
import { partialBytes, type Vocabulary } from './token-bytes.ts'

/** Stands for the log of 0, which JSON cannot say. */
const LEAST_LOGPROB = -9999

/** Tokens before one that decide on a space in front of it. */
const TOKENS_BEFORE = 4

/** No cut, so that the library tells every token's probability; its own draw is not used. */
const WHOLE_DISTRIBUTION = { temperature: 0, topK: 0, topP: 1, minP: 0, yieldEogToken: true } as const

export interface Drawn {
  readonly token: Token
  /** What the model itself said, before anything that the request asks for; where it asks for that. */
  readonly logprob?: TokenLogprob
}

export interface DrawOptions {
  readonly model: LlamaModel
  readonly vocabulary: Vocabulary
  readonly sampling: Sampling
  readonly topLogprobs: number | null
  /** What the answer must be, from its first byte; null for any text. */
  readonly form: FormState | null
}

/** The tokens that follow `prompt`, which is not empty, up to the end of the answer, whose token is not given. */
export async function* drawTokens(
  sequence: LlamaContextSequence,
  prompt: Token[],
  { model, vocabulary, sampling, topLogprobs, form }: DrawOptions,
): AsyncGenerator<Drawn, void> {
  const { temperature, topP, seed, bias, frequencyPenalty, presencePenalty } = sampling
  const plain = form === null && topLogprobs === null
  if (plain && bias.length === 0 && frequencyPenalty === 0 && presencePenalty === 0) {
    // Exactly temperature and top_p: no top-k, no min-p, no penalty of the library's own.
    for await (const token of sequence.evaluate(prompt, { temperature, topP, seed, topK: 0, minP: 0 })) {
      yield { token }
    }
    return
  }

  const biases = new Map<number, number>(bias)
  const sampler = createSampler<Token>({ ...sampling, bias: biases })
  let state = form
  const steps = sequence.evaluateWithMetadata(prompt, { probabilities: true }, WHOLE_DISTRIBUTION)
  try {
    const before = prompt.slice(-TOKENS_BEFORE)
    let step = await steps.next()
    while (step.done !== true) {
      const { probabilities } = step.value
      const token = drawFrom(probabilities)
      if (token === undefined || model.isEogToken(token)) return
      sampler.accept(token)
      state = state?.after(tokenBytes(model, vocabulary, token)) ?? null
      yield topLogprobs === null
        ? { token }
        : { token, logprob: logprobOf(token, { probabilities, topLogprobs, before, model, vocabulary }) }
      before.push(token)
      before.splice(0, before.length - TOKENS_BEFORE)
      if (state?.mustEnd === true) return
      step = await steps.next(token)
    }
  } finally {
    await steps.return()
  }

  function drawFrom(probabilities: ReadonlyMap<Token, number>): Token | undefined {
    const here = state
    if (here === null) return sampler.draw(probabilities)
    const drawn = sampler.draw(probabilities, (token) => {
      if (model.isEogToken(token)) return here.mayEnd
      const bytes = tokenBytes(model, vocabulary, token)
      return bytes.length > 0 && here.after(bytes) !== undefined
    })
    if (drawn !== undefined && (probabilities.get(drawn) !== 0 || biases.get(drawn) === 100)) return drawn
    // The model rules out all that the form admits; the form then goes on in the shortest way, and ends.
    const next = here.nextByte()
    return next === undefined ? undefined : byteToken(model, vocabulary, next)
  }
}

interface Place {
  readonly probabilities: ReadonlyMap<Token, number>
  readonly topLogprobs: number
  readonly before: readonly Token[]
  readonly model: LlamaModel
  readonly vocabulary: Vocabulary
}

function logprobOf(token: Token, place: Place): TokenLogprob {
  const top = [...place.probabilities.keys().take(place.topLogprobs)]
  return { ...candidate(token, place), top_logprobs: top.map((other) => candidate(other, place)) }
}

function candidate(token: Token, { probabilities, before, model, vocabulary }: Place) {
  const probability = probabilities.get(token) ?? 0
  const logprob = probability > 0 ? Math.min(0, Math.log(probability)) : LEAST_LOGPROB
  const plain = model.detokenize([token], false, before)
  // A marker has no text of its own, so it is told by its name.
  const text = plain === '' ? model.detokenize([token], true) : plain
  const whole = text.includes('\uFFFD') ? partialBytes(vocabulary, token) : undefined
  return { token: text, logprob, bytes: [...(whole ?? Buffer.from(text))] }
}
