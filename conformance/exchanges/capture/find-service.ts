// Finds the address of a service before others send requests to it: clients through a capture, or a fuzzer.
import { reachService } from '../../../harness/http/find-base.ts'
import type { ProbeOptions } from '../../../harness/http/probe.ts'
import { isVersioned } from '../../../harness/http/service-address.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'

/** The longest wait for an answer that shows an address, in milliseconds. */
const FIND_MS = 10_000

/**
 * Returns the address of a service; the given one, which stands for its `/v1`, if the service does not answer. Without a key
 * its refusals show where it is, too.
 */
export async function findService(
  given: string,
  options: Partial<Pick<ProbeOptions, 'key' | 'authHeader' | 'connection'>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  if (isVersioned(given)) return given
  try {
    const reaching = { key: '', ...options, baseUrl: given, timeoutMs: FIND_MS }
    const { probe, baseUrl } = await reachService(reaching, undefined, signal)
    probe.close()
    return baseUrl
  } catch (error) {
    if (error instanceof TransportError) return given
    throw error
  }
}
