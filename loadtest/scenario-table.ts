// The scenarios, in the order in which one would run them.
import { fairness } from './judges/fairness.ts'
import { breakpoint, spike } from './judges/limits-of-service.ts'
import { rateLimit } from './judges/rate-limit.ts'
import { retryAfter } from './judges/retry-after.ts'
import { rotation, smoke, soak, streaming } from './judges/steady.ts'
import type { Scenario } from './scenario.ts'

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
