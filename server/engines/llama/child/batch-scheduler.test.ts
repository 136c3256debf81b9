// Sequences advance together, however they come, go and give up: each of their tokens is evaluated once and in its
// place, every batch holds all that are in flight in the order of the context, and nothing happens beside a batch.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BatchedSequence, createBatches, type EvaluateOptions, shares } from './batch-scheduler.ts'
import type { NativeContext, NativeSampler } from './native-llama.ts'

interface Item {
  readonly sequence: number
  readonly position: number
  readonly tokens: readonly number[]
}

const sampler: NativeSampler = { applyConfig() {}, dispose() {} }

/** A context whose cells are lists, and which draws the sum of all that a sequence holds. */
function fakeContext({ failures = 0 } = {}) {
  let failing = failures
  const batches: Item[][] = []
  const cells = new Map<number, number[]>()
  let batch: Item[] = []
  let drawsFor: number[] = []
  let decoding = false
  /** The work of the one thread of the pool. */
  let pool: Promise<unknown> = Promise.resolve()
  const cellsOf = (sequence: number): number[] => cells.get(sequence) ?? []
  async function sampleToken(logits: number, _: NativeSampler, probabilities?: true) {
    await pool
    expect(decoding).toBe(false)
    const sum = cellsOf(drawsFor[logits] ?? NaN).reduce((all, token) => all + token, 0)
    return probabilities === undefined ? sum : [sum, [sum, 0.75, 1, 0.25]]
  }
  async function decode() {
    decoding = true
    await new Promise((resolve) => setImmediate(resolve))
    decoding = false
    if (failing > 0) {
      failing -= 1
      throw new Error('out of memory')
    }
    for (const { sequence, position, tokens } of batch) {
      expect(position).toBe(cellsOf(sequence).length)
      cells.set(sequence, [...cellsOf(sequence), ...tokens])
    }
    batches.push(batch)
  }
  const context = {
    initBatch() {
      expect(decoding).toBe(false)
      batch = []
      drawsFor = []
    },
    addToBatch(sequence, position, tokens, logits) {
      batch.push({ sequence, position, tokens: [...tokens] })
      expect([...logits]).toEqual(logits.length === 0 ? [] : [tokens.length - 1])
      return Uint32Array.from(logits, () => drawsFor.push(sequence) - 1)
    },
    decodeBatch() {
      const decoded = decode()
      pool = decoded.catch(() => {})
      return decoded
    },
    sampleToken: sampleToken as NativeContext['sampleToken'],
    removeTokenCellsFromSequence(sequence, from, to) {
      expect(decoding).toBe(false)
      expect(to).toBe(-1)
      cells.set(sequence, cellsOf(sequence).slice(0, from))
      return true
    },
  } satisfies NativeContext
  return { context, batches, cellsOf }
}

