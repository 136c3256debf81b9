// How many requests the calibrated service had in flight.
import type { ServedStream } from './served-truth.ts'

/**
 * The requests that the service had in flight: the most, the mean of the whole run, and the mean until the last request, between
 * which and the end a generator sends nothing more.
 */
export function inFlight(served: readonly ServedStream[]) {
  const changes = served
    .flatMap(({ arrivedMs, endedMs }) => [
      { at: arrivedMs, by: 1 },
      { at: endedMs, by: -1 },
    ])
    // An end before an arrival of the same time: the client sends the next request after the answer.
    .toSorted((one, other) => one.at - other.at || one.by - other.by)
  const most = changes.reduce(({ now, top }, { by }) => ({ now: now + by, top: Math.max(top, now + by) }), {
    now: 0,
    top: 0,
  }).top
  const start = Math.min(...served.map(({ arrivedMs }) => arrivedMs))
  const busyUntil = (end: number): number =>
    served.reduce((sum, one) => sum + Math.max(0, Math.min(one.endedMs, end) - one.arrivedMs), 0) /
    (end - start)
  const end = Math.max(...served.map(({ endedMs }) => endedMs))
  const last = Math.max(...served.map(({ arrivedMs }) => arrivedMs))
  return {
    seconds: (end - start) / 1000,
    most,
    mean: busyUntil(end),
    plateau: last > start ? busyUntil(last) : most,
  }
}
