import { expect, test } from 'vitest'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import type { Probe, RequestSpec } from '../../harness/http/probe.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import { MAX_ATTEMPTS, MAX_WAIT_MS, type Sender, type SenderOptions, createSender } from './sender.ts'
import { Inconclusive } from './outcomes.ts'

const signal = new AbortController().signal
const request: RequestSpec = { path: '/v1/models' }
const envelope = { error: { message: 'Later.', type: 'service_unavailable', code: 'busy' } }

/** A sender on a target that gives these answers in turn, the last one again and again; waits take no time. */
function scripted(answers: readonly Exchange[], maxRequests = 1000, more: Partial<SenderOptions> = {}) {
  const waits: number[] = []
  const seen: Exchange[] = []
  let sent = 0
  const probe: Probe = {
    async send(_, __, listener) {
      const answer = answers[Math.min(sent, answers.length - 1)] ?? madeExchange()
      sent += 1
      listener?.head(answer.response.status, answer.response.headers)
      listener?.chunk(answer.response.body)
      return answer
    },
    close() {},
  }
  const sender: Sender = createSender({
    probe,
    maxRequests,
    onExchange: (exchange) => void seen.push(exchange),
    sleep: async (ms) => void waits.push(ms),
    random: () => 0.5,
    ...more,
  })
  return { sender, waits, seen }
}

const after = (seconds: string, status = 429): Exchange =>
  madeExchange({ status, headers: [['Retry-After', seconds]], body: envelope })

test('a 429 is waited out as it asks, and only the last answer is returned', async () => {
  const { sender, waits, seen } = scripted([after('2'), after('0.5'), madeExchange({ body: 'fine' })])
  const exchange = await sender.send(request, { signal })
  expect(exchange.response.status).toBe(200)
  expect(waits).toEqual([2000, 500])
  expect(seen).toHaveLength(3)
})

test('without a usable Retry-After the wait backs off', async () => {
  const { sender, waits } = scripted([after('soon'), after('-1'), after('0'), madeExchange()])
  await sender.send(request, { signal })
  expect(waits).toEqual([1125, 2125, 4125])
})

test('a pace is kept by turns, and not by a burst that is not to be obeyed', async () => {
  const begunAtMs: number[] = []
  let nowMs = 0
  const { sender } = scripted([madeExchange()], 1000, {
    pace: { perSecond: 4, now: () => nowMs },
    sleep: async (ms) => void begunAtMs.push(nowMs + ms),
  })
  await Promise.all(Array.from({ length: 4 }, () => sender.send(request, { signal })))
  expect(begunAtMs).toEqual([250, 500, 750])
  nowMs = 10_000
  await sender.send(request, { signal })
  await sender.send({ ...request, obey: false }, { signal })
  expect(begunAtMs).toHaveLength(3)
})

test('a 503 is obeyed only in the envelope', async () => {
  const enveloped = scripted([madeExchange({ status: 503, body: envelope }), madeExchange()])
  expect((await enveloped.sender.send(request, { signal })).response.status).toBe(200)
  const plain = scripted([madeExchange({ status: 503, body: 'Bad gateway' }), madeExchange()])
  expect((await plain.sender.send(request, { signal })).response.status).toBe(503)
})

test('a case that does not want to obey gets the refusal', async () => {
  const { sender, waits } = scripted([after('2')])
  const exchange = await sender.send({ ...request, obey: false }, { signal })
  expect([exchange.response.status, waits]).toEqual([429, []])
})

test('a refusal that does not end is inconclusive, after a bounded number of attempts', async () => {
  const { sender } = scripted([after('1')])
  await expect(sender.send(request, { signal })).rejects.toThrow(Inconclusive)
  expect(sender.count()).toBe(MAX_ATTEMPTS)
})

test('a wait over the bound is not begun', async () => {
  const { sender, waits } = scripted([after(String(MAX_WAIT_MS / 1000 + 1))])
  await expect(sender.send(request, { signal })).rejects.toThrow(/answered 429 once/)
  expect(waits).toEqual([])
})

test('waits are reported, so that they can be left out of the time of a case', async () => {
  const waits: boolean[] = []
  const { sender } = scripted([after('1'), madeExchange()])
  await sender.send(request, { signal, onWait: (waiting) => void waits.push(waiting) })
  expect(waits).toEqual([true, false])
})

test('the budget of a run is never overspent', async () => {
  const { sender } = scripted([madeExchange()], 2)
  await sender.send(request, { signal })
  await sender.send(request, { signal })
  await expect(sender.send(request, { signal })).rejects.toThrow(/budget of 2 requests/)
  expect(sender.count()).toBe(2)
})

test('a listener hears of the answer that is returned, and of no other', async () => {
  const heard: (number | string)[] = []
  const listener = {
    head: (status: number): unknown => heard.push(status),
    chunk: (bytes: Uint8Array): unknown => heard.push(Buffer.from(bytes).toString()),
  }
  const obeyed = scripted([after('1'), madeExchange({ body: 'fine' })])
  await obeyed.sender.send(request, { signal, listener })
  const plain503 = scripted([madeExchange({ status: 503, body: 'bad gateway' })])
  await plain503.sender.send(request, { signal, listener })
  expect(heard).toEqual([200, 'fine', 503, 'bad gateway'])
})
