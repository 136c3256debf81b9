import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atEndOfTurn } from './turn.ts'

test('runs the work of a turn at its end, in order', async () => {
  const done: string[] = []
  atEndOfTurn(() => done.push('first'))
  process.nextTick(() => {
    done.push('read')
    atEndOfTurn(() => done.push('second'))
  })
  await nextTurn()
  expect(done).toEqual(['read', 'first', 'second'])
})

test('runs work that other work adds in the next turn', async () => {
  const done: string[] = []
  atEndOfTurn(() => atEndOfTurn(() => done.push('next')))
  await nextTurn()
  expect(done).toEqual([])
  await nextTurn()
  expect(done).toEqual(['next'])
})
