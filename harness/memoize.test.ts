import { expect, test } from 'vitest'
import { memoize } from './memoize.ts'

test('a result is computed once, a failure is shared only by those who wait for it', async () => {
  let calls = 0
  const learn = memoize(async () => {
    calls += 1
    if (calls === 1) throw new Error('too late')
    return calls
  })
  const first = await Promise.allSettled([learn(), learn()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([await learn(), await learn(), calls]).toEqual([2, 2, 2])
})
