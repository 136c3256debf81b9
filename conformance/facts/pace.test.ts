import { describe, expect, test } from 'vitest'
import { fc, forAll, forAllAsync } from '../../spec/property.fixture.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { isRecord, parseJson } from '../../harness/verify/json-value.ts'
import { FAST_PLAN, measurePace, planOf } from './pace.ts'
import type { Pace } from '../contract/target.ts'

interface Machine {
  readonly tokenMs: number
  readonly latencyMs: number
  readonly isSerial: boolean
  /** The length of each answer if the bound does not cut it. */
  readonly tokens: number
}

/** An exchange that took this time, with this usage. */
function answered(request: RequestSpec, totalMs: number, tokens: number): Exchange {
  const exchange = madeExchange({
    requestBody: String(request.body),
    body: JSON.stringify({ usage: { completion_tokens: tokens } }),
  })
  return { ...exchange, timings: { ...exchange.timings, totalMs } }
}

/** Measures a machine whose time is simulated. */
function measure({ tokenMs, latencyMs, isSerial, tokens }: Machine): Promise<Pace | undefined> {
  let busyUntil = 0
  let inFlight = 0
  const ask = async (request: RequestSpec): Promise<Exchange> => {
    if (inFlight === 0 || !isSerial) busyUntil = 0
    inFlight += 1
    const body = parseJson(String(request.body))
    const bound = isRecord(body) ? Number(body['max_tokens']) : NaN
    const length = Math.min(bound, tokens)
    busyUntil += length * tokenMs
    const totalMs = latencyMs + busyUntil
    await Promise.resolve()
    inFlight -= 1
    return answered(request, totalMs, length)
  }
  const first = answered(
    { path: '/', body: '{"max_tokens":16}' },
    latencyMs + Math.min(8, tokens) * tokenMs,
    8,
  )
  return measurePace(first, 'm', ask)
}

describe('the pace of a model', () => {
  const machine = fc.record({
    tokenMs: fc.integer({ min: 60, max: 2000 }),
    latencyMs: fc.integer({ min: 0, max: 300 }),
    isSerial: fc.boolean(),
    tokens: fc.integer({ min: 10, max: 100 }),
  })

  test('is measured without the latency, and whether answers wait for each other', () =>
    forAllAsync(machine, async (one) => {
      const pace = await measure(one)
      expect(pace?.tokenMs).toBeCloseTo(one.tokenMs)
      // A latency as long as several tokens may hide the rest.
      fc.pre(one.latencyMs < 3 * one.tokenMs)
      expect(pace?.isSerial).toBe(one.isSerial)
    }))

  test('is measured by whole answers if these have one token', async () => {
    expect(await measure({ tokenMs: 300, latencyMs: 100, isSerial: false, tokens: 1 })).toMatchObject({
      tokenMs: 400,
    })
  })

  test('is measured if the first answer is short and comes soon', async () => {
    const pace = await measure({ tokenMs: 24, latencyMs: 20, isSerial: false, tokens: 4 })
    expect(pace?.tokenMs).toBeCloseTo(24)
  })

  test('is not measured for a fast model, and a slow connection is not a slow model', async () => {
    expect(await measure({ tokenMs: 1, latencyMs: 10, isSerial: false, tokens: 50 })).toBeUndefined()
    expect(await measure({ tokenMs: 1, latencyMs: 900, isSerial: false, tokens: 50 })).toBeUndefined()
  })
})

test('a slow model gets low bounds, which fit into the time limit and the context', () => {
  const paces = fc.record({
    tokenMs: fc.integer({ min: 25, max: 40_000 }),
    isSerial: fc.boolean(),
    isShared: fc.boolean(),
  })
  forAll(
    paces,
    fc.integer({ min: 30_000, max: 120_000 }),
    fc.integer({ min: 2, max: 8192 }),
    (pace, timeoutMs, contextTokens) => {
      const plan = planOf(pace, timeoutMs, contextTokens)
      expect(plan.briefTokens).toBeLessThanOrEqual(FAST_PLAN.briefTokens)
      // A first attempt takes 3 seconds, or as long as 32 tokens.
      expect(plan.wholeTokens).toBeLessThanOrEqual(Math.max(32, 3000 / pace.tokenMs))
      expect(plan.briefTokens).toBeGreaterThan(0)
      expect(plan.briefTokens).toBeLessThanOrEqual(plan.wholeTokens)
      expect(plan.wholeTokens).toBeLessThanOrEqual(plan.mostTokens)
      expect(plan.mostTokens).toBeLessThanOrEqual(contextTokens / 2)
      expect(plan.concurrency).toBe(pace.isSerial ? 1 : pace.isShared ? 2 : undefined)
    },
  )
  expect(planOf({ tokenMs: 100, isSerial: false, isShared: false }, 30_000)).toMatchObject({
    briefTokens: 8,
    wholeTokens: 32,
  })
  expect(planOf({ tokenMs: 25, isSerial: false, isShared: false }, 30_000)).toMatchObject({
    briefTokens: 32,
    wholeTokens: 120,
  })
  expect(planOf(undefined, 30_000)).toEqual(FAST_PLAN)
  expect(planOf(undefined, 30_000, 2048).mostTokens).toBe(1024)
  expect(planOf(undefined, 30_000, 512)).toMatchObject({ wholeTokens: 256, mostTokens: 256 })
})
