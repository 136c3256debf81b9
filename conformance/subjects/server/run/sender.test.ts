import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Probe, RequestSpec } from '../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { MAX_ATTEMPTS, type Sender, type SenderOptions, createSender } from './sender.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { Inconclusive, Refused } from '../../../contract/outcome.ts'
import { createTokenBudget } from '../../../exchanges/token-meter.ts'

const PATIENCE_MS = 90_000

const signal = new AbortController().signal
const request: RequestSpec = { path: '/v1/models' }
const envelope = { error: { message: 'Later.', type: 'service_unavailable', code: 'busy' } }

/** A sender on a target that gives these answers in turn, the last one again and again; waits pass at once. */
function scripted(
  answers: readonly (Exchange | Error)[],
  maxRequests = 1000,
  more: Partial<SenderOptions> = {},
) {
  const waits: number[] = []
  const seen: Exchange[] = []
  let sent = 0
  let nowMs = 0
  const probe: Probe = {
    async send(_, __, listener) {
      const answer = answers[Math.min(sent, answers.length - 1)] ?? madeExchange()
      sent += 1
      if (answer instanceof Error) throw answer
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
    patienceMs: PATIENCE_MS,
    sleep: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
    now: () => nowMs,
    random: () => 0,
    ...more,
  })
  return { sender, waits, seen }
}

const refusedBy = (headers: Readonly<Record<string, string>>, status = 429): Exchange =>
  madeExchange({ status, headers: Object.entries(headers), body: envelope })
const after = (seconds: string, status = 429): Exchange => refusedBy({ 'Retry-After': seconds }, status)

test.each<[string, readonly Exchange[], readonly number[]]>([
  ['as it asks', [after('2'), after('0.5')], [2000, 500]],
  [
    'longer each time without a usable Retry-After',
    [after('soon'), after('-1'), after('0')],
    [1000, 2000, 4000],
  ],
  ['by its milliseconds', [refusedBy({ 'retry-after-ms': '1500', 'Retry-After': '60' })], [1500]],
  ['by a fraction of a second', [after('0.25')], [250]],
])('a 429 is waited out %s, and only the last answer is returned', async (_, refusals, dueMs) => {
  const { sender, waits, seen } = scripted([...refusals, madeExchange({ body: 'fine' })])
  expect((await sender.send(request, { signal })).response.status).toBe(200)
  expect(waits).toEqual(dueMs)
  expect(seen).toHaveLength(refusals.length + 1)
})

test('each refusal that is obeyed is reported with its wait, and the last one is not', async () => {
  const refusals: unknown[] = []
  const { sender } = scripted([after('2'), after('3', 503), after('100')], 1000, {
    onRefused: (...refusal) => void refusals.push(refusal),
  })
  await expect(sender.send(request, { signal })).rejects.toThrow(Refused)
  expect(refusals).toEqual([
    [429, 2000],
    [503, 3000],
  ])
})

test('no request is sent, and none waits, after the time of the run', async () => {
  let nowMs = 0
  const { sender, waits, seen } = scripted([madeExchange(), after('5'), madeExchange()], 1000, {
    maxMinutes: 0.1,
    now: () => nowMs,
  })
  await sender.send(request, { signal })
  nowMs = 3_000
  await expect(sender.send(request, { signal })).rejects.toThrow(/0\.1 min, is over \(--max-minutes\)/)
  expect(waits).toEqual([])
  expect(sender.dead()).toBeUndefined()
  nowMs = 6_000
  await expect(sender.send({ ...request, obey: false }, { signal })).rejects.toThrow(Inconclusive)
  expect([seen.length, sender.ended()?.message, sender.dead()]).toEqual([
    2,
    expect.stringContaining('--max-minutes'),
    sender.ended(),
  ])
})

test('a wait is understood as a date', async () => {
  const { sender, waits } = scripted([after(new Date(Date.now() + 30_000).toUTCString()), madeExchange()])
  await sender.send(request, { signal })
  expect(Math.abs((waits[0] ?? 0) - 30_000)).toBeLessThan(2_000)
})

