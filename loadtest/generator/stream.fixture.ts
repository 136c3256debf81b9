// A plan and the record of one of its streams, for tests.
import type { LatencyPlan } from './stream-plan.ts'
import type { StreamRecord } from './stream-record.ts'

/** A completed stream of three events and six tokens. */
export function stream(more: Partial<StreamRecord> = {}): StreamRecord {
  return {
    type: 'stream',
    conversation: 0,
    turn: 1,
    plannedAt: 1_000_000,
    dispatchMs: 1,
    status: 200,
    outputMs: [100, 120, 150],
    ttfvMs: 120,
    endMs: 160,
    promptTokens: 5,
    completionTokens: 6,
    ...more,
  }
}

/** Ten seconds of short prompts. */
export function plan(more: Partial<LatencyPlan> = {}): LatencyPlan {
  return {
    schema: 'touchstone.latency-plan/1',
    baseUrl: 'http://127.0.0.1:1',
    model: 'm',
    load: { model: 'open', arrivals: 'poisson', ratePerSecond: 10 },
    seconds: 10,
    seed: 1,
    promptTokens: { least: 8, most: 8 },
    answerTokens: { least: 8, most: 8 },
    sharedPrefixTokens: 0,
    turns: 1,
    usage: true,
    timeoutSeconds: 10,
    stopsEarly: false,
    ...more,
  }
}
