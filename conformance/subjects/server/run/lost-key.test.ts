import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { Refused } from '../../../contract/outcome.ts'
import { answered, madeSender } from './sender.fixture.ts'

const signal = new AbortController().signal
const chat = { path: '/v1/chat/completions', body: '{}' }
const small = { path: '/v1/chat/completions', body: '{"small":true}' }
const refusal = (status = 401): Exchange =>
  madeExchange({ status, body: { error: { message: 'Incorrect API key.', type: 'x', code: 'y' } } })

function runOn(answer: (request: RequestSpec) => Exchange) {
  const seen: number[] = []
  const sender = madeSender(answer, undefined, {
    trial: () => small,
    onAnswer: ({ response }) => void seen.push(response.status),
  })
  return { sender, seen }
}

test.each([401, 402, 403])('a key that gets %i midway ends the run with one cause', async (status) => {
  let isLost = false
  const { sender, seen } = runOn(() => (isLost ? refusal(status) : answered))
  await sender.send(chat, { signal, row: 'CHAT-1' })
  isLost = true
  await expect(sender.send(chat, { signal, row: 'CHAT-3' })).rejects.toThrow(Refused)
  const before = sender.count()
  await expect(sender.send(chat, { signal, row: 'TOOL-3' })).rejects.toThrow(/the key stopped being accepted/)
  expect(sender.count()).toBe(before)
  expect(sender.ended()?.message).toContain('Incorrect API key.')
  expect(seen.slice(0, 1)).toEqual([200])
})

test('a refusal of one request with a key that is accepted is the answer to it', async () => {
  const { sender, seen } = runOn(({ body }) => (body === '{"odd":true}' ? refusal() : answered))
  await sender.send(chat, { signal })
  const odd = await sender.send({ ...chat, body: '{"odd":true}' }, { signal, row: 'CHAT-3' })
  expect(odd.response.status).toBe(401)
  expect(seen).toContain(401)
  expect(sender.ended()).toBeUndefined()
})

test('a row about keys gets the refusal, and so does a request with another key', async () => {
  let isLost = false
  const { sender } = runOn(() => (isLost ? refusal() : answered))
  await sender.send(chat, { signal })
  isLost = true
  expect((await sender.send(chat, { signal, row: 'KEY-5' })).response.status).toBe(401)
  const other = await sender.send({ ...chat, authorization: 'Bearer x' }, { signal, row: 'CHAT-1' })
  expect(other.response.status).toBe(401)
  expect(sender.ended()).toBeUndefined()
})
