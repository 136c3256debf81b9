// How steeply a cost grows: 0 is constant, 1 linear, 2 quadratic.

/** Processor time of a request, in microseconds, at one size. */
export interface Point {
  readonly size: number
  readonly cpuMicros: number
}

/** A shorter step between two sizes shows the noise of the machine rather than growth. */
const STEP = 10

/** The steepest growth between two sizes at least `STEP` times apart. `points` is in the order of their sizes. */
export function exponent(points: readonly Point[]): number {
  const steps = points.flatMap((from, at) => {
    const to = points.slice(at).find(({ size }) => size >= STEP * from.size)
    return to === undefined ? [] : [Math.log(to.cpuMicros / from.cpuMicros) / Math.log(to.size / from.size)]
  })
  return Math.max(0, ...steps)
}
