// The installed k6 for tests: a test must not build one, which takes minutes.
import { type K6, installedK6 } from './find-k6.ts'

/** Undefined if it is not installed: tests with the tag are skipped then, or fail in CI. */
export const k6: K6 | undefined = await installedK6(process.env).catch(() => undefined)