test('a pace is kept by turns, and not by a burst that is not to be obeyed', async () => {
  const begunAtMs: number[] = []
  let nowMs = 0
  const { sender } = scripted([madeExchange()], 1000, {
    perSecond: 4,
    now: () => nowMs,
    sleep: async (ms) => void begunAtMs.push(nowMs + ms),
  })
  await Promise.all(Array.from({ length: 4 }, () => sender.send(request, { signal })))
  expect(begunAtMs).toEqual([250, 500, 750])
  nowMs = 10_000
  await sender.send(request, { signal })
  await sender.send({ ...request, obey: false }, { signal })
  expect(begunAtMs).toHaveLength(3)
})

test('a 503 in the envelope is obeyed', async () => {
  const enveloped = scripted([madeExchange({ status: 503, body: envelope }), madeExchange()])
  expect((await enveloped.sender.send(request, { signal })).response.status).toBe(200)
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

test('a wait over the patience is not begun', async () => {
  const { sender, waits } = scripted([after(String(PATIENCE_MS / 1000 + 1))])
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
  await plain503.sender.send({ ...request, obey: false }, { signal, listener })
  expect(heard).toEqual([200, 'fine', 503, 'bad gateway'])
})

test('all requests of a key wait for what its last 429 said, those of another key do not', async () => {
  const { sender, waits } = scripted([after('5'), madeExchange()])
  await sender.send(request, { signal })
  expect(waits).toEqual([5000])
  const own = scripted([after('5'), madeExchange()], 1000, { sleep: () => new Promise(() => {}) })
  void own.sender.send(request, { signal })
  await expect.poll(() => own.seen.length).toBe(1)
  void own.sender.send(request, { signal })
  await own.sender.send({ ...request, authorization: 'Bearer another' }, { signal })
  expect(own.seen).toHaveLength(2)
})

test.each([
  ['further apart after each 429', 429, true],
  ['as before after a 503, which reports no rate limit', 503, false],
])('requests go out %s', async (_, status, waited) => {
  const { sender, waits } = scripted([after('1', status), madeExchange()])
  await sender.send(request, { signal })
  waits.length = 0
  await Promise.all(Array.from({ length: 3 }, () => sender.send(request, { signal })))
  expect(waits.length > 0).toBe(waited)
})

test('a quota that is spent is not waited for', async () => {
  const spent = madeExchange({ status: 429, body: { error: { message: 'No.', code: 'insufficient_quota' } } })
  const { sender, waits } = scripted([spent])
  await expect(sender.send(request, { signal })).rejects.toThrow(Refused)
  expect(waits).toEqual([])
})

const broken = new TransportError('the connection was broken', madeExchange().request)
const silence = new TransportError('no answer within 1 s', madeExchange().request, { isLate: true })
const cut = madeExchange({ end: 'broken' })

test.each<[string, Exchange | Error]>([
  ['no answer', silence],
  ['a broken connection', broken],
  ['a cut answer', cut],
])('%s is met by asking once more', async (_, odd) => {
  const once = scripted([odd, madeExchange({ body: 'fine' })])
  expect((await once.sender.send(request, { signal })).response.end).toBe('complete')
  const always = scripted([odd])
  await always.sender.send(request, { signal }).catch(() => {})
  expect(always.sender.count()).toBe(2)
})

test.each([
  // A second attempt hangs too.
  ['CHAT-9', silence, 2],
  ['CHAT-9', broken, 1],
  // A rotation may be slow, and loses no request.
  ['KEY-7', silence, 2],
  ['KEY-7', broken, 1],
  ['CHAT-1', broken, 2],
] as const)('%s: after %s the request is sent %i times', async (row, error, times) => {
  const { sender } = scripted([error])
  await expect(sender.send(request, { signal, row })).rejects.toBe(error)
  expect(sender.count()).toBe(times)
})

test('a budget of tokens is never overspent, whether the target counts them or not', async () => {
  const body = JSON.stringify({ messages: [], max_tokens: 30 })
  for (const usage of [{ prompt_tokens: 5, completion_tokens: 30 }, undefined]) {
    const tokens = createTokenBudget(100)
    const { sender } = scripted(
      [madeExchange({ requestBody: body, body: { usage, text: 'a'.repeat(80) } })],
      1000,
      {
        tokens,
        onExchange: (exchange) => tokens.see(exchange),
      },
    )
    const sent = await Promise.allSettled(
      Array.from({ length: 9 }, () => sender.send({ path: '/v1/chat/completions', body }, { signal })),
    )
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(sender.count()).toBe(2)
  }
})
