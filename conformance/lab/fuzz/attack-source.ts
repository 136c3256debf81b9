// All attacks: hostile bodies in plain, slow and abandoned requests, and malformed HTTP. Each attack depends only on
// the seed of the run and its place in the run.
import * as fc from 'fast-check'
import { type Attack, lengthOf, type Position } from './attack.ts'
import { type Body, hostileBody } from './chat-bodies.ts'
import { rawRequest, request } from './raw-requests.ts'
import type { Outcome } from './send-attack.ts'

/** How long a reader stalls, and after how long a client leaves, in milliseconds. */
const STALL_MS = { min: 100, max: 1_000 }
const LONG_STALL_MS = { min: 1_000, max: 20_000 }
const LEAVE_MS = { min: 0, max: 1_500 }

/** The most parts in which a slow body comes, and the most time between two of them, in milliseconds. */
const SLOW_PARTS = 20
const SLOW_PAUSE_MS = 200

export interface AttackSource {
  at(place: Position): Attack
  learn?(attack: Attack, outcome: Outcome): void
}

export function attacksOn(model: string): AttackSource {
  const body = hostileBody(model)
  const plain = body.map(({ kind, pieces }): Attack => ({ kind, pieces: request(pieces) }))
  const attack = fc.oneof(
    { weight: 40, arbitrary: plain },
    {
      weight: 1,
      arbitrary: fc
        .tuple(body, fc.integer({ min: 1, max: SLOW_PARTS }), fc.integer({ min: 1, max: SLOW_PAUSE_MS }))
        .map(([slow, parts, everyMs]) => slowBody(slow, parts, everyMs)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(plain, fc.oneof({ weight: 5, arbitrary: fc.integer(STALL_MS) }, fc.integer(LONG_STALL_MS)))
        .map(([{ pieces }, stallMs]): Attack => ({ kind: 'slow reader', pieces, stallMs })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(plain, fc.integer(LEAVE_MS))
        .map(([{ pieces }, leaveMs]): Attack => ({ kind: 'leaves', pieces, leaveMs })),
    },
    { weight: 8, arbitrary: rawRequest(body) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(rawRequest(body), fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([{ pieces }, share]): Attack => ({ kind: 'half-closed', pieces, share })),
    },
  )
  return { at: (place) => sampleAt(attack, place) }
}

/** A value that depends only on the position, so that an attack can be repeated without those before it. */
export function sampleAt<Value>(values: fc.Arbitrary<Value>, { seed, connection, number }: Position): Value {
  const [value] = fc.sample(values, { seed: mix(mix(mix(0, seed), connection), number), numRuns: 1 })
  return value ?? never()
}

function never(): never {
  throw new RangeError('an arbitrary gave no value')
}

/** Stirs a number into a seed of 32 bits. */
function mix(seed: number, value: number): number {
  let mixed = Math.imul(seed ^ value ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function slowBody({ pieces }: Body, parts: number, everyMs: number): Attack {
  const bytes = Math.ceil(lengthOf(pieces) / parts) + 1
  return { kind: 'slow body', pieces: request(pieces), pace: { bytes, everyMs } }
}
