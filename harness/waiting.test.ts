import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestServer } from './http-server.fixture.ts'
import { answers, inTurns, settlesWithin, waitsUntil } from './waiting.ts'

const HOUR_MS = 3_600_000

test('a promise that settles is not late, one that does not is, and a failure stays one', async () => {
  expect(await settlesWithin(nextTurn(), HOUR_MS)).toBe(true)
  expect(await settlesWithin(Promise.withResolvers().promise, 1)).toBe(false)
  expect(await settlesWithin(Promise.withResolvers().promise, HOUR_MS, AbortSignal.abort())).toBe(false)
  await expect(settlesWithin(Promise.reject(new Error('wrong')), HOUR_MS)).rejects.toThrow('wrong')
})

test('a few items are worked on at a time, and the results are in order', async () => {
  let [running, most] = [0, 0]
  const results = await inTurns([3, 1, 2, 0, 1], 2, async (turns) => {
    most = Math.max(most, (running += 1))
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    running -= 1
    return turns * 10
  })
  expect([results, most]).toEqual([[30, 10, 20, 0, 10], 2])
  await expect(inTurns([1], 2, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
})

test('a wait ends when the service answers as it should, or with its signal', async () => {
  let asked = 0
  await using server = await startTestServer((_, response) => {
    response.writeHead((asked += 1) < 3 ? 503 : 200).end()
  })
  const { signal } = new AbortController()
  expect(await waitsUntil(() => answers(server.baseUrl), { signal, everyMs: 1 })).toBe(true)
  expect(asked).toBe(3)
  expect(await answers(server.baseUrl, { accepts: ({ status }) => status === 204 })).toBe(false)
  expect(await answers('http://127.0.0.1:1')).toBe(false)
  expect(await waitsUntil(async () => false, { signal: AbortSignal.timeout(5), everyMs: 1 })).toBe(false)
})
