// Tests of verifiers get attempts of a program, and the error that a verifier throws.
import { endOf } from '../../contract/result.ts'
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

/** The name of the error that a verifier throws; undefined if it throws none. */
export function errorOf(verify: () => void): string | undefined {
  return (endOf(verify).thrown as Error | undefined)?.name
}
