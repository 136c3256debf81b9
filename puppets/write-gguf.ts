// A puppet as a GGUF file.
import { f32 } from '../fixtures/tiny-model/gguf.ts'
import { encodeLlama } from '../fixtures/tiny-model/llama-graph.ts'
import type { BuiltPuppet } from './build-puppet.ts'
import type { Vocabulary } from './tokens.ts'
import { EMBEDDING, HEAD, HEADS, type MatrixName, ROPE_BASE, type Weights } from './weights.ts'

export const CONTEXT = 16_384
export const NORM_EPSILON = 1e-6

const NAMES: Readonly<Record<string, MatrixName>> = {
  'token_embd.weight': 'embed',
  'blk.0.attn_q.weight': 'q',
  'blk.0.attn_k.weight': 'k',
  'blk.0.attn_v.weight': 'v',
  'blk.0.attn_output.weight': 'o',
  'blk.0.ffn_gate.weight': 'gate',
  'blk.0.ffn_up.weight': 'up',
  'blk.0.ffn_down.weight': 'down',
  'output.weight': 'output',
}

/** Pairs of rotations lie beside each other, as the logical weights have them. */
export function encodeGgufPuppet(
  { family, puppet }: BuiltPuppet,
  { tokens, types, idOf }: Vocabulary,
  weights: Weights,
  chatTemplate: string,
): Uint8Array {
  return encodeLlama({
    contextLength: CONTEXT,
    embedding: EMBEDDING,
    feedForward: weights.feedForward,
    blocks: 1,
    heads: HEADS,
    head: HEAD,
    normEpsilon: NORM_EPSILON,
    ropeBase: ROPE_BASE,
    tokens,
    tokenTypes: types,
    endToken: idOf(family.end),
    ...(family.endOfCalls !== undefined && { endOfCallsToken: idOf(family.endOfCalls) }),
    ...(family.begin !== undefined && { beginToken: idOf(family.begin) }),
    general: { name: puppet.model },
    chatTemplate,
    norm: 1,
    matrix(name) {
      const matrix = NAMES[name]
      if (matrix === undefined) throw new Error(`${name} is not a matrix of the graph`)
      return { type: 'F32', data: f32(weights.matrices[matrix]) }
    },
    hasOutput: true,
  })
}
