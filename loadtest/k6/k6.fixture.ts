// The k6 of the tests: one that is installed, as a test that builds for minutes surprises.
import { type K6, installedK6 } from './find-k6.ts'

/** Undefined where there is none, which skips the tests that are tagged with it, or fails them in CI. */
export const k6: K6 | undefined = await installedK6(process.env).catch(() => undefined)