const members = fc.array(
  fc.record({
    prompt: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
    steps: fc.nat(4),
    late: fc.nat(3),
    atOnce: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
)

test('every sequence gets its tokens, all that are in flight in each batch, in the order of the context', async () => {
  await fc.assert(
    fc.asyncProperty(members, fc.integer({ min: 5, max: 40 }), async (all, size) => {
      const { context, batches, cellsOf } = fakeContext()
      const { join } = createBatches({ context, size, greedy: sampler, onBatch() {} })
      const joined = all.map((member, index) => ({ ...member, sequence: join(index) }))
      const given = await Promise.all(
        joined.toReversed().map(async ({ sequence, prompt, steps, late, atOnce }) => {
          const whole = [...prompt]
          let pending: readonly number[] = prompt
          for (let step = 0; step < steps; step += 1) {
            for (let turn = 0; turn < late; turn += 1) await Promise.resolve()
            if (!atOnce) await sequence.evaluate(pending, { toGoOn: true })
            const drawn = await (atOnce ? sequence.evaluateAndDraw(pending, sampler) : sequence.draw(sampler))
            expect(drawn).toBe(whole.reduce((sum, token) => sum + token, 0))
            pending = [drawn]
            whole.push(drawn)
          }
          sequence.leave()
          sequence.leave()
          return whole.slice(0, whole.length - 1)
        }),
      )
      for (const [index, tokens] of given.toReversed().entries()) {
        expect(cellsOf(index)).toEqual(all[index]?.steps === 0 ? [] : tokens)
      }
      for (const batch of batches) {
        const order = batch.map(({ sequence }) => sequence)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
        expect(batch.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeLessThanOrEqual(size)
      }
      expect(batches[0]?.length ?? 0).toBe(all.filter(({ steps }) => steps > 0).length)
    }),
  )
})

test('one that joins later waits for the batch in flight, and the others for it', async () => {
  const { context, batches } = fakeContext()
  const { join } = createBatches({ context, size: 8, greedy: sampler, onBatch() {} })
  const first = join(0)
  const early = first.evaluate([1], { toGoOn: true })
  const second = join(1)
  await second.keep(0)
  await early
  const later = first.evaluate([2])
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toHaveLength(1)
  await Promise.all([later, second.evaluate([5, 6])])
  expect(batches[1]?.map(({ sequence }) => sequence)).toEqual([0, 1])
})

test('what follows can be drawn and reported as often as is wanted, until more is evaluated', async () => {
  const { context } = fakeContext()
  const { join } = createBatches({ context, size: 8, greedy: sampler, onBatch() {} })
  const sequence = join(0)
  await expect(sequence.draw(sampler)).rejects.toThrow('nothing was evaluated')
  await sequence.evaluate([3, 4], { toGoOn: true })
  expect([await sequence.draw(sampler), await sequence.draw(sampler)]).toEqual([7, 7])
  const probabilities = await sequence.distribution()
  expect([...probabilities]).toEqual([
    [7, 0.75],
    [1, 0.25],
  ])
  await sequence.evaluate([5])
  await expect(sequence.draw(sampler)).rejects.toThrow('nothing was evaluated')
})

test('the others do not wait for a sequence that is paused, and wait for it again afterwards', async () => {
  const { context, batches } = fakeContext()
  const { join } = createBatches({ context, size: 8, greedy: sampler, onBatch() {} })
  const [first, second] = [join(0), join(1)]
  await Promise.all([first.evaluate([1]), second.evaluate([2])])
  const alone = first.evaluate([3])
  const resume = second.pause()
  await alone
  resume()
  await Promise.all([first.evaluate([4]), second.evaluate([5])])
  expect(batches.map((batch) => batch.map(({ tokens }) => tokens))).toEqual([[[1], [2]], [[3]], [[4], [5]]])
})

test('a batch that fails fails for all that are in it, and the next one works', async () => {
  const { context, cellsOf } = fakeContext({ failures: 1 })
  const { join } = createBatches({ context, size: 8, greedy: sampler, onBatch() {} })
  const [first, second] = [join(0), join(1)]
  const failed = await Promise.allSettled([first.evaluate([1]), second.evaluateAndDraw([2], sampler)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  second.leave()
  await first.keep(0)
  await first.evaluate([3])
  expect(cellsOf(0)).toEqual([3])
})

test('tokens that are too many for a batch are shared out', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      fc.nat(300),
      (lengths, more) => {
        const size = lengths.length + more
        const amounts = shares(lengths, size)
        expect(amounts.every((amount, place) => amount > 0 && amount <= (lengths[place] ?? 0))).toBe(true)
        const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
        expect(sum(amounts)).toBe(Math.min(sum(lengths), size))
      },
    ),
  )
})

test('an evaluation apart takes turns with the batches of the others', async () => {
  const { context, batches } = fakeContext()
  const { join } = createBatches({ context, size: 8, greedy: sampler, onBatch() {} })
  const [first, second, third] = [join(0), join(1), join(2)]
  expect(first.isAlone()).toBe(false)
  async function repeat(sequence: BatchedSequence, options: EvaluateOptions): Promise<void> {
    for (const token of [1, 2, 3]) await sequence.evaluate([token, token], options)
    sequence.leave()
  }
  await Promise.all([repeat(first, {}), repeat(second, { isApart: true }), repeat(third, {})])
  const together = [0, 2]
  const sequences = batches.map((batch) => batch.map(({ sequence }) => sequence))
  expect(sequences).toEqual([together, [1], together, [1], together, [1]])
})
