// One key waits for `Retry-After` and must be admitted; another tries well before it and must be refused.
import { sleep } from 'k6'
import { ask, currentLoad, optionsOf, plan, retryAfterOf } from './k6-load.ts'

/** The tolerance after `Retry-After` (LIMIT-3), in seconds. */
const TOLERANCE_SECONDS = 1

/** The part of the wait after which a refused key tries again. A wait may have been rounded up to whole seconds. */
const EARLY = 0.8
const ROUNDED_UP_SECONDS = 1

export const options = optionsOf('caller')

export function caller(): void {
  const load = currentLoad()
  const seconds = exhaust()
  if (seconds === undefined) return
  if (load.name === 'waits') {
    sleep(seconds + TOLERANCE_SECONDS)
    ask({ load, phase: 'waited' })
  } else if (seconds > ROUNDED_UP_SECONDS) {
    sleep((seconds - ROUNDED_UP_SECONDS) * EARLY)
    ask({ load, phase: 'early' })
  }
}

/** Sends requests until the first 429, at most three times the limit. Returns its `Retry-After`, if it has one. */
function exhaust(): number | undefined {
  const load = currentLoad()
  for (let count = 0; count <= plan.limit.requests * 3; count++) {
    const answer = ask({ load, phase: 'exhausts' })
    if (answer.status === 429) return retryAfterOf(answer)
  }
  return undefined
}
