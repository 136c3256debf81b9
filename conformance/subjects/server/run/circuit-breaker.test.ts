import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { fc, forAllAsync } from '../../../../spec/property.fixture.ts'
import { MOST_FAILURES, MOST_TRIALS, TRIAL_REQUESTS, createCircuitBreaker } from './circuit-breaker.ts'
import { madeSender } from './sender.fixture.ts'

const signal = new AbortController().signal
const chat = { path: '/v1/chat/completions', body: '{"odd":true}' }
const stream = { path: '/v1/chat/completions', body: '{"odd":true,"stream":true}' }
const record = { path: '/v1/models/m' }
const list = { path: '/v1/models' }

const broken = new TransportError('the connection was broken', madeExchange().request)
const late = new TransportError('no answer within 1 s', madeExchange().request, { isLate: true })
const isOdd = ({ body }: RequestSpec): boolean => String(body).includes('odd')
const isStreamed = ({ body }: RequestSpec): boolean => String(body).includes('"stream":true')

/** A run on a target that answers as `answer` says; `nth` counts from 1, and each request takes a moment. */
function runOn(answer: (request: RequestSpec, nth: number) => Exchange | TransportError) {
  let nowMs = 0
  let pauses = 0
  const now = (): number => (nowMs += 1)
  const pause = async (): Promise<void> => void (pauses += 1)
  const breaker = createCircuitBreaker({ model: () => 'm', timeoutMs: 1000, now, pause })
  let sent = 0
  const respond = (request: RequestSpec): Exchange => {
    const result = answer(request, (sent += 1))
    if (result instanceof TransportError) throw result
    return result
  }
  const sender = madeSender(respond, undefined, { breaker, now })
  /** Sends requests in turn and returns the error of the last one, if it had one. */
  async function send(count: number, ...requests: readonly RequestSpec[]): Promise<unknown> {
    let latest: unknown
    for (let at = 0; at < count; at++)
      for (const request of requests)
        latest = await sender.send(request, { signal }).then(
          () => undefined,
          (error: unknown) => error,
        )
    return latest
  }
  return { sender, send, sent: () => sent, pauses: () => pauses }
}

test('odd requests that the target never answers end nothing while it answers a trial', async () => {
  for (const fault of [broken, late]) {
    const { send, sender } = runOn((request) => (isOdd(request) ? fault : madeExchange()))
    await send(100, chat, stream)
    expect(sender.ended()).toBeUndefined()
    expect(await send(1, list, record)).toBeUndefined()
  }
})

test('a target that restarts while trials are sent goes on being asked', async () => {
  const down = MOST_FAILURES + TRIAL_REQUESTS * (MOST_TRIALS - 2)
  const { send, sender, pauses } = runOn((_, nth) => (nth <= down ? broken : madeExchange()))
  expect(await send(50, chat)).toBeUndefined()
  expect(sender.ended()).toBeUndefined()
  expect(pauses()).toBeGreaterThan(0)
})

test('a target that one request blocks for several time limits goes on being asked', async () => {
  let blocked = 0
  const { send, sender } = runOn((request) => {
    if (isOdd(request) && blocked === 0) blocked = 10
    if (blocked > 1) return ((blocked -= 1), late)
    return madeExchange()
  })
  expect(await send(1, list)).toBeUndefined()
  expect(await send(1, chat)).toEqual(late)
  expect(await send(20, record)).toBeUndefined()
  expect(sender.ended()).toBeUndefined()
})

test('a dead model ends chats alone, although a refused chat is answered', async () => {
  const isBad = ({ body }: RequestSpec): boolean => body === '{}'
  const { send, sender } = runOn((request) => {
    if (request.path !== chat.path) return madeExchange()
    return isBad(request) ? madeExchange({ status: 400 }) : late
  })
  const error = await send(10, chat, { ...chat, body: '{}' })
  expect(error).toMatchObject({ message: expect.stringMatching(/^POST \/v1\/chat\/completions has not/) })
  expect(await send(1, list)).toBeUndefined()
  expect(sender.dead()).toBeUndefined()
})

test('streams that do not end leave plain chats alone', async () => {
  const { send } = runOn((request) =>
    isStreamed(request) ? madeExchange({ end: 'timeout' }) : madeExchange(),
  )
  const error = await send(10, chat, stream)
  expect(error).toMatchObject({
    message: expect.stringMatching(/with a stream has not answered.*\(--timeout\)$/),
  })
  expect(await send(1, chat)).toBeUndefined()
})

test('streams that break off are judged', async () => {
  const headers = [['content-type', 'text/event-stream']] as const
  const answer = (body: string) => () => madeExchange({ headers, body, end: 'broken' })
  const { send, sender } = runOn(answer('data: {}\n\n'))
  expect(await send(100, stream)).toBeUndefined()
  expect(sender.ended()).toBeUndefined()
  expect(await runOn(answer('')).send(100, stream)).toMatchObject({ message: expect.stringContaining('cut') })
})

test('requests in flight while another is answered show nothing when they fail', async () => {
  const { promise: hangs, reject: fail } = Promise.withResolvers<Exchange>()
  let nowMs = 0
  const now = (): number => (nowMs += 1)
  const breaker = createCircuitBreaker({ model: () => 'm', timeoutMs: 1000, now, pause: async () => {} })
  const sender = madeSender((request) => (isOdd(request) ? hangs : madeExchange()), undefined, {
    breaker,
    now,
  })
  const pending = Array.from({ length: 60 }, () => sender.send(chat, { signal, row: 'CHAT-9' }))
  await sender.send({ ...chat, body: '{}' }, { signal })
  fail(broken)
  await Promise.allSettled(pending)
  const before = sender.count()
  await sender.send(list, { signal })
  expect(sender.count()).toBe(before + 1)
})

test('a target that answers some requests, in any order, is never given up', async () => {
  await forAllAsync(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (alive) => {
    const { send, sender } = runOn((_, nth) => {
      const isAlive = alive[nth % alive.length] === true || nth % 3 === 0
      return isAlive ? madeExchange() : broken
    })
    await send(60, chat, record, stream, list)
    expect(sender.ended()).toBeUndefined()
  })
})

test('a dead target ends everything, with one reason', async () => {
  const { send, sender, sent } = runOn((_, nth) => (nth <= 20 ? madeExchange() : broken))
  const error = await send(100, chat, stream, record, list)
  expect(error).toMatchObject({ message: expect.stringMatching(/^the service stopped answering after \d+ /) })
  expect(sender.dead()).toBe(error)
  expect(sent()).toBeLessThan(20 + 2 * MOST_FAILURES + 4 * MOST_TRIALS * TRIAL_REQUESTS)
})
