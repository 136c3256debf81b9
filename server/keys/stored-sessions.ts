// The sessions of operators in a database. Every instance that shares it can serve the dashboard.
import { z } from 'zod'
import type { Ask } from './database.ts'

/** Maximum sessions. Beyond it, the least recently used session ends. */
export const MAX_SESSIONS = 100

const INSERT = 'INSERT INTO sessions (id_hash, csrf, started_at, used_at) VALUES ($1, $2, $3, $4)'
const FORGET = `DELETE FROM sessions WHERE id_hash NOT IN
  (SELECT id_hash FROM sessions ORDER BY used_at DESC, started_at DESC LIMIT ${MAX_SESSIONS})`
const FIND = 'SELECT id_hash, csrf, started_at, used_at FROM sessions WHERE id_hash = $1'
const TOUCH = 'UPDATE sessions SET used_at = $1 WHERE id_hash = $2'
const DELETE = 'DELETE FROM sessions WHERE id_hash = $1'
const DELETE_ALL = 'DELETE FROM sessions WHERE id_hash IS DISTINCT FROM $1'
const PRUNE = 'DELETE FROM sessions WHERE started_at < $1 OR used_at < $2'

const sessionRow = z
  .tuple([z.string(), z.string(), z.number(), z.number()])
  .transform(([idHash, csrf, startedAt, usedAt]) => ({
    /** SHA-256 of the session's id, in hexadecimal: the id itself is not stored. */
    idHash,
    /** The token in each form of the session. */
    csrf,
    /** Milliseconds since the epoch. */
    startedAt,
    usedAt,
  }))

export type SessionRecord = z.output<typeof sessionRow>

export type SessionRecords = ReturnType<typeof storedSessions>

export function storedSessions(ask: Ask) {
  return {
    async insert({ idHash, csrf, startedAt, usedAt }: SessionRecord): Promise<void> {
      await ask(INSERT, idHash, csrf, startedAt, usedAt)
      await ask(FORGET)
    },
    async find(idHash: string): Promise<SessionRecord | undefined> {
      const [row] = await ask(FIND, idHash)
      return row === undefined ? undefined : sessionRow.parse(row)
    },
    async touch(idHash: string, usedAt: number): Promise<void> {
      await ask(TOUCH, usedAt, idHash)
    },
    async delete(idHash: string): Promise<void> {
      await ask(DELETE, idHash)
    },
    /** Ends all sessions except `except`. */
    async deleteAll(except?: string): Promise<void> {
      await ask(DELETE_ALL, except ?? null)
    },
    /** Deletes sessions started or last used before these times (milliseconds since the epoch). */
    async prune(startedBefore: number, usedBefore: number): Promise<void> {
      await ask(PRUNE, startedBefore, usedBefore)
    },
  }
}
