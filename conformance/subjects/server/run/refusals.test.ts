import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { Refused } from '../../../contract/outcome.ts'
import { MOST_REFUSED_CHECKS, createRefusals } from './refusals.ts'
import { madeSender } from './sender.fixture.ts'

const signal = new AbortController().signal
const chat = { path: '/v1/chat/completions', body: '{}' }
const envelope = { error: { message: 'Later.', type: 'rate_limit_error', code: 'busy' } }
const refusal = (seconds: string, status = 429): Exchange =>
  madeExchange({ status, headers: [['Retry-After', seconds]], body: envelope })

/** A sender on a target that answers by the time of a clock, which its waits advance. */
function runOn(answer: (nowMs: number) => Exchange) {
  let nowMs = 0
  const sleep = async (ms: number): Promise<void> => void (nowMs += ms)
  const sender = madeSender(() => answer((nowMs += 1)), sleep, { now: () => nowMs })
  const ask = async (by: string): Promise<unknown> =>
    sender.send(chat, { signal, by }).then(
      () => 'admitted',
      (error: unknown) => error,
    )
  return { sender, ask, nowMs: () => nowMs }
}

test.each([429, 503])(
  'a target that names short waits and refuses for ever with %i is soon left',
  async (status) => {
    const { sender, ask, nowMs } = runOn(() => refusal('0.001', status))
    for (let nth = 0; sender.ended() === undefined && nowMs() < 20_000; nth++)
      expect(await ask(`check ${nth}`)).toBeInstanceOf(Refused)
    expect(sender.ended()?.message).toMatch(/^the target refused /)
    expect(nowMs()).toBeLessThan(20_000)
  },
)

test('a target that keeps its word is waited for, however often it refuses', async () => {
  // One request in a minute, and each refusal names what is left of it.
  let nextAtMs = 0
  const { sender, ask } = runOn((nowMs) => {
    if (nowMs < nextAtMs) return refusal(String((nextAtMs - nowMs) / 1000))
    nextAtMs = nowMs + 60_000
    return madeExchange()
  })
  for (let nth = 0; nth < 30; nth++) expect(await ask('one')).toBe('admitted')
  expect(sender.ended()).toBeUndefined()
})

test.each([200, 401])(
  'a target that refuses now and then, and then answers %i, goes on being asked',
  async (status) => {
    let sent = 0
    const { sender, ask } = runOn(() =>
      (sent += 1) % 10 === 0 ? refusal('1', 503) : madeExchange({ status }),
    )
    for (let nth = 0; nth < 1000; nth++) expect(await ask(`check ${nth}`)).toBe('admitted')
    expect(sender.ended()).toBeUndefined()
  },
)

test('a key that is refused for ever leaves another one alone', async () => {
  let nowMs = 0
  const answer = ({ authorization }: RequestSpec): Exchange =>
    authorization === undefined ? refusal('0.001') : madeExchange()
  const sender = madeSender(answer, async (ms) => void (nowMs += ms), { now: () => nowMs })
  const ask = (request: RequestSpec): Promise<Exchange> => sender.send(request, { signal, by: 'one' })
  for (let nth = 0; nth < 100; nth++) await expect(ask(chat)).rejects.toThrow(Refused)
  const sent = sender.count()
  await expect(ask(chat)).rejects.toThrow(/no wait over 0\.001 s/)
  expect(sender.count()).toBe(sent)
  expect((await ask({ ...chat, authorization: 'Bearer other' })).response.status).toBe(200)
})

test('checks that are given up in a row end such requests, and a request that is admitted starts the count again', () => {
  const refusals = createRefusals(() => 0)
  const giveUp = (count: number): void => {
    for (let nth = 0; nth < count; nth++) refusals.gaveUp(`check.${nth}`)
  }
  giveUp(MOST_REFUSED_CHECKS - 1)
  refusals.admitted('main', madeExchange(), false)
  giveUp(MOST_REFUSED_CHECKS - 1)
  // A request that is wrong says nothing of the limit.
  refusals.admitted('main', madeExchange({ status: 400 }), false)
  expect(refusals.ended()).toBeUndefined()
  refusals.gaveUp('another')
  expect(() => refusals.throwIfEnded('main', undefined)).toThrow(/5 checks in a row/)
})
