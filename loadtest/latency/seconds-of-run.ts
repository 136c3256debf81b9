// A measurement second by second, for timelines.
import { isCompleted, secondsOf } from './latency-figures.ts'
import type { StreamRecord } from '../generator/stream-record.ts'

/** The longest time series, in seconds; a longer run has its beginning. */
const MOST_SECONDS = 24 * 3600

/** One row for each second, from the first planned request to the last end. */
export function secondsOfRun(streams: readonly StreamRecord[]) {
  const [first] = streams
  if (first === undefined) return []
  const ends = streams.map(({ plannedAt, endMs }) => plannedAt + endMs - first.plannedAt)
  const length = Math.min(
    MOST_SECONDS,
    1 + Math.floor(Math.max(secondsOf(streams), Math.max(...ends) / 1000)),
  )
  const rows = Array.from({ length }, () => ({
    offered: 0,
    completed: 0,
    failed: 0,
    /** The most streams in flight. */
    inFlight: 0,
    /** The tokens of the usage of completed streams, spread over their events. */
    outputTokens: 0,
  }))
  const at = (ms: number) => rows[Math.floor((ms - first.plannedAt) / 1000)]
  for (const stream of streams) {
    const { plannedAt, endMs, outputMs, completionTokens = 0 } = stream
    const [begin, end] = [at(plannedAt), at(plannedAt + endMs)]
    if (begin !== undefined) begin.offered += 1
    if (end !== undefined && isCompleted(stream)) end.completed += 1
    if (end !== undefined && !isCompleted(stream)) end.failed += 1
    if (!isCompleted(stream)) continue
    for (const ms of outputMs) {
      const row = at(plannedAt + ms)
      if (row !== undefined) row.outputTokens += completionTokens / outputMs.length
    }
  }
  const changes = streams
    .flatMap(({ plannedAt, dispatchMs, endMs }) => [
      [plannedAt + dispatchMs, 1] as const,
      [plannedAt + endMs, -1] as const,
    ])
    .toSorted(([one, a], [other, b]) => one - other || a - b)
  let now = 0
  let next = 0
  for (const [second, row] of rows.entries()) {
    // Seconds without a change keep the streams of the second before.
    row.inFlight = now
    for (; (changes[next]?.[0] ?? Infinity) - first.plannedAt < (second + 1) * 1000; next++) {
      now += changes[next]?.[1] ?? 0
      row.inFlight = Math.max(row.inFlight, now)
    }
  }
  return rows.map((row) => Object.assign(row, { outputTokens: Math.round(row.outputTokens * 10) / 10 }))
}
