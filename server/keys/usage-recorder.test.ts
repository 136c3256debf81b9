import { describe, expect, test } from 'vitest'
import { fc, forAllAsync } from '../../spec/property.fixture.ts'
import { chatCompletion } from '../../spec/schemas/response.ts'
import type { UsageRecord, UsageStore } from './stored-usage.ts'
import { openSqliteStorage } from './sqlite/sqlite-storage.ts'
import { createTestService } from '../app.fixture.ts'
import { closedAtEnd } from '../test-resources.fixture.ts'
import { createUsageRecorder } from './usage-recorder.ts'

/** A recorder that writes on demand, and a store that can fail. */
function open(maxWaiting = 1000) {
  const storage = openSqliteStorage({ path: ':memory:' })
  const state = { time: 0, failing: false, reports: [] as number[] }
  const usage: UsageStore = {
    ...storage.usage,
    async add(records) {
      if (state.failing) throw new Error('the database is down')
      await storage.usage.add(records)
    },
  }
  const options = {
    usage,
    flushMs: 1_000_000,
    now: () => state.time,
    maxWaiting,
    reportError: (_: unknown, lost: number) => state.reports.push(lost),
  }
  const recorder = closedAtEnd(createUsageRecorder(options))
  return { recorder, usage: storage.usage, state }
}

test('every count is written once, whatever fails in between', async () => {
  const event = fc.record({
    key: fc.constantFrom('key_a', 'key_b'),
    tokens: fc.nat({ max: 1000 }),
    pauseMs: fc.nat({ max: 90_000 }),
    after: fc.constantFrom('count', 'flush', 'fail to flush'),
  })
  await forAllAsync(fc.array(event), async (events) => {
    const { recorder, usage, state } = open()
    const expected = new Map<string, UsageRecord>()
    for (const { key: keyId, tokens, pauseMs, after } of events) {
      state.time += pauseMs
      recorder.countRequest(keyId)
      recorder.countTokens(keyId, tokens)
      const minute = Math.floor(state.time / 60_000)
      const before = expected.get(`${minute} ${keyId}`) ?? { requests: 0, tokens: 0 }
      expected.set(`${minute} ${keyId}`, {
        keyId,
        minute,
        requests: before.requests + 1,
        tokens: before.tokens + tokens,
        lastUsedAt: state.time,
      })
      state.failing = after === 'fail to flush'
      if (after !== 'count') await recorder.flush()
    }
    state.failing = false
    await recorder.close()
    const order = (record: UsageRecord) => `${String(record.minute).padStart(9, '0')} ${record.keyId}`
    expect(await usage.since(0)).toEqual(
      [...expected.values()].toSorted((a, b) => (order(a) < order(b) ? -1 : 1)),
    )
  })
})

test('waiting records are bounded: the oldest are lost and reported', async () => {
  const { recorder, usage, state } = open(3)
  state.failing = true
  for (let minute = 0; minute < 10; minute += 1) {
    state.time = minute * 60_000
    recorder.countRequest('key_a')
    await recorder.flush()
  }
  expect(state.reports.reduce((sum, lost) => sum + lost, 0)).toBe(7)
  state.failing = false
  await recorder.flush()
  expect((await usage.since(0)).map(({ minute }) => minute)).toEqual([7, 8, 9])
})

test('minutes are deleted after 25 hours, the last use is not', async () => {
  const { recorder, usage, state } = open()
  recorder.countRequest('key_a')
  await recorder.flush()
  for (const [hours, kept] of [
    [25, 1],
    [25.5, 0],
  ] as const) {
    state.time = hours * 3_600_000
    await recorder.flush()
    expect(await usage.since(0)).toHaveLength(kept)
  }
  expect(await usage.lastUsed()).toEqual(new Map([['key_a', 0]]))
})

describe('the service counts', () => {
  test('requests with a valid key are counted, including refused ones, and no others', async () => {
    const { send, recorder, storage, createKey } = await createTestService()
    const { key, secret } = await createKey({ limit: { requests: 1, windowSeconds: 60 } })
    const other = `Bearer ${secret}`
    expect((await send('GET', '/v1/models', undefined, other)).status).toBe(200)
    expect((await send('GET', '/v1/models', undefined, other)).status).toBe(429)
    expect((await send('GET', '/v1/models', undefined, 'Bearer svc_sk_unknown')).status).toBe(401)
    await recorder.flush()
    expect(await storage.usage.since(0)).toEqual([
      expect.objectContaining({ keyId: key.id, requests: 2, tokens: 0 }),
    ])
  })

  test.each([{}, { stream: true }, { stream: true, stream_options: { include_usage: true } }])(
    'the tokens of an answer: %j',
    async (form) => {
      const { send, recorder, storage } = await createTestService()
      const messages = [{ role: 'user', content: 'hello' }]
      const plain = await send('POST', '/v1/chat/completions', { model: 'svc-0.1-echo', messages })
      const { usage } = chatCompletion.parse(await plain.json())
      await recorder.flush()
      const answer = await send('POST', '/v1/chat/completions', { model: 'svc-0.1-echo', messages, ...form })
      await answer.text()
      await recorder.flush()
      const records = await storage.usage.since(0)
      const tokens = usage?.total_tokens ?? 0
      expect(tokens).toBeGreaterThan(0)
      expect(records.reduce((sum, record) => sum + record.tokens, 0)).toBe(2 * tokens)
      expect(records.reduce((sum, { requests }) => sum + requests, 0)).toBe(2)
    },
  )
})
