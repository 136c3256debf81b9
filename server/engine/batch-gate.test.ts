// Members of a gate pass it together, however they come, go and give up.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatchGate } from './batch-gate.ts'

test('every member takes its steps, all of them in each batch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 6 }),
      async (members) => {
        const batches: number[] = []
        let inBatch = 0
        const gate = createBatchGate(() => {
          batches.push(inBatch)
          inBatch = 0
        })
        const joined = members.map(([steps, late]) => ({ steps, late, member: gate.join() }))
        await Promise.all(
          joined.map(async ({ steps, late, member }) => {
            for (let step = 0; step < steps; step += 1) {
              for (let turn = 0; turn < late; turn += 1) await Promise.resolve()
              await member.ready()
              inBatch += 1
            }
            member.leave()
            member.leave()
          }),
        )
        batches.push(inBatch)
        const most = Math.max(...members.map(([steps]) => steps))
        const sizes = Array.from(
          { length: most },
          (_, batch) => members.filter(([steps]) => steps > batch).length,
        )
        expect(batches.filter((size) => size > 0)).toEqual(sizes)
      },
    ),
  )
})

test('a member that joins later waits for those under way, and they for it', async () => {
  const gate = createBatchGate(() => {})
  const [first, second] = [gate.join(), gate.join()]
  const passed: string[] = []
  const pass = async (name: string, member: { ready(): Promise<void> }) => {
    await member.ready()
    passed.push(name)
  }
  const one = pass('first', first)
  const third = gate.join()
  const two = pass('second', second)
  await Promise.resolve()
  expect(passed).toEqual([])
  third.leave()
  await Promise.all([one, two])
  expect(passed).toEqual(['first', 'second'])
})
