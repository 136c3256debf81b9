// The k6 of the tests: one that is there already, as a test that builds for minutes surprises. Without it they say so
// and are skipped, but never where CI is set.
import { type K6, installedK6 } from './find-k6.ts'

/** Undefined where there is none. */
export const k6: K6 | undefined = await installedK6(process.env).catch((error: unknown) => {
  process.stderr.write(`\nNOT TESTED with k6. ${error instanceof Error ? error.message : String(error)}\n\n`)
  return undefined
})

/** Whether tests with k6 are left out. */
export const withoutK6 = k6 === undefined && (process.env['CI'] ?? '') === ''
