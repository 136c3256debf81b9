// Sessions of operators. A session ends at the sign-out, after a time without use, and after a maximum lifetime. The storage
// holds it for all instances, with a hash of its id only, so that a database dump gives no access.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SessionRecords } from '../../keys/stored-sessions.ts'

export interface SessionLimits {
  /** Maximum time without use, in milliseconds. */
  readonly idleMs: number
  /** Maximum time since the sign-in, in milliseconds. */
  readonly lifetimeMs: number
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = { idleMs: 30 * 60_000, lifetimeMs: 12 * 3_600_000 }

/** A use is stored only if this share of the idle time has passed since the last stored one. */
const TOUCH_SHARE = 1 / 30

/** An id is 256 bits in base64url. */
const ID_PATTERN = /^[\w-]{43}$/

export interface Session {
  /** The token in each form of the session; a post without it is refused. */
  readonly csrf: string
  /** The id of the session in the storage. */
  readonly idHash: string
}

export type Sessions = ReturnType<typeof createSessions>

/** `now`: milliseconds since the epoch. */
export function createSessions(
  records: SessionRecords,
  now: () => number,
  limits: SessionLimits = DEFAULT_SESSION_LIMITS,
) {
  const token = () => randomBytes(32).toString('base64url')

  return {
    /** Starts a session. `id` is for the cookie and is not stored. */
    async start() {
      const time = now()
      await records.prune(time - limits.lifetimeMs, time - limits.idleMs)
      const id = token()
      const session: Session = { csrf: token(), idHash: hash('sha256', id) }
      await records.insert({ ...session, startedAt: time, usedAt: time })
      return { id, session }
    },
    /** The active session with this id. Counts as a use. */
    async find(id: string): Promise<Session | undefined> {
      if (!ID_PATTERN.test(id)) return undefined
      const record = await records.find(hash('sha256', id))
      if (record === undefined) return undefined
      const time = now()
      const { csrf, idHash, startedAt, usedAt } = record
      if (time - startedAt >= limits.lifetimeMs || time - usedAt >= limits.idleMs) return undefined
      if (time - usedAt >= limits.idleMs * TOUCH_SHARE) await records.touch(idHash, time)
      return { csrf, idHash }
    },
    end: (id: string) => records.delete(hash('sha256', id)),
    /** Ends all other sessions. */
    endOthers: ({ idHash }: Session) => records.deleteAll(idHash),
  }
}

/** Whether a token is that of the session, in constant time. */
export function isTokenOf(session: Session, token: string): boolean {
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', session.csrf, 'buffer'))
}
