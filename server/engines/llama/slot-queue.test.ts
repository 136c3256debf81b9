// Never more holders than slots, first come first served, a bounded queue, and no slot lost when a caller gives up.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSlotQueue } from './slot-queue.ts'

const never = new AbortController().signal
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('createSlotQueue', () => {
  it('keeps its promises under any order of coming, leaving and giving up', async () => {
    const step = fc.constantFrom('come', 'release', 'give up')
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 40 }),
        async (slots, steps) => {
          const queue = createSlotQueue({ slots, maxWaiting: Infinity })
          const holders: { id: number; release: () => void }[] = []
          let expected: { id: number; controller: AbortController }[] = []
          let next = 0
          for (const step of steps) {
            if (step === 'come') {
              const id = next
              next += 1
              const controller = new AbortController()
              expected.push({ id, controller })
              queue.acquire(controller.signal).then(
                (release) => holders.push({ id, release }),
                () => {},
              )
            } else if (step === 'release') {
              const holder = holders.shift()
              holder?.release()
              holder?.release()
              expected = expected.filter(({ id }) => id !== holder?.id)
            } else {
              const last = expected.at(-1)
              if (last !== undefined && !holders.some(({ id }) => id === last.id)) {
                last.controller.abort(new Error('gone'))
                expected.pop()
              }
            }
            await turn()
            const ids = expected.slice(0, slots).map(({ id }) => id)
            expect(holders.map(({ id }) => id)).toEqual(ids)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('refuses a caller with a 503 if the queue is full; an admitted caller is neither refused nor counted', async () => {
    const queue = createSlotQueue({ slots: 1, maxWaiting: 1 })
    const order: string[] = []
    const take = async (name: string, admitted?: boolean) => {
      const release = await queue.acquire(never, admitted)
      order.push(name)
      return release
    }
    const release = await take('first')
    const admitted = take('first again', true)
    const second = take('second')
    await expect(queue.acquire(never)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
    release()
    ;(await admitted)()
    ;(await second)()
    await take('third')
    expect(order).toEqual(['first', 'first again', 'second', 'third'])
  })

  it('rejects with the reason of the signal, before and while waiting', async () => {
    const queue = createSlotQueue({ slots: 1, maxWaiting: 1 })
    await queue.acquire(never)
    const reason = new Error('gone')
    const controller = new AbortController()
    const waiting = queue.acquire(controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(queue.acquire(controller.signal)).rejects.toBe(reason)
  })
})
