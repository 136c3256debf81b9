import { expect, test } from 'vitest'
import { createTestService } from '../app.fixture.ts'

const service = await createTestService()
const { send } = service
const chat = (authorization?: string): Promise<Response> =>
  send(
    'POST',
    '/v1/chat/completions',
    { model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'hello' }] },
    authorization,
  )

test('the next requests of the key fail as ordered, and no others', async () => {
  const other = `Bearer ${(await service.createKey()).secret}`
  const ordered = await send('POST', '/faults', { status: 418, count: 2, retry_after: 3 })
  expect([ordered.status, await ordered.json()]).toEqual([200, { status: 418, count: 2, retry_after: 3 }])
  expect((await chat(other)).status).toBe(200)
  const failed = await chat()
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([418, '3'])
  expect(await failed.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null } })
  expect((await send('GET', '/v1/models')).status).toBe(418)
  expect((await chat()).status).toBe(200)
})

test('a list is obeyed in turn, and an empty one takes it back', async () => {
  await send('POST', '/faults', [{ status: 429 }, { status: 503, count: 5 }])
  expect((await chat()).status).toBe(429)
  expect((await chat()).status).toBe(503)
  await send('POST', '/faults', [])
  expect((await chat()).status).toBe(200)
})

test.each([
  [{}, 'status'],
  [{ status: 200 }, 'status'],
  [{ status: '503' }, 'status'],
  [{ status: 503, count: 0 }, 'count'],
  [[{ status: 503 }, { status: 503.5 }], 'status'],
  [{ status: 503, retry_after: 1.5 }, 'retry_after'],
  [{ status: 503, times: 2 }, 'times'],
])('the order %j is refused by name', async (order, param) => {
  const refused = await send('POST', '/faults', order)
  expect([refused.status, await refused.json()]).toEqual([400, { error: expect.objectContaining({ param }) }])
  expect((await chat()).status).toBe(200)
})

test('an order needs a key', async () => {
  expect((await send('POST', '/faults', { status: 503 }, null)).status).toBe(401)
})
