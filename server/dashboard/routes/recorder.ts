// Writes down what an operator did. What cannot be written down was done all the same: the failure is reported, and the
// operator gets the answer (a secret above all, which nobody could show again).
import type { Context } from 'hono'
import type { AuditAction, AuditLog } from '../../keys/storage.ts'

export interface RecorderOptions {
  readonly audit: AuditLog
  readonly clientAddress: (c: Context) => string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly reportError: (error: unknown) => void
}

/** Resolves when the entry is kept, or the failure was reported. `about` is the key that it was done to. */
export type Recorder = (
  c: Context,
  action: AuditAction,
  about?: { readonly id: string; readonly name: string },
) => Promise<void>

export function createRecorder({ audit, clientAddress, now, reportError }: RecorderOptions): Recorder {
  return async function record(c, action, about) {
    try {
      await audit.append({
        at: now(),
        action,
        address: clientAddress(c),
        keyId: about?.id ?? null,
        detail: about?.name ?? '',
      })
    } catch (error) {
      reportError(error)
    }
  }
}
