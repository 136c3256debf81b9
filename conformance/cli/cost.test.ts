// The cost of a run: its plan, its bounds, and the quick run.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runCli } from './cli.fixture.ts'
import { requirement } from '../../spec/catalogue/requirements.ts'
import { select } from '../subjects/server/selection.ts'
import { durationOf, estimate } from '../subjects/server/cost-estimate.ts'
import { FAST_PLAN, TIMED_PROMPT } from '../facts/pace.ts'
import { COSTS } from '../subjects/server/costs.ts'
import { fullCatalogue } from '../subjects/server/catalogue.ts'
import { startService } from '../subjects/server/cases/scripted/start-service.fixture.ts'
import { textOfCall } from '../../fixtures/faulty/calls.ts'
import { type ConformanceOptions, runConformance } from '../run-conformance.ts'

const all = fullCatalogue()

/**
 * Judges the reference server; also returns what was sent, and the maximum number of concurrent requests. Requests that
 * time the model are left out, because their count depends on the speed of the machine.
 */
async function judge(options: ConformanceOptions, latencyMs = 0) {
  const paths: string[] = []
  let [inFlight, peak] = [0, 0]
  await using service = await startService(() => async (call, forward) => {
    const text = textOfCall(call)
    if (!text.includes(TIMED_PROMPT)) paths.push(`${call.method} ${call.url} ${text}`)
    inFlight += 1
    peak = Math.max(peak, inFlight)
    if (latencyMs > 0) await sleep(latencyMs)
    inFlight -= 1
    return forward(call)
  })
  const credentials = { CONFORMANCE_API_KEY: service.key }
  const report = await runConformance({ baseUrl: service.baseUrl, profile: 'wire', credentials, ...options })
  return { report, paths, peak }
}

test('a quick run judges every row but the optional ones', () => {
  const whole = select(all, { profile: 'service' })
  const quick = select(all, { profile: 'service', quick: true })
  const rows = ({ cases, observers }: typeof whole) =>
    new Set(
      [...cases, ...observers]
        .map((check) => check.requirement)
        .filter((row) => requirement(row).level !== 'MAY'),
    )
  expect(rows(quick)).toEqual(rows(whole))
})

test('every check that the table of costs names is there', () => {
  const ids = new Set(all.cases.map(({ id }) => id))
  const named = Object.values(COSTS).flatMap(({ quick }) => quick.map(({ id }) => id))
  expect(named.filter((id) => !ids.has(id))).toEqual([])
})

test('a quick run sends few requests and judges all that applies', { tags: 'slow' }, async () => {
  const report = await runConformance({ quick: true })
  expect(report.requests).toBeLessThanOrEqual(195)
  expect(report).toMatchObject({ exitCode: 0, seed: 1, runs: 1 })
  expect(report.coverage.judged).toBe(report.coverage.applicable)
})

test('the announced time goes from many answers at once to one after the other, or to answers as long as expected', () => {
  const fast = { latencyMs: 10, plan: FAST_PLAN, requestsPerSecond: Infinity, concurrency: undefined }
  const pace = { tokenMs: 100, isSerial: true, isShared: false }
  const slow = { ...fast, plan: { ...FAST_PLAN, concurrency: 1, pace } }
  expect(durationOf(1000, fast)).toEqual({ least: 2.5, most: 10 })
  expect(durationOf(1000, { ...fast, concurrency: 1 })).toEqual({ least: 10, most: 10 })
  expect(durationOf(1000, slow)).toEqual({ least: 10, most: 810 })
  expect(durationOf(1000, { ...fast, requestsPerSecond: 50 })).toEqual({ least: 20, most: 20 })
})

test('one row costs what discovery and its own checks need, the same each time', async () => {
  const first = await judge({ only: 'CHAT-7', seed: 1 })
  const second = await judge({ only: 'CHAT-7', seed: 1 })
  expect(first.paths.length).toBeLessThanOrEqual(8)
  expect(first.paths.length).toBe(second.paths.length)
  expect(first.report.coverage).toMatchObject({ applicable: 1, judged: 1 })
})

test('the same seed sends the same requests, another one others', async () => {
  const sent = async (seed: number) =>
    (await judge({ only: 'CHAT-8,WIRE-11', seed, runs: 2 })).paths.toSorted()
  const first = await sent(7)
  expect(await sent(7)).toEqual(first)
  expect(await sent(8)).not.toEqual(first)
})

test('checks side by side have the outcomes that they have one by one', { tags: 'slow' }, async () => {
  const options = { only: 'WIRE-1,WIRE-2,WIRE-5,WIRE-6,WIRE-8,CHAT-3,CHAT-4,CHAT-5', runs: 1, seed: 1 }
  const [alone, beside] = [await judge({ ...options, concurrency: 1 }, 20), await judge(options, 20)]
  const outcomes = ({ report }: typeof alone) => report.checks.map(({ id, outcome }) => [id, outcome])
  expect(outcomes(beside)).toEqual(outcomes(alone))
  expect([alone.peak, beside.peak > 1]).toEqual([1, true])
})

test('a plan is printed and nothing is sent', async () => {
  const { code, stdout } = await runCli(['--plan', '--base-url', 'http://127.0.0.1:9'])
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/Authentication +\d+ +\d+ +\d+\n[^]*in all, about/),
  ])
  const { total } = estimate(select(all, { profile: 'service' }), 50)
  expect(stdout).toContain(String(total.requests))
})

test('a budget of tokens ends a run in time, and what is left is inconclusive', async () => {
  const { report } = await judge({ maxTokensTotal: 500, only: 'CHAT-*', seed: 1 })
  const { prompt = 0, completion = 0 } = report.tokens ?? {}
  expect(prompt + completion).toBeLessThanOrEqual(500)
  expect(report.exitCode).toBe(3)
  expect(report.checks.some(({ reason }) => reason?.includes('--max-tokens-total') === true)).toBe(true)
})

test('a spent budget leaves a required capability unknown: incomplete, and no fault of the suite', async () => {
  const { report } = await judge({ maxRequests: 3, only: 'CHAT-1', require: ['logprobs', 'n'] })
  expect(report).toMatchObject({ exitCode: 3, faults: [], unknownCapabilities: ['logprobs', 'n'] })
})
