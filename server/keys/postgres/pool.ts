// Statements to PostgreSQL, each within a bound: of connections, of who waits for one, and of time. What keeps a
// statement from being answered is a 503 to the client, never a guess; the next one tries again.
import { hash } from 'node:crypto'
import { DatabaseError, Pool, type PoolConfig, TypeOverrides } from 'pg'
import { type ApiError, unavailable } from '../../http/errors.ts'

export interface PostgresOptions {
  /** `postgresql://…`; its `sslmode` says whether TLS is used. Holds a password: never printed. */
  readonly url: string
  /** Connections that one instance keeps at most. */
  readonly connections: number
  /** How long a statement waits for a connection, and then for its answer, in milliseconds. */
  readonly timeoutMs: number
  /** Called once when the database goes down, and once when it answers again. */
  readonly reportState?: (state: 'down' | 'up', error?: unknown) => void
}

export interface PostgresPool {
  /**
   * Runs a statement, which each connection prepares once, and returns its rows: values in the order of the columns.
   * Throws a 503 where the database does not answer in time, and what PostgreSQL says otherwise.
   */
  ask(text: string, ...values: readonly unknown[]): Promise<readonly unknown[]>
  close(): Promise<void>
}

/** Statements that may wait for each connection; more are refused at once. */
const WAITING_PER_CONNECTION = 100

/** PostgreSQL's number of its type `bigint`, which the driver would hand on as text. */
const INT8 = 20

/** What every connection is opened with. */
export function connectionSettings({ url, timeoutMs }: PostgresOptions): PoolConfig {
  return {
    connectionString: url,
    application_name: 'touchstone',
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
  }
}

export function openPool(options: PostgresOptions): PostgresPool {
  const { connections, timeoutMs, reportState = () => {} } = options
  const types = new TypeOverrides()
  types.setTypeParser(INT8, Number)
  const pool = new Pool({
    ...connectionSettings(options),
    max: connections,
    // The client's own bound, for a server that is silent; and the server's, so that it does not go on for nobody.
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

  // A connection that ends while nobody uses it is no failure yet: the next statement opens another. Unheard, the
  // event would end the process.
  pool.on('error', () => {})

  return {
    async ask(text, ...values) {
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
        throw isOurs(error) ? error : lost(error)
      }
    },
    async close() {
      if (!pool.ended) await pool.end()
    },
  }
}

/**
 * Whether PostgreSQL answered that the statement itself is at fault: its data (22), a constraint (23), its text or a
 * right (42), or a rule of ours that it broke (P0001). All else (shutting down, too many connections, read-only,
 * cancelled, no connection at all) passes.
 */
function isOurs(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:22|23|42|P0001)/.test(error.code ?? '')
}
