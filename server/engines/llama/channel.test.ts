// Every pushed value arrives once and in order, whether the reader or the writer is ahead; the end and a failure come after it.
import { describe, expect, it } from 'vitest'
import { createChannel } from './channel.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('createChannel', () => {
  it('gives everything in order to a consumer that is ahead and to one that is behind', async () => {
    const channel = createChannel<number>()
    const seen: number[] = []
    const consumer = (async () => {
      for (let step = await channel.next(); step.done !== true; step = await channel.next()) {
        const values = step.value
        seen.push(...values)
        if (values.includes(3)) await turn()
      }
    })()
    channel.push(1)
    await turn()
    channel.push(2)
    channel.push(3)
    await turn()
    channel.push(4)
    channel.push(5)
    channel.end()
    await consumer
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  it('fails after what was pushed, with the first failure', async () => {
    const channel = createChannel<number>()
    channel.push(1)
    channel.fail('first')
    channel.fail('second')
    await expect(channel.next()).resolves.toEqual({ value: [1], done: false })
    await expect(channel.next()).rejects.toBe('first')
  })
})
