// Counts the steps of work on a grammar and stops it at a limit. Steps, not time, so that every machine refuses the same
// schemas, in the sandbox that checks them and in the inference process that uses them.

/** The remaining steps; one step takes some tenths of a microsecond. */
export interface Effort {
  left: number
}

/** Maximum steps to build the grammars of one answer: some tens of milliseconds, which block the other answers. */
export const MAX_BUILD_STEPS = 300_000

/** Maximum steps to try one token, and to try all tokens for one position of an answer. */
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

/** Runs `work`, which is synchronous; `spend` in it takes steps from `effort`. */
export function within<T>(effort: Effort, work: () => T): T {
  const outer = current
  current = effort
  try {
    return work()
  } finally {
    current = outer
  }
}

/** Counts `steps`. Throws `TooMuchEffort` if they exceed the limit of the surrounding `within`. */
export function spend(steps: number): void {
  current.left -= steps
  if (current.left < 0) throw new TooMuchEffort()
}
