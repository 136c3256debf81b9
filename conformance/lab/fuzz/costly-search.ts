// A search for the requests that cost a service most. A few numbers describe a request. The search keeps the requests whose answers
// were the largest, the largest for their request, or the latest to begin; each later request changes one number of a kept one.
import * as fc from 'fast-check'
import { type Attack, lengthOf, type Position } from './attack.ts'
import type { AttackSource } from './attack-source.ts'
import { type Costs, bodyOf, costs } from './costly-bodies.ts'
import { request } from './raw-requests.ts'
import type { Outcome } from './send-attack.ts'

/** The requests that are kept for each measure of cost. */
const KEPT = 8

interface Kept {
  readonly costs: Costs
  readonly cost: number
}

const MEASURES: Readonly<Record<string, (outcome: Outcome, sent: number) => number>> = {
  size: ({ bytes }) => bytes,
  'size for each byte of the request': ({ bytes }, sent) => bytes / sent,
  'time to the first byte': ({ firstByteMs }) => firstByteMs ?? 0,
}

export function costlyRequests(model: string): AttackSource {
  const kept = new Map<string, readonly Kept[]>(Object.keys(MEASURES).map((name) => [name, []]))
  const made = new WeakMap<Attack, Costs>()

  function next(seed: number): Costs {
    const [fresh, coin] = fc.sample(fc.tuple(costs, fc.nat()), { seed, numRuns: 1 })[0] ?? []
    if (fresh === undefined || coin === undefined) throw new RangeError('an arbitrary gave no value')
    const best = [...kept.values()].flat()
    if (best.length === 0 || coin % 3 === 0) return fresh
    const parent = best[coin % best.length]?.costs ?? fresh
    const names = Object.keys(fresh) as (keyof Costs)[]
    const name = names[Math.floor(coin / 7) % names.length] ?? 'n'
    return { ...parent, [name]: fresh[name] }
  }

  return {
    at({ seed, connection, number }: Position) {
      const chosen = next((seed * 31 + connection) * 10_007 + number)
      const { stallMs } = chosen
      const pieces = request(bodyOf(model, chosen))
      const attack: Attack = { kind: 'costly', pieces, ...(stallMs === undefined ? {} : { stallMs }) }
      made.set(attack, chosen)
      return attack
    },
    learn(attack, outcome) {
      const chosen = made.get(attack)
      if (chosen === undefined) return
      const sent = lengthOf(attack.pieces)
      for (const [name, measure] of Object.entries(MEASURES)) {
        const all = [...(kept.get(name) ?? []), { costs: chosen, cost: measure(outcome, sent) }]
        kept.set(name, all.toSorted((a, b) => b.cost - a.cost).slice(0, KEPT))
      }
    },
  }
}
