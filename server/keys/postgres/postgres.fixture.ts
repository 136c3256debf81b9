// For tests that need a real PostgreSQL: without its programs they are left out, which is said, and never in CI.
import { postgresPrograms } from '../../../fixtures/services/postgres.ts'

let said = false

/** Whether these tests can run. In CI they must: there a missing program fails them. */
export function hasPostgres(): boolean {
  if (process.env['CI'] === 'true' || postgresPrograms() !== undefined) return true
  if (!said)
    process.stderr.write(
      '\nPostgreSQL is not installed: its tests are LEFT OUT (apt-get install postgresql)\n',
    )
  said = true
  return false
}
