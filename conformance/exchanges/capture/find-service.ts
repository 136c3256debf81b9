// Finds the address of a service before its clients send requests through a capture. The judge has no key of the service.
import type { Connection } from '../../../harness/http/connection.ts'
import { findBase } from '../../../harness/http/find-base.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import { isVersioned } from '../../../harness/http/service-address.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'

/** The longest wait for an answer that shows an address, in milliseconds. */
const FIND_MS = 10_000

/** Returns the address of a service; the given one, which stands for its `/v1`, if the service does not answer. */
export async function findService(
  given: string,
  connection: Connection,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  if (isVersioned(given)) return given
  const probe = createProbe({ baseUrl: given, key: '', timeoutMs: FIND_MS, connection })
  try {
    return (await findBase(given, (request) => probe.send(request, signal))).baseUrl
  } catch (error) {
    if (error instanceof TransportError) return given
    throw error
  } finally {
    probe.close()
  }
}
