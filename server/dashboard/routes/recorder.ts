// Writes audit entries. A failure to write does not undo the action: it is reported, and the operator still gets the
// answer, which may hold a secret that cannot be shown again.
import type { Context } from 'hono'
import type { AuditAction, AuditLog } from '../../keys/storage.ts'

export interface RecorderOptions {
  readonly audit: AuditLog
  readonly clientAddress: (c: Context) => string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly reportError: (error: unknown) => void
}

/** Resolves when the entry is stored or the failure is reported. `about` is the affected key. */
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
