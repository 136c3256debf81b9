// One SQLite file for everything that the service stores. When `create` or `revoke` resolves, the change is on the disk
// and survives kill -9 and a power loss. Every process with the file open sees a revocation at once (KEY-4).
import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Ask, CHECK } from '../database.ts'
import type { KeySources } from '../key-record.ts'
import { passwordFile, passwordInMemory } from '../password-file.ts'
import { storedKeys } from '../stored-keys.ts'
import { storedAudit } from '../stored-audit.ts'
import { storedSessions } from '../stored-sessions.ts'
import { migrate, migrations } from './sqlite-schema.ts'
import { storedUsage } from '../stored-usage.ts'
import { sqliteUsage } from './sqlite-usage.ts'
import type { Storage } from '../storage.ts'
import { createWhenFree, type WhenFree, whenFreeAtStart } from './when-free.ts'

/** The file's name in the data folder. */
export const KEY_FILE = 'keys.sqlite'

/** The name of a storage that ends with the process, given instead of a folder. */
export const IN_MEMORY = ':memory:'

/** Default wait of a statement for another process that is writing, in milliseconds. */
const BUSY_TIMEOUT_MS = 3000

/** The folder for the database and the password file, or none. */
export type SqliteStorageOptions = KeySources & { readonly busyTimeoutMs?: number } & (
    | { readonly dataDir: string }
    | { readonly path: typeof IN_MEMORY }
  )

/**
 * Opens the storage. Creates the file (mode 0600) if it does not exist. Throws if the file cannot be opened, is not a
 * database, or was written by a newer version of this project.
 */
export function openSqliteStorage(options: SqliteStorageOptions): Storage {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS } = options
  const path = 'dataDir' in options ? join(options.dataDir, KEY_FILE) : options.path
  const database = openDatabase(path, busyTimeoutMs)
  const whenFree = createWhenFree(busyTimeoutMs)
  const ask = askOf(database, whenFree)
  return {
    keys: storedKeys(ask, options),
    usage: storedUsage(ask, sqliteUsage(database, whenFree, ask)),
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

/** Prepares each statement once: every request runs a lookup, which then takes a few microseconds. */
function askOf(database: DatabaseSync, whenFree: WhenFree): Ask {
  const prepared = new Map<string, StatementSync>()

  function statementOf(text: string): StatementSync {
    let statement = prepared.get(text)
    if (statement === undefined) {
      statement = database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
      // Arrays take a fifth less time than objects.
      statement.setReturnArrays(true)
      prepared.set(text, statement)
    }
    return statement
  }

  return (text, ...values) => whenFree(() => statementOf(text).all(...values))
}

function openDatabase(path: string, busyTimeoutMs: number): DatabaseSync {
  if (path !== IN_MEMORY) createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // SQLite itself does not wait for the change to WAL while another process creates the file.
    whenFreeAtStart(busyTimeoutMs, () => {
      // FULL: a commit is on the disk before the statement returns. WAL: readers and a writer do not block each other.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      migrate(database, migrations)
    })
    // The process serves requests now, and a wait in SQLite would block all of them.
    database.exec('PRAGMA busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite gives its companion files (`-wal`, `-shm`) the mode of the database. */
function createPrivateFile(path: string): void {
  makeFolder(dirname(path))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) refuseOtherThanFile(file)
  try {
    // Opens new files only: closing a file that this process also has open as a database would drop SQLite's locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    chmodSync(path, 0o600)
  }
}

/** Throws for a link, because the writes and the mode of the database would affect its target. */
function refuseOtherThanFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile())
    throw new Error(`${path} must be a regular file, but it is a link or of another type: remove it`)
}

/** Creates a folder and its parents. Not `recursive`, which never returns on a file system without folders. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(path)) throw error
  }
}
