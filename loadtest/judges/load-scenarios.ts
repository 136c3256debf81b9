// The scenarios, in the recommended order.
import { fairness } from './fairness.ts'
import { breakpoint, spike } from './limits-of-service.ts'
import { rateLimit } from './rate-limit.ts'
import { retryAfter } from './retry-after.ts'
import { rotation, smoke, soak, streaming } from './steady.ts'
import type { Scenario } from './load-scenario.ts'

export const scenarios: readonly Scenario[] = [
  smoke,
  rateLimit,
  retryAfter,
  fairness,
  rotation,
  streaming,
  breakpoint,
  spike,
  soak,
]
