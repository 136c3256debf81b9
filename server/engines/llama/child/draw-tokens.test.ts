// A drawn token of a large vocabulary that does not match the grammar is drawn again without it, and the whole
// distribution is requested only if that does not help.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LlamaModel, Token } from 'node-llama-cpp'
import { expect, test } from 'vitest'
import { begin } from '../../constrained/grammar/byte-grammar.ts'
import { anyObject } from '../../constrained/grammar/json-text-grammar.ts'
import type { BatchedSequence } from './batch-scheduler.ts'
import type { NativeSampler } from './native-llama.ts'
import { drawTokens } from './draw-tokens.ts'
import { createSamplerPool } from './sampler-pool.ts'
import { createVocabulary } from './vocabulary.ts'

const tokenOf = (character: string): Token => (character.codePointAt(0) ?? 0) as Token

/** Every token is a character, and 0 ends the answer. */
const model = {
  isEogToken: (token: Token) => token === 0,
  detokenize: (tokens: Token[]) => String.fromCodePoint(...tokens),
  tokens: { bos: null },
} as unknown as LlamaModel

/** The token drawn from a model that knows only `characters`, likeliest first. */
async function drawn(characters: string, { topP = 1, vocabulary = 5000, most = 2 } = {}) {
  let excluded: readonly number[] = []
  let distributions = 0
  let inFlight = 0
  const native: NativeSampler = {
    applyConfig({ tokenBiasKeys: tokens = new Uint32Array() }) {
      excluded = [...tokens]
    },
    dispose() {},
  }
  const likeliest = Array.from(characters, tokenOf)
  const draw = async () => likeliest.find((token) => !excluded.includes(token)) ?? 0
  const sequence: BatchedSequence = {
    keep: async () => {},
    evaluate: async () => {},
    async evaluateAndDraw() {
      inFlight += 1
      await nextTurn()
      inFlight -= 1
      return draw()
    },
    draw,
    async distribution() {
      distributions += 1
      return new Map(likeliest.map((token, place) => [token, 2 ** -(place + 1)]))
    },
    isAlone: () => true,
    pause: () => () => {},
    leave() {},
  }
  const options = {
    model,
    vocabulary: createVocabulary(model, {
      kind: 'gpt2',
      tokens: Array.from({ length: vocabulary }, () => ''),
    }),
    samplers: createSamplerPool(() => native),
    sampling: { temperature: 1, topP, seed: 1, bias: [], frequencyPenalty: 0, presencePenalty: 0 },
    topLogprobs: null,
    grammar: begin(anyObject),
    limit: Infinity,
  }
  let text = ''
  for await (const { token } of drawTokens(sequence, [tokenOf('a')], options)) {
    expect(excluded).toEqual([])
    text += String.fromCodePoint(token)
    if (text.length === most) break
  }
  // The sequence can be left now.
  expect(inFlight).toBe(0)
  return { text, distributions }
}

test('a token that does not fit is drawn again without it', async () => {
  expect(await drawn('ab{}')).toEqual({ text: '{}', distributions: 0 })
})

test('a reader that stops waits for the evaluation in flight', async () => {
  expect(await drawn('{}', { most: 1 })).toEqual({ text: '{', distributions: 0 })
})

test('the whole distribution is asked where too many do not fit', async () => {
  const many = String.fromCodePoint(...Array.from({ length: 40 }, (_, index) => 0x4e00 + index))
  expect(await drawn(`${many}{}`)).toEqual({ text: '{}', distributions: 2 })
})

test('it is asked at once where the draw would not be as exact, or where it is cheap', async () => {
  expect(await drawn('ab{}', { topP: 0.99 })).toEqual({ text: '{}', distributions: 2 })
  expect(await drawn('ab{}', { vocabulary: 300 })).toEqual({ text: '{}', distributions: 2 })
})
