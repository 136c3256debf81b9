// Waits for an event, or for the end of the wait.
import { type EventEmitter, once } from 'node:events'

/** Resolves at the next event of this name, or when the signal is aborted. */
export async function nextEvent(emitter: EventEmitter, name: string, signal: AbortSignal): Promise<void> {
  await once(emitter, name, { signal }).catch(() => undefined)
}
