// Runs statements on PostgreSQL with bounded connections, bounded waiting statements and a timeout. A statement that is
// not answered is a 503 to the client; the next one tries again.
import { hash } from 'node:crypto'
import { DatabaseError, Pool, type PoolConfig, TypeOverrides } from 'pg'
import { type ApiError, unavailable } from '../../http/api-error.ts'

export interface PostgresOptions {
  /** `postgresql://…`, with `sslmode` for TLS. Contains a password and is never printed. */
  readonly url: string
  /** Maximum connections of one instance. */
  readonly connections: number
  /** Timeout for a connection, and then for the answer, in milliseconds. */
  readonly timeoutMs: number
  /** Called once when the database goes down and once when it answers again. */
  readonly reportState?: (state: 'down' | 'up', error?: unknown) => void
}

export type PostgresPool = ReturnType<typeof openPool>

/** Maximum waiting statements per connection; more are refused at once. */
const WAITING_PER_CONNECTION = 100

/** PostgreSQL's number for `bigint`, which the driver returns as text by default. */
const INT8 = 20

/** The settings of every connection. */
export function connectionSettings({ url, timeoutMs }: PostgresOptions): PoolConfig {
  return {
    connectionString: url,
    application_name: 'touchstone',
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
  }
}

export function openPool(options: PostgresOptions) {
  const { connections, timeoutMs, reportState = () => {} } = options
  const types = new TypeOverrides()
  types.setTypeParser(INT8, Number)
  const pool = new Pool({
    ...connectionSettings(options),
    max: connections,
    // The first timeout covers a silent server; the second ends the statement on the server too.
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    types,
  })
  const names = new Map<string, string>()
  let isDown = false

  /** The name under which a connection prepares a statement: the same on every instance. */
  function nameOf(text: string): string {
    const name = names.get(text) ?? hash('sha256', text).slice(0, 32)
    names.set(text, name)
    return name
  }

  function lost(error: unknown): ApiError {
    if (!isDown) {
      isDown = true
      reportState('down', error)
    }
    return unavailable('The database of keys does not answer.', 1, error)
  }

  // When an idle connection ends, the next statement opens another. Without a listener the event would end the process.
  pool.on('error', () => {})

  return {
    /**
     * Runs a statement, which each connection prepares once, and returns its rows as arrays. Throws a 503 if the database
     * does not answer in time, and the error of PostgreSQL if the statement itself is wrong.
     */
    async ask(text: string, ...values: readonly unknown[]): Promise<readonly unknown[]> {
      if (pool.waitingCount >= connections * WAITING_PER_CONNECTION)
        throw unavailable('Too many requests wait for the database of keys.', 1)
      try {
        const name = nameOf(text)
        const { rows } = await pool.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' })
        if (isDown) {
          isDown = false
          reportState('up')
        }
        return rows
      } catch (error) {
        throw isOwnError(error) ? error : lost(error)
      }
    },
    async close() {
      if (!pool.ended) await pool.end()
    },
  }
}

/**
 * Whether the statement itself is wrong: its data (22), a constraint (23), its syntax or a permission (42), or a trigger
 * (P0001). All other errors are outages, for example a shutdown, too many connections or a lost connection.
 */
function isOwnError(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:22|23|42|P0001)/.test(error.code ?? '')
}
