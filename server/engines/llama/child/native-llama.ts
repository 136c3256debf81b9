// Parts of node-llama-cpp that its classes use and that it does not export: batches, and the sampling of one token. Its
// public functions take a lock, a generator and a new configuration for each token, which costs as much as the
// arithmetic of a small model. package.json pins the exact version, and the tests of the engine cover all of this.
import type { Llama, LlamaContext, LlamaModel } from 'node-llama-cpp'

/**
 * Options of CMake, which also identify the library that was compiled here: the instructions of this processor, and
 * OpenMP, whose threads wait for each other without sleeping.
 */
export const BUILD_OPTIONS = { GGML_NATIVE: 'ON', GGML_OPENMP: 'ON' } as const

/**
 * The context of llama.cpp. While a batch is decoded, only `sampleToken` may be called, which waits for its end if the pool
 * has one thread.
 */
export interface NativeContext {
  /** Begins a batch with room for this number of tokens. */
  initBatch(tokens: number): void
  /** Returns for each index in `logits` the position of its logits. */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array
  decodeBatch(): Promise<void>
  /** The drawn token; with `probabilities`, also those of all tokens, likeliest first: token, probability, token … */
  sampleToken(logits: number, sampler: NativeSampler): Promise<number>
  sampleToken(logits: number, sampler: NativeSampler, probabilities: true): Promise<[number, number[]]>
  /** Forgets the positions from `from` up to `to`, −1 for all; false if the model cannot forget a part. */
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean
}

export interface NativeSampler {
  /** An absent parameter is off; a temperature of 0 takes the likeliest token. */
  applyConfig(config: SamplerConfig): void
  dispose(): void
}

export interface SamplerConfig {
  readonly temperature: number
  /** Below 1. */
  readonly topP?: number
  readonly seed?: number
  /** Values added to the logits of these tokens. */
  readonly tokenBiasKeys?: Uint32Array
  readonly tokenBiasValues?: Float32Array
}

export function nativeContext(context: LlamaContext): NativeContext {
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext }
  return native
}

export function createNativeSampler(llama: Llama, model: LlamaModel): NativeSampler {
  const { _model: native } = model as unknown as { readonly _model: object }
  const { _bindings: bindings } = llama as unknown as {
    readonly _bindings: { readonly AddonSampler: new (model: object) => NativeSampler }
  }
  return new bindings.AddonSampler(native)
}
