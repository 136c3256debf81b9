// Whether a program reads a long stream to its end (READ-16).
import { Inconclusive, fail } from '../../../contract/outcome.ts'
import type { Observed } from '../scenario.ts'
import { printedText } from './program-output.ts'

/** A stream that took longer than this beyond its duration had pauses, in milliseconds. */
const SLOW_MS = 3_000
/** A delay of the judge from which a delta may not have come within a second, in milliseconds. */
const PAUSE_MS = 450
/** How long before the end of a connection such a delay may be its cause, in milliseconds. */
const CAUSE_MS = 10_000

/**
 * Verifies that the program did not close the connection within the stream, whose duration is `longMs`, and that it read the
 * text. A client may end a stream that pauses, as one does on a machine that is too busy.
 */
export function readsToItsEnd(observed: Observed, usual: Observed, longMs: number): void {
  const [attempt] = observed.attempts
  if (attempt?.hungUpMs === undefined) return printedText(observed, usual)
  const { arrivedMs, hungUpMs } = attempt
  const readMs = hungUpMs - arrivedMs
  if (readMs > longMs + SLOW_MS || observed.busyMs(hungUpMs - CAUSE_MS, hungUpMs) >= PAUSE_MS)
    throw new Inconclusive('the stream paused, because this machine is too busy')
  fail(
    `a stream that is read to its end, after ${longMs / 1000} s`,
    `the connection was closed after ${(readMs / 1000).toFixed(1)} s`,
  )
}
