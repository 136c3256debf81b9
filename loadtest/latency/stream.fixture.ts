// A record of a stream for tests.
import type { StreamRecord } from './record.ts'

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
