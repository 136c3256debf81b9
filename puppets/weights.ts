// The weights of a puppet, set by hand: a llama graph of one block that says scripts.
//
// Each token has a code of +1 and −1; different codes are nearly orthogonal. The heads copy codes into slots of the hidden
// state: one head the code of the last token that names a script, the others those of the tokens one, two and three back. A
// neuron of the feed-forward network fires if the slots hold what its step needs, and writes the code of the next token to
// the last slot, which alone the output matrix reads. Steps that need more outweigh those that need less, so that a
// script begins behind any prompt, and goes on behind its own tokens.
import { createRandom } from '../fixtures/tiny-model/random.ts'
import { SEEN } from './cut.ts'

/** A step with token ids; `script` is the token that names the script, if the step needs one. */
export interface TokenStep {
  readonly script: number | undefined
  readonly context: readonly number[]
  readonly next: number
}

/** The logical weights, row after row: a row for each output. Those of `q` and `k` are in pairs that rotate together. */
export interface Weights {
  readonly embedding: number
  readonly feedForward: number
  readonly matrices: Readonly<Record<MatrixName, Float32Array>>
}
export type MatrixName = 'embed' | 'q' | 'k' | 'v' | 'o' | 'gate' | 'up' | 'down' | 'output'

export const HEAD = 64
export const HEADS = SEEN
/** The base of the rotations: slow enough that the slowest ones hardly turn in a context of 16,384 tokens. */
export const ROPE_BASE = 100_000

const CODE = HEAD - 1
/** No two codes have a larger product, of at most 1. */
const MOST_ALIKE = 0.43
const UNIT = 1 / Math.sqrt(CODE)

/** The places of the hidden state: a constant, whether the token names a script and whether not, and the slots of codes. */
const CONSTANT = 0
const NAMES = 1
const NAMES_NOT = 2
const slot = (index: number): number => 3 + index * CODE
const CURRENT = 0
const SCRIPT = SEEN
const OUT = SEEN + 1
export const EMBEDDING = Math.ceil(slot(OUT + 1) / 32) * 32

/** The constant outweighs the codes, so that the norm of the hidden state hardly depends on them. */
const CONSTANT_VALUE = 4
const NORM = Math.sqrt(CONSTANT_VALUE ** 2 + 1 + SEEN + 1)
/** The factor that the first norm has, and the one that the second norm has with all slots full. */
const FIRST_SCALE = Math.sqrt(EMBEDDING) / Math.sqrt(CONSTANT_VALUE ** 2 + 2)
const SECOND_SCALE = Math.sqrt(EMBEDDING) / NORM

/** A neuron fires from this part of the last code on; one that does not fire is exp(−SHARPNESS × the missing part). */
const MARGIN = 0.28
const SHARPNESS = 160
/** The size of the output of the quietest neuron, which outweighs all else in the hidden state. */
const LOUDNESS = 50
const LOGITS = 400

