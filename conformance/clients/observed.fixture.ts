// Observations of a scenario, for tests of verifiers.
import type { Observed } from './scenario.ts'

/** A scenario in which nothing happened but what is given. */
export function observedWith(more: Partial<Observed> = {}): Observed {
  return {
    scenario: { name: 'made', script: [], checks: [] },
    task: { model: 'svc-0.1-8b', prompt: 'Say something.', request: {} },
    key: 'svc_sk_0123456789abcdef',
    path: '/s/made/v1/chat/completions',
    text: 'The answer.',
    attempts: [],
    strays: [],
    elsewhere: [],
    ends: [],
    boundMs: 10_000,
    stoppedMs: undefined,
    busyMs: () => 0,
    ...more,
  }
}
