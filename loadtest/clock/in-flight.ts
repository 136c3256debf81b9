// How many requests the calibrated service had in flight, and whether that is what the command ordered.
import type { Claim, FigureVerdict, Tolerance } from './judge-figures.ts'
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

/** Judges the numbers that a command had; undefined stands for a number that it did not have. */
export function judgeClaims(
  ordered: { readonly requests: number | undefined; readonly concurrency: number | undefined },
  { script, served, tolerance }: { script: string; served: readonly ServedStream[]; tolerance: Tolerance },
): readonly FigureVerdict[] {
  const { most, plateau } = inFlight(served)
  const claim = (figure: Claim, wanted: number | undefined, bounds: readonly [number, number], off: number) =>
    wanted === undefined
      ? []
      : [
          {
            script,
            figure,
            found: off === 0 ? ('true' as const) : ('off' as const),
            reading: null,
            values: [
              {
                statistic: 'mean' as const,
                reported: wanted,
                least: bounds[0],
                most: bounds[1],
                off,
                isTail: false,
              },
            ],
            why: null,
            // The requests follow each other more slowly on a busy machine.
            isLate: figure === 'concurrency kept' && wanted === most,
          },
        ]
  const { requests, concurrency = 0 } = ordered
  const share = plateau / concurrency
  const lacking = share < 1 - tolerance.percent / 100 ? concurrency - plateau : 0
  return [
    ...claim('requests sent', requests, [served.length, served.length], (requests ?? 0) - served.length),
    ...claim(
      'concurrency kept',
      ordered.concurrency,
      [plateau, most],
      concurrency === most ? lacking : concurrency - most,
    ),
  ]
}
