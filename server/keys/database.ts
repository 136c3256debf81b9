// What the stores need of a database. SQLite and PostgreSQL run the same statements; what only one of them can say stays
// in its folder.

/** A value of a statement. Whole numbers of any size are numbers. */
export type Value = string | number | null | Uint8Array

/**
 * Runs a statement, prepared once, whose parameters are `$1`, `$2`, …, and returns its rows: values in the order of the
 * columns.
 */
export type Ask = (text: string, ...values: readonly Value[]) => Promise<readonly unknown[]>

/** Reads one row as `/readyz` does: the database answers, and has its tables. */
export const CHECK = 'SELECT count(*) FROM (SELECT 1 FROM keys LIMIT 1) AS any_key'
