// Compares the numbers that a command ordered with the requests that its generator sent.
import { inFlight } from './in-flight.ts'
import type { Claim, FigureVerdict, Tolerance } from './judge-figures.ts'
import type { ServedStream } from './served-truth.ts'

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
