// Observations of a scenario, for tests of verifiers.
import { endOf } from '../../contract/result.ts'
import type { Observed } from './scenario.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'

/** An attempt that arrives and is answered at these times. */
export function attempt(arrivedMs: number, lastByteMs: number, status: number, retryAfter?: string): Call {
  return {
    kind: 'attempt',
    arrivedMs,
    request: { method: 'POST', url: 'http://127.0.0.1/', path: '/', headers: [] },
    reply: {
      status,
      headers: retryAfter === undefined ? [] : [['retry-after', retryAfter]],
      pieces: [],
      end: 'complete',
      firstByteMs: lastByteMs - 1,
      lastByteMs,
    },
  }
}

/** A scenario in which nothing happened but what is given. */
export function observedWith(more: Partial<Observed> = {}): Observed {
  return {
    scenario: { name: 'made', script: [], checks: [] },
    task: { model: 'svc-0.1-8b', prompt: 'Say something.', request: {} },
    baseUrl: 'http://127.0.0.1/s/made/v1',
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

/** The name of the error that a verifier throws; undefined if it throws none. */
export function errorOf(verify: () => void): string | undefined {
  return (endOf(verify).thrown as Error | undefined)?.name
}
