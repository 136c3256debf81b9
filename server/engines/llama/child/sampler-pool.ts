// Samplers of the library that are used again: each holds memory for every token of the vocabulary, and what is only
// left to the garbage collector, which does not see that memory, is freed late.
import type { NativeSampler } from './native.ts'

/** The library draws a seed of its own for this one, which no request has: so the next seed is always another. */
const NO_SEED = 2 ** 32 - 1

export interface SamplerPool {
  /** One that nobody else has; it must be configured as a whole, with a seed if it draws. */
  take(): NativeSampler
  release(sampler: NativeSampler): void
  /** Frees those that nobody has. */
  dispose(): void
}

export function createSamplerPool(create: () => NativeSampler): SamplerPool {
  const idle: NativeSampler[] = []
  return {
    take: () => idle.pop() ?? create(),
    release(sampler) {
      // A seed that is the same as before would go on where that draw ended.
      sampler.applyConfig({ temperature: 1, seed: NO_SEED })
      idle.push(sampler)
    },
    dispose() {
      for (const sampler of idle.splice(0)) sampler.dispose()
    },
  }
}
