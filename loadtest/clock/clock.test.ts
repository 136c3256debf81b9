// The calibrated service exposes generators that measure wrong, and agrees with the one that measures right.
// Measurements that a busy moment disturbed are tried again.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCompleted, summarizeTimes, timesOf } from '../latency/latency-figures.ts'
import { generateStreams } from '../generator/generate-streams.ts'
import type { LatencyPlan } from '../generator/stream-plan.ts'
import { type GeneratorLine, combine } from '../generator/stream-record.ts'
import { runGenerators } from '../generator/run-generators.ts'
import { judgeLatency } from '../latency/latency-verdict.ts'
import {
  type ClockProcess,
  KEYS,
  type Reported,
  differences,
  planOf,
  startClockProcess,
} from './calibrate.fixture.ts'
import { SCRIPTS } from './timing-scripts.ts'
import { GAP_MS } from './script-steps.ts'
import { truthOf } from './served-truth.ts'
import { WRONG_GENERATORS, type WrongGenerator } from './wrong-generators.fixture.ts'

const SECONDS = 1

/** The most streams in flight. */
const IN_FLIGHT = 20

/**
 * The pauses of the scripts are multiples of this, in milliseconds, or divide it. An interval between requests that is one of
 * them too would put the events of all streams into the same millisecond, where each waits for the others. An interval that
 * is off by the golden section spreads them evenly.
 */
const BEAT_MS = GAP_MS
const OFF_BEAT_MS = BEAT_MS * ((Math.sqrt(5) - 1) / 2)

const ATTEMPTS = 8

/** The pause before the second attempt, in milliseconds; each later one is longer by as much. Other work may take seconds. */
const PAUSE_MS = 1000

let clock: ClockProcess
beforeAll(async () => {
  clock = await startClockProcess()
})
afterAll(() => clock[Symbol.asyncDispose]())

/** The time that a stream of a script takes, in milliseconds. */
function durationMs(name: string): number {
  const { steps = [], isSerial } = SCRIPTS[name]?.answer(1) ?? {}
  return isSerial === true ? 1000 : steps.reduce((sum, step) => sum + step.afterMs + (step.halfMs ?? 0), 0)
}

/** The shortest interval off the beat, in milliseconds, at which at most `IN_FLIGHT` streams of a script are in flight. */
function intervalMs(name: string): number {
  const beats = Math.ceil((durationMs(name) / IN_FLIGHT - OFF_BEAT_MS) / BEAT_MS)
  return Math.max(0, beats) * BEAT_MS + OFF_BEAT_MS
}

/** Runs the measurement, and compares it with the truth about the same streams. */
async function calibrate(name: string, measure: (plan: LatencyPlan) => Promise<Reported>) {
  await clock.forget()
  const plan = planOf(clock.baseUrl, name, 1000 / intervalMs(name), SECONDS)
  const reported = await measure(plan)
  return differences(reported, await clock.served(name), SECONDS)
}

async function rightly(plan: LatencyPlan): Promise<Reported> {
  const record = await runGenerators({ plan, keys: KEYS, processes: 1, signal: AbortSignal.timeout(60_000) })
  const verdict = judgeLatency({ plan, record, slo: {}, sloShare: 1, cores: 2 })
  const { requests: streams } = verdict
  return { ...verdict, streams, times: streams.filter(isCompleted).map(timesOf) }
}

async function wrongly(plan: LatencyPlan, wrong: Partial<WrongGenerator>): Promise<Reported> {
  const lines: GeneratorLine[] = []
  await generateStreams({
    plan: wrong.isSerial === true ? { ...plan, load: { model: 'closed', concurrency: 1 }, seconds: 4 } : plan,
    keys: KEYS,
    segment: 1,
    segments: 1,
    write: (line) => void lines.push(line),
    signal: AbortSignal.timeout(60_000),
    ...(wrong.createReader === undefined ? {} : { createReader: wrong.createReader }),
  })
  const { streams } = combine(lines)
  const completed = streams.filter(wrong.completed ?? isCompleted)
  const times = completed.map(wrong.times ?? timesOf)
  const latency = wrong.latency?.(streams) ?? summarizeTimes(times)
  const [offered, failed] = [streams.length, streams.length - completed.length]
  return { offered, completed: completed.length, failed, streams, times, latency }
}

const nameOf = (difference: string): string => difference.slice(0, difference.indexOf(':'))

describe('the generator', { tags: ['slow'] }, () => {
  it.each(Object.keys(SCRIPTS))('measures %s as it was', async (name) => {
    let { wrong, late } = await calibrate(name, rightly)
    for (let attempt = 1; wrong.length + late.length > 0 && attempt < ATTEMPTS; attempt++) {
      await sleep(attempt * PAUSE_MS)
      const again = await calibrate(name, rightly)
      const names = new Set(again.late.map(nameOf))
      // A generator that is late by itself is so in each attempt.
      late = late.filter((difference) => names.has(nameOf(difference)))
      wrong = again.wrong
    }
    expect([...wrong, ...late]).toEqual([])
  })
})

describe('a generator that', { tags: ['slow'] }, () => {
  it.each(Object.keys(WRONG_GENERATORS))('%s is exposed', async (name) => {
    const wrong = WRONG_GENERATORS[name]
    if (wrong === undefined) throw new Error('unknown')
    const found = await calibrate(wrong.script, (plan) => wrongly(plan, wrong))
    expect([...found.wrong, ...found.late]).toContainEqual(expect.stringMatching(`^${wrong.shows}`))
  })
})

it('counts what it served, and knows no other script', async () => {
  const plan = planOf(clock.baseUrl, 'no-finish', 100, 0.06)
  const reported = await wrongly(plan, {})
  expect(reported).toMatchObject({ offered: 6, completed: 4, failed: 2 })
  expect(truthOf('no-finish', await clock.served('no-finish'))).toMatchObject({
    offered: 6,
    completed: 4,
    failed: 2,
    events: 80,
    tokens: 80,
  })
  const answer = await fetch(`${clock.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer clock' },
    body: JSON.stringify({ model: 'clock-nothing-like-it', stream: true }),
  })
  expect(answer.status).toBe(404)
})