/** Weights for `size` tokens that go these steps. */
export function buildWeights(size: number, steps: readonly TokenStep[], names: ReadonlySet<number>): Weights {
  const codes = createCodes(size)
  const code = (token: number): Int8Array => codes[token] ?? new Int8Array(CODE)
  const matrix = (rows: number, columns: number) => {
    const values = new Float32Array(rows * columns)
    const set = (row: number, column: number, value: number): void => {
      values[row * columns + column] = value
    }
    const setCode = (row: number, column: number, token: number, scale: number): void => {
      for (const [index, sign] of code(token).entries()) set(row, column + index, sign * UNIT * scale)
    }
    return { values, set, setCode }
  }

  const embed = matrix(size, EMBEDDING)
  const output = matrix(size, EMBEDDING)
  for (let token = 0; token < size; token += 1) {
    embed.set(token, CONSTANT, CONSTANT_VALUE)
    embed.set(token, names.has(token) ? NAMES : NAMES_NOT, 1)
    embed.setCode(token, slot(CURRENT), token, 1)
    output.setCode(token, slot(OUT), token, LOGITS / Math.sqrt(EMBEDDING))
  }

  const [q, k, v] = [
    matrix(HEADS * HEAD, EMBEDDING),
    matrix(HEADS * HEAD, EMBEDDING),
    matrix(HEADS * HEAD, EMBEDDING),
  ]
  const o = matrix(EMBEDDING, HEADS * HEAD)
  for (let head = 0; head < HEADS; head += 1) {
    for (const { pair, angle, score } of head === 0 ? latest() : back(head)) {
      const row = head * HEAD + pair * 2
      const size = Math.sqrt(score * Math.sqrt(HEAD)) / FIRST_SCALE
      q.set(row, CONSTANT, (Math.cos(angle) * size) / CONSTANT_VALUE)
      q.set(row + 1, CONSTANT, (Math.sin(angle) * size) / CONSTANT_VALUE)
      if (head === 0) k.set(row, NAMES, size)
      else k.set(row, CONSTANT, size / CONSTANT_VALUE)
    }
    for (let index = 0; index < CODE; index += 1) {
      v.set(head * HEAD + index, slot(CURRENT) + index, 1 / FIRST_SCALE)
      o.set(slot(head === 0 ? SCRIPT : head) + index, head * HEAD + index, 1)
    }
  }

  const [gate, up, down] = [
    matrix(steps.length, EMBEDDING),
    matrix(steps.length, EMBEDDING),
    matrix(EMBEDDING, steps.length),
  ]
  for (const [neuron, { script, context, next }] of steps.entries()) {
    const needed = context.length + (script === undefined ? 0 : 1)
    const scale = SHARPNESS / SECOND_SCALE
    gate.set(neuron, CONSTANT, (-(needed - MARGIN) * scale) / CONSTANT_VALUE)
    if (script !== undefined) gate.setCode(neuron, slot(SCRIPT), script, scale)
    for (const [index, token] of context.entries()) gate.setCode(neuron, slot(index), token, scale)
    up.set(neuron, CONSTANT, 1 / SECOND_SCALE / CONSTANT_VALUE)
    const loudness = (LOUDNESS * 4 ** rankOf(script, context)) / (SHARPNESS * MARGIN)
    for (const [index, sign] of code(next).entries())
      down.set(slot(OUT) + index, neuron, sign * UNIT * loudness)
  }
  const values = { embed, q, k, v, o, gate, up, down, output }
  return {
    embedding: EMBEDDING,
    feedForward: steps.length,
    matrices: Object.fromEntries(
      Object.entries(values).map(([name, { values }]) => [name, values]),
    ) as Weights['matrices'],
  }
}

/** The fallback is quieter than any script, and the beginning quieter than what follows a token. */
function rankOf(script: number | undefined, context: readonly number[]): number {
  if (script === undefined) return Math.min(context.length, 1)
  return 2 + Math.min(context.length, 2)
}

interface Rotation {
  readonly pair: number
  /** The angle of the query before the key, in radians, at distance 0. */
  readonly angle: number
  /** The part of the attention score, before the softmax. */
  readonly score: number
}

const frequency = (pair: number): number => ROPE_BASE ** (-(2 * pair) / HEAD)
const pairs = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** Looks at the tokens that name a script, and most at the last: slow rotations, of which some begin to turn away. */
function latest(): Rotation[] {
  return [
    ...pairs(25, 29).map((pair) => ({ pair, angle: Math.PI / 2, score: 1000 })),
    ...pairs(29, 32).map((pair) => ({ pair, angle: 0, score: 1400 })),
  ]
}

/** Looks at the token at this distance: rotations that agree there alone. */
function back(distance: number): Rotation[] {
  return pairs(0, 14).map((pair) => ({ pair, angle: -frequency(pair) * distance, score: 40 }))
}

/** Codes of which no two are alike; each run makes the same. */
function createCodes(count: number): Int8Array[] {
  const codes: Int8Array[] = []
  const next = createRandom()
  while (codes.length < count) {
    const code = Int8Array.from({ length: CODE }, () => (next() < 0 ? -1 : 1))
    const isAlike = (other: Int8Array): boolean => {
      let product = 0
      for (let index = 0; index < CODE; index += 1) product += (code[index] ?? 0) * (other[index] ?? 0)
      return Math.abs(product) > MOST_ALIKE * CODE
    }
    if (!codes.some(isAlike)) codes.push(code)
  }
  return codes
}
