// Where this instance keeps things: in PostgreSQL where an address is given, in a file of its data folder otherwise.
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Logger } from '../http/observability.ts'
import { leasedKeys } from './leased-keys.ts'
import { KEY_FILE, openSqliteStorage } from './sqlite/sqlite.ts'
import type { Storage } from './storage.ts'

type StorageConfig = Pick<Config, 'dataDir' | 'database' | 'databaseTimeoutSeconds' | 'keyLeaseMs'>

/** Opens the storage. Throws `ConfigError` where the file, or the database of `DATABASE_URL`, cannot be used. */
export async function openStorage(config: StorageConfig, logger: Logger): Promise<Storage> {
  const storage = await openDatabase(config, logger)
  return { ...storage, keys: leasedKeys(storage.keys, config.keyLeaseMs) }
}

async function openDatabase(
  { dataDir, database, databaseTimeoutSeconds }: StorageConfig,
  logger: Logger,
): Promise<Storage> {
  if (database === undefined) {
    try {
      return openSqliteStorage({ dataDir, busyTimeoutMs: databaseTimeoutSeconds * 1000 })
    } catch (error) {
      const path = resolve(dataDir, KEY_FILE)
      throw new ConfigError(`DATA_DIR: the key database '${path}' cannot be used: ${reasonOf(error)}`)
    }
  }
  const { url, connections } = database
  // Loaded only where it is asked for: most servers start with a file.
  const { openPostgresStorage } = await import('./postgres/postgres.ts')
  try {
    return await openPostgresStorage({
      url,
      connections,
      timeoutMs: databaseTimeoutSeconds * 1000,
      reportState(state, error) {
        if (state === 'up') logger.info('the database answers again')
        else logger.error({ err: error }, 'the database does not answer')
      },
    })
  } catch (error) {
    throw new ConfigError(`DATABASE_URL: the database cannot be used: ${reasonOf(error, url)}`)
  }
}

/** The address of the database for people: host and name, nothing of who signs in to it. */
export function databaseAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** One line. A connection tried at several addresses fails without a message of its own. */
function reasonOf(error: unknown, url?: string): string {
  if (!(error instanceof Error)) return 'it failed'
  const code = 'code' in error ? String(error.code) : error.name
  const line = (error.message === '' ? code : error.message).split('\n').join(' ')
  // No driver should repeat the password; that it never does is not left to it.
  const password = url === undefined ? '' : new URL(url).password
  return password === ''
    ? line
    : line.replaceAll(password, '***').replaceAll(decodeURIComponent(password), '***')
}
