import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { Refused } from '../../../contract/outcome.ts'
import { MOST_PAGES } from './gateway-pages.ts'
import { answered, madeSender } from './sender.fixture.ts'

const signal = new AbortController().signal
const chat = { path: '/v1/chat/completions', body: '{}' }
const page = madeExchange({ status: 503, headers: [['Content-Type', 'text/html']], body: '<html>' })

/** A sender on a target that answers by the time of a clock, which its waits advance, and the answers that observers see. */
function runOn(answer: (path: string, nowMs: number) => Exchange) {
  let nowMs = 0
  const seen: number[] = []
  const sender = madeSender(
    ({ path }) => answer(path, nowMs),
    async (ms) => void (nowMs += ms),
    { now: () => nowMs, onAnswer: ({ response }) => void seen.push(response.status) },
  )
  return { sender, seen }
}

test('a limiter that answers with pages is met by slowing down, and no observer sees its pages', async () => {
  let nextAtMs = 0
  const { sender, seen } = runOn((_, nowMs) => {
    if (nowMs < nextAtMs) return page
    nextAtMs = nowMs + 100
    return answered
  })
  for (let nth = 0; nth < 50; nth++) expect((await sender.send(chat, { signal })).response.status).toBe(200)
  expect(new Set(seen)).toEqual(new Set([200]))
})

test('a page that a burst meets is handed to its check, and no observer sees it', async () => {
  const { sender, seen } = runOn(() => page)
  const burst = Array.from({ length: 5 }, () => sender.send({ ...chat, obey: false }, { signal }))
  for (const { response } of await Promise.all(burst)) expect(response.status).toBe(503)
  expect(seen).toEqual([])
})

test('a page that a request gets each time while others are answered is its answer, and costs no time later', async () => {
  const { sender, seen } = runOn((path) => (path === chat.path ? page : answered))
  const counts: number[] = []
  for (let nth = 0; nth < 5; nth++) {
    const before = sender.count()
    expect((await sender.send(chat, { signal })).response.status).toBe(503)
    counts.push(sender.count() - before)
  }
  expect(counts).toEqual([...Array<number>(3).fill(MOST_PAGES + 1), 1, 1])
  expect(seen.filter((status) => status === 503)).toHaveLength(5)
})

test('a target that answers nothing but pages is reported once, with what to do', async () => {
  const { sender } = runOn(() => page)
  for (const by of ['a', 'b', 'c', 'd', 'e'])
    await expect(sender.send(chat, { signal, by })).rejects.toThrow(Refused)
  expect(sender.ended()?.message).toMatch(/refused 5 checks in a row/)
  await expect(runOn(() => page).sender.send(chat, { signal })).rejects.toThrow(
    /a limiter in front of the service.*--requests-per-second 1/,
  )
})

test('a refusal in the envelope is not a page of a gateway', async () => {
  const body = { error: { message: 'Down.', type: 'api_error', code: 'bad_gateway' } }
  const { sender } = runOn(() => madeExchange({ status: 502, body }))
  expect((await sender.send(chat, { signal })).response.status).toBe(502)
  expect(sender.count()).toBe(1)
})
