// One SQLite file for everything that the service keeps. What `create` and `revoke` have answered is on the disk:
// neither kill -9 nor a power loss takes it back. Every process that has the file open sees a revocation at once
// (KEY-4).
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Ask, CHECK } from '../database.ts'
import type { KeySources } from '../key-record.ts'
import { passwordFile, passwordInMemory } from '../password-file.ts'
import { storedKeys } from '../stored-keys.ts'
import { storedAudit, storedSessions } from '../stored-operator.ts'
import { migrate, migrations } from './schema.ts'
import { sqliteUsage } from './usage.ts'
import type { Storage } from '../storage.ts'
import { createWhenFree, type WhenFree, whenFreeAtStart } from './when-free.ts'

/** The file's name in the data folder. */
export const KEY_FILE = 'keys.sqlite'

/** How long a statement waits for another process that is writing, unless something else is said. In milliseconds. */
const BUSY_TIMEOUT_MS = 3000

/** The folder for the file and the password's, or `:memory:` for a storage that ends with the process. */
export type SqliteStorageOptions = KeySources & { readonly busyTimeoutMs?: number } & (
    | { readonly dataDir: string }
    | { readonly path: ':memory:' }
  )

/**
 * Opens the storage, and makes the file (mode 0600) where there is none. Throws where the file cannot be opened, is
 * not a database, or was written by a newer version of this project.
 */
export function openSqliteStorage(options: SqliteStorageOptions): Storage {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS } = options
  const path = 'dataDir' in options ? join(options.dataDir, KEY_FILE) : options.path
  const database = openDatabase(path, busyTimeoutMs)
  const whenFree = createWhenFree(busyTimeoutMs)
  const ask = askOf(database, whenFree)
  return {
    keys: storedKeys(ask, options),
    usage: sqliteUsage(database, whenFree),
    audit: storedAudit(ask),
    sessions: storedSessions(ask),
    password: 'dataDir' in options ? passwordFile(options.dataDir) : passwordInMemory(),
    async check() {
      await ask(CHECK)
    },
    async close() {
      if (database.isOpen) database.close()
    },
  }
}

/** Each statement is prepared once; a lookup then costs a few microseconds, on a path that every request takes. */
function askOf(database: DatabaseSync, whenFree: WhenFree): Ask {
  const prepared = new Map<string, StatementSync>()

  function statementOf(text: string): StatementSync {
    let statement = prepared.get(text)
    if (statement === undefined) {
      statement = database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
      // A row as an array costs a fifth less than one as an object.
      statement.setReturnArrays(true)
      prepared.set(text, statement)
    }
    return statement
  }

  return (text, ...values) => whenFree(() => statementOf(text).all(...values))
}

function openDatabase(path: string, busyTimeoutMs: number): DatabaseSync {
  if (path !== ':memory:') createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // SQLite's own wait is not enough: of two processes that make the file, it fails one that changes to WAL at once.
    whenFreeAtStart(busyTimeoutMs, () => {
      // With FULL a commit is on the disk before the statement returns; WAL keeps readers and a writer out of each
      // other's way.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      migrate(database, migrations)
    })
    // From here on others are served: nothing waits in SQLite, which would stop the whole process.
    database.exec('PRAGMA busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite gives its companion files (`-wal`, `-shm`) the mode of the database, so that one decides for all three. */
function createPrivateFile(path: string): void {
  makeFolder(dirname(path))
  try {
    // Only ever a new file is opened here: closing one that this process has open as a database too would drop the
    // locks that SQLite holds on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    chmodSync(path, 0o600)
  }
}

/** Makes a folder, and those above it. Not with `recursive`, which never returns where a file system takes no folders. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error
  }
}
