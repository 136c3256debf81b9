import { expect, test } from 'vitest'
import { madeExchange } from '../../../../../harness/exchange.fixture.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { Unreachable } from '../../../../contract/outcome.ts'
import { answered, madeSender } from '../sender.fixture.ts'

const signal = new AbortController().signal
const broken = (body: string): TransportError =>
  new TransportError('the connection was broken', madeExchange({ requestBody: body }).request)
const refused = new TransportError('the connection was refused', madeExchange().request, { isSilence: true })

interface Service {
  /** Ends the service and all connections. */
  die(): never
}

/** A run on a service that can die: `answer` may end it, and it is back after this time; requests take one millisecond. */
function runOn(answer: (body: string, service: Service) => Exchange, backAfterMs = 1_000) {
  let nowMs = 0
  let backAtMs = 0
  let deaths = 0
  const causes: [string, string | undefined][] = []
  let connections: ((error: TransportError) => void)[] = []
  const send = async ({ body = '' }: RequestSpec): Promise<Exchange> => {
    if (nowMs < backAtMs) throw refused
    const { promise: lost, reject } = Promise.withResolvers<never>()
    connections.push(() => reject(broken(String(body))))
    const working = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() =>
      answer(String(body), {
        die() {
          deaths += 1
          backAtMs = nowMs + backAfterMs
          const all = connections
          connections = []
          for (const end of all) end(refused)
          throw broken(String(body))
        },
      }),
    )
    working.catch(() => {})
    return Promise.race([working, lost])
  }
  const sender = madeSender(
    send,
    async (ms) => {
      nowMs += ms
      await new Promise((resolve) => setImmediate(resolve))
    },
    {
      now: () => nowMs,
      returnMs: 10_000,
      onBroken: (cause, by) => void causes.push([cause.message, by]),
    },
  )
  const ask = (by: string, body = by): Promise<unknown> =>
    sender.send({ path: '/v1/chat/completions', body }, { signal, by, row: 'CHAT-6' }).then(
      () => 'answered',
      (error: unknown) => error,
    )
  return { ask, sender, causes, deaths: () => deaths }
}

const isFatal = (body: string): boolean => body === 'fatal'

test('of all requests in flight the one that ends the service is found, and the others are answered', async () => {
  const { ask, causes } = runOn((body, service) => (isFatal(body) ? service.die() : answered))
  await ask('first')
  const ends = await Promise.all(['fatal', 'a', 'b', 'c'].map((by) => ask(by)))
  expect(ends.map((end) => end === 'answered')).toEqual([false, true, true, true])
  expect(ends[0]).toBeInstanceOf(TransportError)
  expect(causes).toEqual([['the connection was broken', 'fatal']])
})

test('the same holds for a row that forbids broken connections', async () => {
  const { sender, ask, causes } = runOn((body, service) => (isFatal(body) ? service.die() : answered))
  await ask('first')
  const bystander = sender.send(
    { path: '/v1/chat/completions', body: 'odd' },
    { signal, by: 'odd', row: 'CHAT-9' },
  )
  await Promise.all([ask('fatal'), bystander])
  expect(causes.map(([, by]) => by)).toEqual(['fatal'])
})

test('if it does not come back, every request that was in flight is named, and nothing more is sent', async () => {
  const { ask, sender, causes } = runOn(
    (body, service) => (isFatal(body) ? service.die() : answered),
    Infinity,
  )
  await ask('first')
  const ends = await Promise.all(['fatal', 'a'].map((by) => ask(by)))
  for (const end of ends) expect(end).toBeInstanceOf(Unreachable)
  expect(sender.dead()?.message).toMatch(/the service stopped.*try each of --only fatal, --only a$/)
  expect(causes).toEqual([[expect.stringMatching(/--only fatal, --only a/), expect.any(String)]])
  const before = sender.count()
  expect(await ask('later')).toBe(sender.dead())
  expect(sender.count()).toBe(before)
})

test('one request in flight is the cause', async () => {
  const { ask, causes } = runOn((body, service) => (isFatal(body) ? service.die() : answered), Infinity)
  await ask('first')
  await ask('fatal')
  expect(causes).toEqual([
    [expect.stringMatching(/^the connection was broken, and then the service/), 'fatal'],
  ])
})

test('a death that no request causes again is reported, and is a fault the second time', async () => {
  let sent = 0
  const fatal = new Set([5, 30])
  const { ask, causes, deaths } = runOn((_, service) => (fatal.has((sent += 1)) ? service.die() : answered))
  await ask('first')
  for (let round = 0; round < 20; round++)
    expect(await Promise.all(['a', 'b', 'c'].map((by) => ask(by)))).toEqual(Array(3).fill('answered'))
  expect(deaths()).toBe(2)
  expect(causes.map(([message]) => message)).toEqual([
    expect.stringMatching(/^the service stopped once and came back/),
    expect.stringMatching(/^the service stopped 2 times and came back/),
  ])
})

test('a service that restarts while nothing is in flight is waited for, and no request is blamed', async () => {
  let isDown = false
  let nowMs = 0
  const causes: unknown[] = []
  const sender = madeSender(
    () => {
      if (isDown && nowMs < 3_000) throw refused
      return answered
    },
    async (ms) => void (nowMs += ms),
    { now: () => nowMs, onBroken: (cause) => void causes.push(cause) },
  )
  const ask = (): Promise<Exchange> => sender.send({ path: '/v1/models' }, { signal, row: 'CHAT-9' })
  await ask()
  isDown = true
  expect((await ask()).response.status).toBe(200)
  expect(causes).toEqual([])
  expect(sender.ended()).toBeUndefined()
})
