// Configures a sampler of the library for one answer, so that it draws exactly as the request says.
import type { Sampling } from '../process/process-messages.ts'
import { REMOVES } from '../../text/token-sampling.ts'
import type { SamplerConfig } from './native-llama.ts'
import type { SamplerPool } from './sampler-pool.ts'

export type LibrarySampler = ReturnType<typeof createLibrarySampler>

/** Applies exactly temperature, top_p, biases and penalties: no top-k, no min-p, no penalty of the library's own. */
export function createLibrarySampler(samplers: SamplerPool, sampling: Sampling) {
  const { temperature, topP, seed, bias, frequencyPenalty, presencePenalty } = sampling
  const punishes = frequencyPenalty !== 0 || presencePenalty !== 0
  const counts = new Map<number, number>()
  const excluded = new Set<number>()
  const sampler = samplers.take()
  configure()

  function configure(): void {
    const draws = temperature === 0 ? {} : { seed, ...(topP < 1 ? { topP } : {}) }
    sampler.applyConfig({ temperature, ...draws, ...biases() })
  }

  function biases(): Partial<SamplerConfig> {
    const added = new Map<number, number>(bias)
    for (const [token, count] of counts) {
      added.set(token, (added.get(token) ?? 0) - count * frequencyPenalty - presencePenalty)
    }
    for (const [token, logit] of bias) if (logit === REMOVES) added.set(token, -Infinity)
    for (const token of excluded) added.set(token, -Infinity)
    if (added.size === 0) return {}
    return {
      tokenBiasKeys: Uint32Array.from(added.keys()),
      tokenBiasValues: Float32Array.from(added.values()),
    }
  }

  return {
    sampler,
    /** Counts a token as taken, for the penalties. */
    accept(token: number): void {
      if (!punishes) return
      counts.set(token, (counts.get(token) ?? 0) + 1)
      configure()
    },
    /** Draws this token no more, until `excludeNone`. */
    exclude(token: number): void {
      excluded.add(token)
      configure()
    },
    excludeNone(): void {
      if (excluded.size === 0) return
      excluded.clear()
      configure()
    },
  }
}
