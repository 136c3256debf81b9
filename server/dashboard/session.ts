// Signed-in operators, in this process's memory: a session ends at sign-out, after a time without use, after a whole
// working day, and with the process. Its id is kept as a hash, so that no dump of the store signs anybody in.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

export interface SessionLimits {
  /** A session ends when it was not used for so long, in milliseconds. */
  readonly idleMs: number
  /** A session ends so long after the sign-in, in milliseconds. */
  readonly lifetimeMs: number
  /** Over this many the one that was used longest ago ends. */
  readonly sessions: number
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  idleMs: 30 * 60_000,
  lifetimeMs: 12 * 3_600_000,
  sessions: 100,
}

/** Things that a session remembers of each kind before it forgets the oldest. */
const MAX_REMEMBERED = 20

export interface Session {
  /** Stands in each form of the session; a post without it is refused. */
  readonly csrf: string
  /** Said once, on the next list of keys. */
  notice: string | undefined
  /** By form id, the id of the key that the form made: a form that is posted twice makes one key. */
  readonly forms: Remembered<Promise<string>>
  /** By key id, secrets that were not shown yet. Taking one out is what shows it. */
  readonly secrets: Remembered<string>
}

export interface SessionStore {
  /** Starts a session; `id` is for the cookie and is kept nowhere. */
  start(): { readonly id: string; readonly session: Session }
  /** The live session with this id; finding it counts as its use. */
  find(id: string): Session | undefined
  end(id: string): void
}

export interface SessionStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
  /** Bytes from a cryptographic source. */
  readonly randomBytes?: (size: number) => Uint8Array
  readonly limits?: SessionLimits | undefined
}

export function createSessionStore(options: SessionStoreOptions = {}): SessionStore {
  const { now = Date.now, randomBytes: random = randomBytes, limits = DEFAULT_SESSION_LIMITS } = options
  /** By the hash of their ids, the one used longest ago first. */
  const entries = new Map<string, { readonly session: Session; readonly startedAt: number; usedAt: number }>()
  const token = () => Buffer.from(random(32)).toString('base64url')

  /** Also what a session held goes with it, a secret that nobody looked at above all. */
  function forgetEnded(): void {
    const time = now()
    for (const [key, { startedAt, usedAt }] of entries)
      if (time - startedAt >= limits.lifetimeMs || time - usedAt >= limits.idleMs) entries.delete(key)
  }

  return {
    start() {
      forgetEnded()
      const [oldest] = entries.keys()
      if (oldest !== undefined && entries.size >= limits.sessions) entries.delete(oldest)
      const id = token()
      const session: Session = {
        csrf: token(),
        notice: undefined,
        forms: remembered(MAX_REMEMBERED),
        secrets: remembered(MAX_REMEMBERED),
      }
      entries.set(digest(id), { session, startedAt: now(), usedAt: now() })
      return { id, session }
    },
    find(id) {
      forgetEnded()
      const key = digest(id)
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entry.usedAt = now()
      entries.delete(key)
      entries.set(key, entry)
      return entry.session
    },
    end(id) {
      entries.delete(digest(id))
    },
  }
}

/** Tells whether a post carries the token of its session, in constant time. */
export function isTokenOf(session: Session, token: string): boolean {
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', session.csrf, 'buffer'))
}

/** A small map that forgets its oldest entry when it is full. */
export interface Remembered<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  /** Returns the value and forgets it. */
  take(key: string): Value | undefined
}

function remembered<Value>(max: number): Remembered<Value> {
  const values = new Map<string, Value>()
  return {
    get: (key) => values.get(key),
    set(key, value) {
      const [oldest] = values.keys()
      if (oldest !== undefined && values.size >= max) values.delete(oldest)
      values.set(key, value)
    },
    take(key) {
      const value = values.get(key)
      values.delete(key)
      return value
    },
  }
}

function digest(id: string): string {
  return hash('sha256', id)
}
