import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fc, forAllAsync } from '../../spec/property.fixture.ts'
import { createVirtualClock } from './virtual-clock.ts'

test('what is due is called in the order of its time, at its time, and no wall clock passes', async () => {
  await forAllAsync(fc.array(fc.integer({ min: 0, max: 86_400_000 }), { maxLength: 50 }), async (times) => {
    const clock = createVirtualClock(0)
    const seen: number[] = []
    await Promise.all(
      times.map(async (ms) => {
        await clock.sleep(ms)
        expect(clock.now()).toBe(ms)
        seen.push(ms)
      }),
    )
    expect(seen).toEqual(times.toSorted((a, b) => a - b))
  })
})

test('it stands still while a task still works', async () => {
  const clock = createVirtualClock(1000)
  const late = clock.sleep(1)
  let worked = 0
  for (let turn = 0; turn < 3; turn += 1) {
    await clock.sleep(0)
    for (let step = 0; step < 100; step += 1) await Promise.resolve()
    worked += 1
    expect(clock.now()).toBe(0)
  }
  await late
  expect([worked, clock.now(), clock.date()]).toEqual([3, 1, 1001])
})

test('a wait ends with its signal, and a cancelled call never comes', async () => {
  const clock = createVirtualClock(0)
  const controller = new AbortController()
  const reason = new Error('enough')
  const wait = clock.sleep(1000, controller.signal)
  controller.abort(reason)
  await expect(wait).rejects.toBe(reason)
  await expect(clock.sleep(1, controller.signal)).rejects.toBe(reason)
  let isCalled = false
  clock.after(5, () => (isCalled = true))()
  await clock.sleep(10)
  await setImmediate()
  expect(isCalled).toBe(false)
})
