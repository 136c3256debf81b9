// The database interface of the stores. SQLite and PostgreSQL run the same statements; statements that differ are in the
// folder of each.

/** A parameter of a statement. */
export type Value = string | number | null | Uint8Array

/**
 * Runs a statement with parameters `$1`, `$2`, … and returns its rows as arrays. Each statement is prepared once.
 */
export type Ask = (text: string, ...values: readonly Value[]) => Promise<readonly unknown[]>

/** Succeeds if the database answers and has its tables; `/readyz` calls it. */
export const CHECK = 'SELECT count(*) FROM (SELECT 1 FROM keys LIMIT 1) AS any_key'
