// One key waits as long as it is asked to, and is then admitted; another asks well before, and is refused.
import { sleep } from 'k6'
import { ask, currentLoad, optionsOf, plan, retryAfterOf } from './load.ts'

/** Beyond the `Retry-After`, as LIMIT-3 has it, in seconds. */
const TOLERANCE_SECONDS = 1

/** Part of the time after which a refused key asks again. A time of a second may be rounded up from any less. */
const EARLY = 0.8
const ROUNDED_UP_SECONDS = 1

export const options = optionsOf('caller')

export function caller(): void {
  const load = currentLoad()
  const seconds = useUp()
  if (seconds === undefined) return
  if (load.name === 'waits') {
    sleep(seconds + TOLERANCE_SECONDS)
    ask({ load, phase: 'waited' })
  } else if (seconds > ROUNDED_UP_SECONDS) {
    sleep((seconds - ROUNDED_UP_SECONDS) * EARLY)
    ask({ load, phase: 'early' })
  }
}

/** Asks until a 429 comes, at most three times the limit; what it says, where it says when to come back. */
function useUp(): number | undefined {
  const load = currentLoad()
  for (let count = 0; count <= plan.limit.requests * 3; count++) {
    const answer = ask({ load, phase: 'exhausts' })
    if (answer.status === 429) return retryAfterOf(answer)
  }
  return undefined
}
