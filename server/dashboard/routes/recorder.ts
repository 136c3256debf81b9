// Writes audit entries. A failure to write does not undo the action: it is reported, and the operator still gets the
// answer, which may hold a secret that cannot be shown again.
import type { Context } from 'hono'
import type { ApiKey } from '../../keys/key-store.ts'
import type { AuditAction, AuditLog } from '../../keys/storage.ts'

export type Recorder = ReturnType<typeof createRecorder>

/** `now`: milliseconds since the epoch. */
export function createRecorder(
  audit: AuditLog,
  clientAddress: (c: Context) => string,
  now: () => number,
  reportError: (error: unknown) => void,
) {
  /** Resolves when the entry is stored or the failure is reported. `about` is the affected key. */
  return async function record(c: Context, action: AuditAction, about?: Pick<ApiKey, 'id' | 'name'>) {
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
