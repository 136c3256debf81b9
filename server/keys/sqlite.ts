// Keys in a SQLite file. What `create` and `revoke` have answered is on the disk: neither kill -9 nor a power loss
// takes it back. Every process that has the file open sees a revocation at once (KEY-4).
import { hash, randomBytes } from 'node:crypto'
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatKey } from '../../spec/key.ts'
import type { ApiKey, KeyStore } from './key-store.ts'
import { migrate, migrations } from './sqlite-schema.ts'

/** The file's name in the data folder. */
export const KEY_FILE = 'keys.sqlite'

/** How long a statement waits for another process that is writing, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Where the file is: its path (`:memory:` for a store that ends with the process), or the folder to keep it in. */
export type SqliteKeyStoreLocation = { readonly path: string } | { readonly dataDir: string }

export type SqliteKeyStoreOptions = SqliteKeyStoreLocation & {
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Bytes from a cryptographic source. */
  readonly randomBytes?: (size: number) => Uint8Array
}

/**
 * Opens the store, and makes the file (mode 0600) where there is none. Throws where the file cannot be opened, is not
 * a database, or was written by a newer version of this project.
 */
export function openSqliteKeyStore(options: SqliteKeyStoreOptions): KeyStore {
  const { now = Date.now, randomBytes: random = randomBytes } = options
  const path = 'path' in options ? options.path : join(options.dataDir, KEY_FILE)
  const database = openDatabase(path)

  const insert = database.prepare(
    `INSERT INTO keys (hash, id, name, last_four, created_at, models, limit_requests, limit_window_seconds,
       limit_concurrency, limit_tokens_per_minute)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = database.prepare(`SELECT ${COLUMNS} FROM keys WHERE hash = ? AND revoked_at IS NULL`)
  const selectOne = database.prepare(`SELECT ${COLUMNS} FROM keys WHERE id = ?`)
  const selectAll = database.prepare(`SELECT ${COLUMNS} FROM keys ORDER BY number DESC`)
  const update = database.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const probe = database.prepare('SELECT count(*) FROM (SELECT 1 FROM keys LIMIT 1)')
  // A row as an array costs a fifth less than one as an object, on a path that every request takes.
  select.setReturnArrays(true)
  selectOne.setReturnArrays(true)
  selectAll.setReturnArrays(true)

  return {
    async create({ name, models, limit, concurrency = null, tokensPerMinute = null }) {
      const secret = formatKey(random(32))
      const key: ApiKey = {
        id: `key_${Buffer.from(random(12)).toString('hex')}`,
        name,
        lastFour: secret.slice(-4),
        createdAt: new Date(now()),
        revokedAt: null,
        models: models === null ? null : [...models],
        limit: limit === null ? null : { requests: limit.requests, windowSeconds: limit.windowSeconds },
        concurrency,
        tokensPerMinute,
      }
      insert.run(
        hashSecret(secret),
        key.id,
        key.name,
        key.lastFour,
        key.createdAt.getTime(),
        key.models === null ? null : JSON.stringify(key.models),
        key.limit?.requests ?? null,
        key.limit?.windowSeconds ?? null,
        key.concurrency,
        key.tokensPerMinute,
      )
      return { key, secret }
    },

    async findActive(secret) {
      const row: unknown = select.get(hashSecret(secret))
      return row === undefined ? undefined : readKey(row)
    },

    async find(id) {
      const row: unknown = selectOne.get(id)
      return row === undefined ? undefined : readKey(row)
    },

    async list() {
      return selectAll.all().map(readKey)
    },

    async revoke(id) {
      return update.run(now(), id).changes === 1
    },

    async check() {
      probe.get()
    },

    async close() {
      if (database.isOpen) database.close()
    },
  }
}

function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // With FULL a commit is on the disk before the statement returns; WAL keeps readers and a writer out of each
    // other's way.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(database, migrations)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite gives its companion files (`-wal`, `-shm`) the mode of the database, so that one decides for all three. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Only ever a new file is opened here: closing one that this process has open as a database too would drop the
    // locks that SQLite holds on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    chmodSync(path, 0o600)
  }
}

/**
 * A plain hash is right here: it is slow hashes that protect what can be guessed, and a secret of 256 random bits
 * cannot. Looking it up by hash also compares nothing of the secret itself: how long an index search takes depends on
 * the hash, which nobody can steer towards that of a key without knowing the key.
 */
function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}

/** What `readKey` reads, in its order. */
const COLUMNS = `id, name, last_four, created_at, revoked_at, models, limit_requests, limit_window_seconds,
  limit_concurrency, limit_tokens_per_minute`

function readKey(row: unknown): ApiKey {
  if (!Array.isArray(row)) throw new TypeError('the key database returned no row')
  const [id, name, lastFour, createdAt, revokedAt, models, ...limits]: readonly unknown[] = row
  const [requests, windowSeconds, concurrency, tokensPerMinute] = limits
  if (
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    typeof lastFour !== 'string' ||
    typeof createdAt !== 'number'
  )
    throw new TypeError('the key database holds a row that is not a key')
  return {
    id,
    name,
    lastFour,
    createdAt: new Date(createdAt),
    revokedAt: typeof revokedAt === 'number' ? new Date(revokedAt) : null,
    models: typeof models === 'string' ? readModels(models) : null,
    limit:
      typeof requests === 'number' && typeof windowSeconds === 'number' ? { requests, windowSeconds } : null,
    concurrency: typeof concurrency === 'number' ? concurrency : null,
    tokensPerMinute: typeof tokensPerMinute === 'number' ? tokensPerMinute : null,
  }
}

function readModels(json: string): readonly string[] {
  const models: unknown = JSON.parse(json)
  if (!Array.isArray(models) || !models.every((model) => typeof model === 'string'))
    throw new TypeError('the key database holds a list of models that is none')
  return models
}
