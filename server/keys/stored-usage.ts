// The usage of keys in a database. The last use of a key is stored apart from the minutes, which are deleted by age.
import { z } from 'zod'
import type { Ask } from './database.ts'

const COLUMNS = 'key_id, minute, requests, tokens, last_used_at'
const SINCE = `SELECT ${COLUMNS} FROM key_usage WHERE minute >= $1 ORDER BY minute, key_id`
const SINCE_OF_KEY = `SELECT ${COLUMNS} FROM key_usage WHERE minute >= $1 AND key_id = $2 ORDER BY minute`
const LAST_USED = 'SELECT key_id, at FROM key_last_use'
const PRUNE = 'DELETE FROM key_usage WHERE minute < $1'
const PRUNE_LAST_USE =
  'DELETE FROM key_last_use WHERE key_id IN (SELECT id FROM keys WHERE deleted_at IS NOT NULL)'

const usageRow = z
  .tuple([z.string(), z.number(), z.number(), z.number(), z.number()])
  .transform(([keyId, minute, requests, tokens, lastUsedAt]) => ({
    keyId,
    /** The minute since the epoch. */
    minute,
    /** Requests with this key, including refused ones. */
    requests,
    /** Tokens of prompts and answers. */
    tokens,
    /** The last request within the minute, in milliseconds since the epoch. */
    lastUsedAt,
  }))
const lastUseRow = z.tuple([z.string(), z.number()])

/** The usage of one key in one minute, on all instances together. */
export type UsageRecord = z.output<typeof usageRow>

/** The statements that differ between the databases. `sums` returns rows of `COLUMNS`. */
export interface UsageStatements {
  add(records: readonly UsageRecord[]): Promise<void>
  sums(minute: number, minutes: number, keyIds: readonly string[]): Promise<readonly unknown[]>
}

export type UsageStore = ReturnType<typeof storedUsage>

export function storedUsage(ask: Ask, { add, sums }: UsageStatements) {
  const readAll = (rows: readonly unknown[]): UsageRecord[] => rows.map((row) => usageRow.parse(row))
  return {
    /** Adds all records or none. */
    add,
    /** All records from this minute on, by minute; of one key or of all. */
    async since(minute: number, keyId?: string): Promise<UsageRecord[]> {
      return readAll(await (keyId === undefined ? ask(SINCE, minute) : ask(SINCE_OF_KEY, minute, keyId)))
    },
    /**
     * The records of these keys, summed over spans of `minutes`; each sum has the first minute of its span. Spans without
     * requests are omitted.
     */
    async sums(minute: number, minutes: number, keyIds: readonly string[]): Promise<UsageRecord[]> {
      return readAll(await sums(minute, minutes, keyIds))
    },
    /** When each key was last used, in milliseconds since the epoch. Kept until the key is deleted. */
    async lastUsed(): Promise<ReadonlyMap<string, number>> {
      return new Map((await ask(LAST_USED)).map((row) => lastUseRow.parse(row)))
    },
    /** Deletes records before this minute, and the last use of deleted keys. */
    async prune(minute: number): Promise<void> {
      await ask(PRUNE, minute)
      await ask(PRUNE_LAST_USE)
    },
  }
}
