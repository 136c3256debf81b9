// A search for the requests that cost a service most. Each request is a few numbers; those whose answers were the largest,
// the largest for their request, or the latest to begin are kept, and later requests differ from one of them in one number.
import * as fc from 'fast-check'
import { type Attack, lengthOf, type Piece, type Place } from './attack.ts'
import type { AttackSource } from './attacks.ts'
import { request } from './raw-requests.ts'
import type { Outcome } from './send-attack.ts'

/** The largest part of a body that is filled with text, in bytes. */
const MOST_TEXT_BYTES = 4_000_000

/** The requests that are kept for each measure of cost. */
const KEPT = 8

/** Small values are as likely as large ones of the same number of digits. */
const upTo = (most: number): fc.Arbitrary<number> =>
  fc.nat(1_000_000).map((share) => Math.round(most ** (share / 1_000_000)))

/** Characters of the text, as they are written in JSON: one of each length and each kind of escape. */
const UNITS = ['a', 'é', '字', '\u{1F600}', '\u007f', '\u2028', '\\"', '\\\\', '\\n', '\\u0001', '\\ud800']

const genes = fc.record({
  unit: fc.constantFrom(...UNITS),
  textBytes: upTo(MOST_TEXT_BYTES),
  n: upTo(128),
  /** Alternatives for each token; undefined: no log probabilities. */
  top: fc.option(fc.nat(20), { nil: undefined }),
  isStreamed: fc.boolean(),
  /** Characters of a stop string that nearly fits the text. */
  stop: fc.option(upTo(1000), { nil: undefined }),
  parts: upTo(500),
  messages: upTo(500),
  /** Functions that are offered; the text then asks for calls of one. */
  tools: fc.option(upTo(128), { nil: undefined }),
  isObject: fc.boolean(),
  /** How long the reader waits after the first bytes, in milliseconds. */
  stallMs: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, upTo(10_000)),
})

type Genes = typeof genes extends fc.Arbitrary<infer Value> ? Value : never

interface Kept {
  readonly genes: Genes
  readonly cost: number
}

const MEASURES: Readonly<Record<string, (outcome: Outcome, sent: number) => number>> = {
  size: ({ bytes }) => bytes,
  'size for each byte of the request': ({ bytes }, sent) => bytes / sent,
  'time to the first byte': ({ firstByteMs }) => firstByteMs ?? 0,
}

export function costlyRequests(model: string): AttackSource {
  const kept = new Map<string, readonly Kept[]>(Object.keys(MEASURES).map((name) => [name, []]))
  const made = new WeakMap<Attack, Genes>()

  function next(seed: number): Genes {
    const [fresh, coin] = fc.sample(fc.tuple(genes, fc.nat()), { seed, numRuns: 1 })[0] ?? []
    if (fresh === undefined || coin === undefined) throw new RangeError('an arbitrary gave no value')
    const best = [...kept.values()].flat()
    if (best.length === 0 || coin % 3 === 0) return fresh
    const parent = best[coin % best.length]?.genes ?? fresh
    const names = Object.keys(fresh) as (keyof Genes)[]
    const name = names[Math.floor(coin / 7) % names.length] ?? 'n'
    return { ...parent, [name]: fresh[name] }
  }

  return {
    at({ seed, connection, number }: Place) {
      const chosen = next((seed * 31 + connection) * 10_007 + number)
      const attack = attackOf(model, chosen)
      made.set(attack, chosen)
      return attack
    },
    learn(attack, outcome) {
      const chosen = made.get(attack)
      if (chosen === undefined) return
      const sent = lengthOf(attack.pieces)
      for (const [name, measure] of Object.entries(MEASURES)) {
        const all = [...(kept.get(name) ?? []), { genes: chosen, cost: measure(outcome, sent) }]
        kept.set(name, all.toSorted((a, b) => b.cost - a.cost).slice(0, KEPT))
      }
    },
  }
}

function attackOf(model: string, chosen: Genes): Attack {
  const { unit, textBytes, n, top, isStreamed, stop, tools, isObject, stallMs } = chosen
  const parts = Math.max(1, chosen.parts)
  const times = Math.max(1, Math.floor(textBytes / parts / Buffer.byteLength(unit)))
  const call = tools === undefined ? '' : '#call f0 '
  const options = {
    model,
    n: Math.max(1, n),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(top === undefined ? {} : { logprobs: true, ...(top > 0 ? { top_logprobs: top } : {}) }),
    ...(tools === undefined
      ? {}
      : { tools: Array.from({ length: Math.max(1, tools) }, (_, at) => tool(at)) }),
    ...(isObject && tools === undefined ? { response_format: { type: 'json_object' } } : {}),
  }
  const stopText: readonly Piece[] =
    stop === undefined ? [] : [{ text: ',"stop":["' }, { text: unit, times: stop }, { text: 'x"]' }]
  const part: readonly Piece[] = [{ text: unit, times }]
  const content: readonly Piece[] =
    parts === 1
      ? [{ text: `"${call}` }, ...part, { text: '"' }]
      : [
          { text: `[{"type":"text","text":"${call}` },
          ...Array.from({ length: parts - 1 }, () => [
            ...part,
            { text: '"},{"type":"text","text":"' },
          ]).flat(),
          ...part,
          { text: '"}]' },
        ]
  const body: readonly Piece[] = [
    { text: `${JSON.stringify(options).slice(0, -1)},"messages":[` },
    { text: '{"role":"user","content":"a"},', times: chosen.messages },
    { text: '{"role":"user","content":' },
    ...content,
    { text: '}]' },
    ...stopText,
    { text: '}' },
  ]
  return { kind: 'costly', pieces: request(body), ...(stallMs === undefined ? {} : { stallMs }) }
}

function tool(at: number): object {
  return { type: 'function', function: { name: `f${at}`, parameters: { type: 'object' } } }
}
