// A puppet as a folder of the Hugging Face libraries.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { f32 } from '../fixtures/tiny-model/gguf.ts'
import type { BuiltPuppet } from './build-puppet.ts'
import type { Vocabulary } from './tokens.ts'
import { EMBEDDING, HEAD, HEADS, type MatrixName, ROPE_BASE, type Weights } from './weights.ts'
import { CONTEXT, NORM_EPSILON } from './write-gguf.ts'

const LAYER = 'model.layers.0'
const NAMES: Readonly<Record<MatrixName, string>> = {
  embed: 'model.embed_tokens.weight',
  q: `${LAYER}.self_attn.q_proj.weight`,
  k: `${LAYER}.self_attn.k_proj.weight`,
  v: `${LAYER}.self_attn.v_proj.weight`,
  o: `${LAYER}.self_attn.o_proj.weight`,
  gate: `${LAYER}.mlp.gate_proj.weight`,
  up: `${LAYER}.mlp.up_proj.weight`,
  down: `${LAYER}.mlp.down_proj.weight`,
  output: 'lm_head.weight',
}
const NORMS = [
  `${LAYER}.input_layernorm.weight`,
  `${LAYER}.post_attention_layernorm.weight`,
  'model.norm.weight',
]

export function writeHuggingFace(
  { family }: BuiltPuppet,
  vocabulary: Vocabulary,
  weights: Weights,
  chatTemplate: string,
  folder: string,
): void {
  const { tokens, types, idOf, ordinary } = vocabulary
  const ends = [...new Set([family.end, family.endOfCalls ?? family.end])]
  const begin = family.begin === undefined ? null : idOf(family.begin)
  const json = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`)
  mkdirSync(folder, { recursive: true })
  const [id] = ends.map(idOf)
  json('config.json', {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: tokens.length,
    hidden_size: EMBEDDING,
    intermediate_size: weights.feedForward,
    num_hidden_layers: 1,
    num_attention_heads: HEADS,
    num_key_value_heads: HEADS,
    head_dim: HEAD,
    hidden_act: 'silu',
    rms_norm_eps: NORM_EPSILON,
    rope_theta: ROPE_BASE,
    rope_parameters: { rope_type: 'default', rope_theta: ROPE_BASE },
    max_position_embeddings: CONTEXT,
    tie_word_embeddings: false,
    attention_bias: false,
    mlp_bias: false,
    bos_token_id: begin,
    eos_token_id: ends.length === 1 ? id : ends.map(idOf),
    torch_dtype: 'float32',
  })
  json('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens.slice(ordinary).map((content, index) => ({
      id: ordinary + index,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: types[ordinary + index] === 3,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.slice(0, ordinary).map((token, index) => [token, index])),
      merges: [],
    },
  })
  json('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    model_max_length: CONTEXT,
    bos_token: family.begin ?? null,
    eos_token: family.end,
    clean_up_tokenization_spaces: false,
  })
  writeFileSync(join(folder, 'chat_template.jinja'), chatTemplate)
  writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors(weights))
}

/** The format of safetensors: the length of the header, the header as JSON, the tensors. */
function encodeSafetensors({ matrices, embedding }: Weights): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const data: Uint8Array[] = []
  let offset = 0
  const add = (name: string, shape: readonly number[], values: Float32Array): void => {
    const bytes = f32(values)
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + bytes.length] }
    offset += bytes.length
    data.push(bytes)
  }
  for (const [matrix, name] of Object.entries(NAMES) as [MatrixName, string][]) {
    const values = matrices[matrix]
    const columns = matrix === 'down' ? values.length / embedding : matrix === 'o' ? HEAD * HEADS : embedding
    add(
      name,
      [values.length / columns, columns],
      matrix === 'q' || matrix === 'k' ? halves(values, embedding) : values,
    )
  }
  for (const name of NORMS) add(name, [embedding], new Float32Array(embedding).fill(1))
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...data])
}

/** The rows of a head with its pairs apart: all first members, then all second members. */
function halves(values: Float32Array, columns: number): Float32Array {
  const moved = new Float32Array(values.length)
  for (let row = 0; row < HEADS * HEAD; row += 1) {
    const [head, inHead] = [Math.floor(row / HEAD), row % HEAD]
    const to = head * HEAD + Math.floor(inHead / 2) + (inHead % 2) * (HEAD / 2)
    moved.set(values.subarray(row * columns, (row + 1) * columns), to * columns)
  }
  return moved
}
