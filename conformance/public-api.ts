// The judge as programs import it: options with names of their own and none that is ignored, the requirements as tests, and the
// report in each form.
import { UsageError } from '../harness/cli/usage-error.ts'
import type { CredentialName } from './contract/credentials.ts'
import type { Report } from './contract/report.ts'
import type { ConformanceOptions } from './contract/settings.ts'
import { testsOf } from './report/requirement-tests.ts'
import { type RunControl, runConformance as judge } from './run-conformance.ts'

export { renderReport } from './report/render-report.ts'
export { type RequirementTest, testsOf } from './report/requirement-tests.ts'
export { type VerifiedRun, verifyRun } from './run-conformance.ts'
export type { ConformanceOptions, RunControl } from './run-conformance.ts'
export type { Report, ReportCheck, ReportExchange } from './contract/report.ts'

/** The keys of a run. The environment is not read for them. */
export interface Keys {
  /** The key to judge with. */
  readonly apiKey?: string
  /** Another valid key. */
  readonly secondKey?: string
  readonly revokedKey?: string
  /** A key that cannot use `restrictedModel`. */
  readonly restrictedKey?: string
  readonly restrictedModel?: string
  /** A key whose rate limit the judge may exceed. */
  readonly limitedKey?: string
  /** A command that makes missing keys: docs/judge.md. */
  readonly keyCommand?: string
}

/** The options of a run, its keys, and its events. */
export interface JudgeOptions extends ConformanceOptions, RunControl, Keys {}

/** The variable of the command line for each key. */
const VARIABLES = [
  ['apiKey', 'CONFORMANCE_API_KEY'],
  ['secondKey', 'CONFORMANCE_SECOND_KEY'],
  ['revokedKey', 'CONFORMANCE_REVOKED_KEY'],
  ['restrictedKey', 'CONFORMANCE_RESTRICTED_KEY'],
  ['restrictedModel', 'CONFORMANCE_RESTRICTED_MODEL'],
  ['limitedKey', 'CONFORMANCE_LIMITED_KEY'],
  ['keyCommand', 'CONFORMANCE_KEY_COMMAND'],
] as const satisfies readonly (readonly [keyof Keys, CredentialName])[]

/** Every option: one that is left out here would not compile. */
const NAMES: Readonly<Record<keyof JudgeOptions, true>> = {
  apiKey: true,
  secondKey: true,
  revokedKey: true,
  restrictedKey: true,
  restrictedModel: true,
  limitedKey: true,
  keyCommand: true,
  baseUrl: true,
  authHeader: true,
  model: true,
  profile: true,
  credentials: true,
  headers: true,
  limit: true,
  token: true,
  only: true,
  tier: true,
  catalogue: true,
  seed: true,
  quick: true,
  runs: true,
  concurrency: true,
  timeoutMs: true,
  warmUpMs: true,
  waitMs: true,
  patienceMs: true,
  maxRequests: true,
  maxTokensTotal: true,
  maxMinutes: true,
  requestsPerSecond: true,
  strict: true,
  require: true,
  baseline: true,
  allowIncomplete: true,
  allowStale: true,
  capture: true,
  bundle: true,
  sign: true,
  environment: true,
  env: true,
  keep: true,
  signal: true,
  onBegin: true,
  onProgress: true,
  onFault: true,
}

/**
 * Judges one service and resolves to the report, whose `exitCode` is the verdict; without `baseUrl`, the reference server, which
 * it starts. Rejects as the function of the judge does, and with a `UsageError` (by `name`) for an option that it does not know.
 */
export async function runConformance(options: JudgeOptions = {}): Promise<Report> {
  const known = Object.keys(NAMES)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const meant = known.find((name) => name.toLowerCase() === unknown.toLowerCase())
    throw new UsageError(
      `no option '${unknown}': expected ${meant === undefined ? `one of ${known.join(', ')}` : `'${meant}'`}`,
    )
  }
  const keys = VARIABLES.flatMap(([name, variable]) =>
    options[name] === undefined ? [] : [[variable, options[name]] as const],
  )
  return judge({ ...options, credentials: { ...options.credentials, ...Object.fromEntries(keys) } })
}

/**
 * Judges one service, and resolves to its requirements as tests, each of which fails with what was expected and received. All
 * is judged before it resolves: a test runner bounds the time of a test, and none that of its collection. Rejects as
 * `runConformance` does.
 */
export async function checks(options: JudgeOptions = {}) {
  return testsOf(await runConformance(options), options.allowIncomplete === true)
}
