// The flags of the command `ci`: it is `check` with these, and each can be given otherwise.
import { join } from 'node:path'
import type { Given } from '../../harness/cli/flags.ts'
import { makeFolder } from '../../harness/cli/flag-values.ts'

/** The folder of the reports, and the file of known failures, which belongs into the repository. */
export const DEFAULT_CI_FOLDER = 'touchstone-ci'
export const DEFAULT_CI_BASELINE = 'touchstone-baseline.json'

/**
 * A gate for pull requests: few requests and tokens, one request at a time. No request is sent after 2.5 minutes, and the one that is
 * sent by then has the half minute of `--timeout`, so that it ends within 3 minutes.
 */
export const CI_FLAGS = {
  profile: 'wire',
  tier: 'interop',
  quick: true,
  concurrency: '1',
  'max-tokens-total': '100000',
  'max-minutes': '2.5',
  baseline: DEFAULT_CI_BASELINE,
  'allow-incomplete': true,
  'allow-stale': true,
} as const satisfies Given

/** The files in the folder, by the flags that name them. */
export const CI_FILES = {
  json: 'report.json',
  junit: 'report.xml',
  html: 'report.html',
  markdown: 'report.md',
  badge: 'badge.json',
  bundle: 'run.zip',
} as const

/** The baseline as this run would write it, in the same folder. */
export const NEXT_BASELINE = 'baseline.json'

/** The flags of a run with these given ones. Makes the folder; throws `UsageError` if it cannot. */
export function ciFlags(given: Given): Given {
  const { out = DEFAULT_CI_FOLDER, plan } = given
  if (plan === true) return CI_FLAGS
  const folder = String(out)
  makeFolder(folder, '--out')
  const files = Object.entries(CI_FILES).map(([flag, file]) => [flag, join(folder, file)] as const)
  return { ...CI_FLAGS, out: folder, ...Object.fromEntries(files) }
}
