import { describe, expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { AnswerEnd, Exchange } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { Inconclusive } from '../../../contract/outcome.ts'
import { MOST_WHOLE, createKnownWaits } from './known-waits.ts'
import { createSender } from './sender.ts'

const TIMEOUT_MS = 30_000
const chat: RequestSpec = { path: '/v1/chat/completions', body: '{"model":"m"}' }
const stream: RequestSpec = { ...chat, body: '{"model":"m","stream":true}' }
const { signal } = new AbortController()

/** How a service treats a request: the time that it needs for the head and for the rest, in milliseconds. */
interface Treatment {
  readonly headMs?: number
  readonly bodyMs?: number
  /** How long it leaves the body open behind its last bytes. */
  readonly openMs?: number
}

/** A sender on a service on a clock of its own, which waits for exactly as long as a request allows. */
function senderOn(treat: (request: RequestSpec) => Treatment) {
  let nowMs = 0
  const seen: Exchange[] = []
  const bounds: { timeoutMs?: number; bodyTimeoutMs?: number; openAfterDoneMs?: number }[] = []
  const waits = createKnownWaits({ timeoutMs: TIMEOUT_MS, endAfterDoneMs: 5000, now: () => nowMs })
  async function send(request: RequestSpec): Promise<Exchange> {
    const { timeoutMs = TIMEOUT_MS, bodyTimeoutMs = Infinity, openAfterDoneMs = 1000 } = request
    bounds.push(request)
    const { headMs = 1, bodyMs = 1, openMs = 0 } = treat(request)
    if (headMs >= timeoutMs) {
      nowMs += timeoutMs
      throw new TransportError('no answer', madeExchange().request, { isLate: true })
    }
    const restMs = Math.min(bodyTimeoutMs, timeoutMs === request.timeoutMs ? Infinity : timeoutMs - headMs)
    const end: AnswerEnd = bodyMs >= restMs ? 'timeout' : openMs >= openAfterDoneMs ? 'left-open' : 'complete'
    const [lastMs, silentMs] = [headMs + Math.min(bodyMs, restMs), Math.min(openMs, openAfterDoneMs)]
    nowMs += lastMs + silentMs
    const made = madeExchange({
      end,
      headers: [['Content-Type', 'text/event-stream']],
      body: '{"choices":[]}',
    })
    return {
      ...made,
      response: { ...made.response, chunks: [{ atMs: lastMs, size: made.response.body.length }] },
      timings: { firstByteMs: headMs, totalMs: lastMs + silentMs },
    }
  }
  const sender = createSender({
    probe: { send, close() {} },
    waits,
    maxRequests: Infinity,
    patienceMs: 90_000,
    onExchange: () => {},
    onAnswer: (exchange) => void seen.push(exchange),
    sleep: async (ms) => void (nowMs += ms),
    random: () => 0,
    now: () => nowMs,
  })
  const ask = (request: RequestSpec): Promise<unknown> =>
    sender.send(request, { signal, by: 'a.check' }).catch((error: unknown) => error)
  return { ask, bounds, seen, waits }
}

async function times(count: number, act: () => Promise<unknown>): Promise<unknown[]> {
  const ends: unknown[] = []
  for (let index = 0; index < count; index++) ends.push(await act())
  return ends
}

describe('a service that does not answer', () => {
  test('gets its whole time for the first failures, and then a tenth, and does not fail for it', async () => {
    const { ask, bounds, waits } = senderOn(() => ({ headMs: Infinity }))
    // Each request is sent twice.
    const ends = await times(5, () => ask(chat))
    expect(bounds.map(({ timeoutMs }) => timeoutMs)).toEqual([
      ...Array.from({ length: MOST_WHOLE }, () => undefined),
      ...Array.from({ length: 5 }, () => TIMEOUT_MS / 10),
    ])
    expect(ends.map((end) => end instanceof Inconclusive)).toEqual([false, false, true, true, true])
    expect(String(ends.at(-1))).toMatch(/in 3 s, and it was not waited for any longer: 5 before/)
    expect(waits.shortened()).toEqual([
      { name: 'an answer to POST /v1/chat/completions', wholeMs: TIMEOUT_MS, shortMs: 3000, count: 5 },
    ])
  })

  test('gets its whole time for requests of another kind, and for one with a time of its own', async () => {
    const { ask, bounds } = senderOn(() => ({ headMs: Infinity }))
    await times(4, () => ask(chat))
    await ask(stream)
    await ask({ ...chat, timeoutMs: 70_000 })
    expect(bounds.slice(-3).map(({ timeoutMs }) => timeoutMs)).toEqual([undefined, undefined, 70_000])
  })

  test('gets three times as long as its slowest answer', async () => {
    let isSilent = false
    const { ask, bounds } = senderOn(() => ({ headMs: isSilent ? Infinity : 4000 }))
    await ask(chat)
    isSilent = true
    await times(3, () => ask(chat))
    await ask(chat)
    expect(bounds.at(-1)?.timeoutMs).toBe(12_000)
    isSilent = false
    expect(await ask(chat)).toHaveProperty('response.end', 'complete')
  })
})

test('a body that does not end gets a tenth after the first ones, its head all of it; no observer sees such an answer', async () => {
  const { ask, bounds, seen } = senderOn(() => ({ bodyMs: Infinity }))
  const ends = await times(4, () => ask(stream))
  expect(seen).toHaveLength(MOST_WHOLE)
  expect(bounds.at(-1)).toMatchObject({ timeoutMs: TIMEOUT_MS, bodyTimeoutMs: TIMEOUT_MS / 10 })
  expect(ends.map((end) => end instanceof Inconclusive)).toEqual([false, false, true, true])
})

describe('a stream that stays open behind [DONE]', () => {
  test('is waited for less after the first ones, and is an answer all the same', async () => {
    const { ask, bounds, seen, waits } = senderOn(() => ({ openMs: Infinity }))
    await times(8, () => ask(stream))
    expect(bounds.map(({ openAfterDoneMs }) => openAfterDoneMs)).toEqual([
      5000, 5000, 5000, 5000, 5000, 500, 500, 500,
    ])
    expect(seen).toHaveLength(8)
    expect(waits.shortened()).toMatchObject([{ wholeMs: 5000, shortMs: 500, count: 3 }])
    await ask({ ...stream, openAfterDoneMs: 5000 })
    expect(bounds.at(-1)?.openAfterDoneMs).toBe(5000)
  })

  test('and ends late, but in time, is waited for at least a second', async () => {
    const { ask, bounds, waits } = senderOn(() => ({ openMs: 2000 }))
    await times(20, () => ask(stream))
    expect(bounds.map(({ openAfterDoneMs }) => openAfterDoneMs)).toEqual([
      ...Array.from({ length: 12 }, () => 5000),
      ...Array.from({ length: 8 }, () => 1000),
    ])
    expect(waits.shortened()).toMatchObject([{ shortMs: 1000, count: 8 }])
  })
})
