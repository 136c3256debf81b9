// Properties of a service: fast-check generates values from the seed of the case and shrinks a failing one, so that a
// failure shows the smallest value found.
import * as fc from 'fast-check'
import { CheckFailure } from '../contract/outcome.ts'
import { TransportError } from '../../harness/http/transport-error.ts'

/** A slow target is judged on `LEAST_RUNS` values if they take longer than this, in milliseconds. */
const MAX_PROPERTY_MS = 40_000
const LEAST_RUNS = 10

/** The most requests for shrinking a failure, and the most time in milliseconds. */
const MAX_SHRINK_STEPS = 100
const MAX_SHRINK_MS = 15_000

/**
 * Runs `judge` for `context.runs` values of `arbitrary`, one after the other (fewer if they take too long). A failure
 * of a check is shrunk and thrown again for the smallest value; any other error of `judge` ends the property unchanged.
 */
export async function property<Value>(
  context: { readonly seed: number; readonly runs: number; readonly now?: () => number },
  arbitrary: fc.Arbitrary<Value>,
  judge: (value: Value) => Promise<void>,
  options: { readonly runs?: number; readonly examples?: readonly Value[] } = {},
): Promise<void> {
  const { now = () => performance.now() } = context
  let smallest: CheckFailure | TransportError | undefined
  let ended: { readonly by: unknown } | undefined
  let stepsLeft = MAX_SHRINK_STEPS
  let shrinkUntil = Infinity
  let judged = 0
  const enoughAt = now() + MAX_PROPERTY_MS

  const isOver = (): boolean => {
    if (ended !== undefined) return true
    if (smallest !== undefined) return stepsLeft-- <= 0 || now() > shrinkUntil
    return judged >= LEAST_RUNS && now() > enoughAt
  }

  const holds = fc.asyncProperty(arbitrary, async (value) => {
    // A failed precondition with `true` ends the whole property, as an interrupt does.
    if (isOver()) throw new fc.PreconditionFailure(true)
    judged += 1
    try {
      await judge(value)
    } catch (error) {
      if (!(error instanceof CheckFailure || error instanceof TransportError)) {
        ended = { by: error }
        return
      }
      if (smallest === undefined) shrinkUntil = now() + MAX_SHRINK_MS
      smallest = error
      throw error
    }
  })
  await fc.check(holds, {
    seed: context.seed,
    numRuns: options.runs ?? context.runs,
    examples: (options.examples ?? []).map((value) => [value]),
  })
  // A failure is reported in place of the reason why shrinking ended, such as the end of the time.
  if (smallest !== undefined) throw smallest
  if (ended !== undefined) throw ended.by
}
