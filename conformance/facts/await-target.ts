// Waits for a target that still starts, as in a job that starts it beside the judge. Nothing of this is a part of the run.
import { connectionOf } from '../../harness/http/connection.ts'
import { createProbe } from '../../harness/http/probe.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { waitsUntil } from '../../harness/waiting.ts'
import type { Settings } from '../contract/settings.ts'
import { isDown } from './preflight-advice.ts'

/** The time limit of one request, and the pause after it, in milliseconds. */
const TRIAL_MS = 5_000
const PAUSE_MS = 250

/**
 * Waits until the target answers a request for its models, whatever the answer is: only a refused connection and an answer like that
 * of a gateway (502, 503, 504) show that it still starts. Ends without an error when the time is over, because the run then
 * says what is wrong. Throws the reason of the signal if that is aborted.
 */
export async function awaitTarget(
  baseUrl: string,
  { waitMs, headers, environment }: Pick<Settings, 'waitMs' | 'headers' | 'environment'>,
  signal: AbortSignal,
): Promise<void> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
  const connection = connectionOf(environment)
  const timeoutMs = Math.min(TRIAL_MS, waitMs)
  const probe = createProbe({ baseUrl, key: '', headers, timeoutMs, connection })
  const isUp = async (): Promise<boolean> => {
    try {
      return !isDown(await probe.send({ path: '/v1/models' }, ends))
    } catch (error) {
      if (error instanceof TransportError || ends.aborted) return false
      throw error
    }
  }
  try {
    await waitsUntil(isUp, { signal: ends, everyMs: PAUSE_MS })
  } finally {
    probe.close()
  }
  signal.throwIfAborted()
}
