// Reuses samplers of the library: each has memory for all tokens of the vocabulary, and the garbage collector, which does
// not see that memory, would free it late.
import type { NativeSampler } from './native-llama.ts'

/** The library replaces this seed by a random one. No request has it, so the next seed always differs. */
const NO_SEED = 2 ** 32 - 1

export type SamplerPool = ReturnType<typeof createSamplerPool>

export function createSamplerPool(create: () => NativeSampler) {
  const idle: NativeSampler[] = []
  return {
    /** An unused sampler. The caller must set its whole configuration, with a seed if it draws. */
    take: () => idle.pop() ?? create(),
    release(sampler: NativeSampler): void {
      // Setting the same seed again would not restart the random numbers.
      sampler.applyConfig({ temperature: 1, seed: NO_SEED })
      idle.push(sampler)
    },
    /** Frees the unused samplers. */
    dispose(): void {
      for (const sampler of idle.splice(0)) sampler.dispose()
    },
  }
}
