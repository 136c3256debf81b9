// Counts the steps of work upon a grammar and ends it at a limit. Steps and not time, so that the same schema is refused
// on every machine, in the sandbox that checks it and in the inference process that uses it.

/** What is left of a limit, in steps; a step takes some tenths of a microsecond. */
export interface Effort {
  left: number
}

/** Steps to build the grammars of one answer, at most: some tens of milliseconds, in which no other answer goes on. */
export const MAX_BUILD_STEPS = 300_000

/** Steps to try one token, at most, and all that are tried for one place of an answer. */
export const MAX_TRY_STEPS = 300_000
export const MAX_PLACE_STEPS = 3_000_000

/** A limit was reached. */
export class TooMuchEffort extends RangeError {
  override readonly name = 'TooMuchEffort'

  constructor() {
    super('its grammar takes too much work')
  }
}

export function createEffort(steps: number): Effort {
  return { left: steps }
}

let current = createEffort(Infinity)

/** Does `work`, which is synchronous; what `spend` counts in it is taken from `effort`. */
export function within<T>(effort: Effort, work: () => T): T {
  const outer = current
  current = effort
  try {
    return work()
  } finally {
    current = outer
  }
}

/** Counts `steps`. Throws `TooMuchEffort` where the limit around this work is reached. */
export function spend(steps: number): void {
  current.left -= steps
  if (current.left < 0) throw new TooMuchEffort()
}
