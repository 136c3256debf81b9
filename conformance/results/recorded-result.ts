// The published results of public servers and gateways, kept in fixtures/results/: which checks failed, and why.
import { readFileSync, readdirSync } from 'node:fs'
import { z } from 'zod'
import type { Report } from '../report/schema.ts'
import { causeMembers, failedChecks, failedIn } from './causes.ts'

const folder = new URL('../../fixtures/results/', import.meta.url)

const count = z.number().int().nonnegative()

const recordedResult = z.strictObject({
  server: z.string().min(1),
  version: z.string().min(1),
  /** How it was installed and set up, in Markdown. */
  setup: z.string().min(1),
  /** The command that started it, and the one that judged it, without `npm run conformance --`. */
  command: z.string().min(1),
  judged: z.string().min(1),
  totals: z.strictObject({
    musts: count,
    judged: count,
    failed: count,
    checks: count,
    requests: count,
    seconds: z.number().nonnegative(),
  }),
  causes: z.record(
    z.string(),
    z.strictObject({ ...causeMembers, expected: z.string().min(1), came: z.string().min(1) }),
  ),
  failed: failedChecks,
})

export type RecordedResult = z.infer<typeof recordedResult>

/** The file of a result, `gateways/NAME` for a gateway. */
export function resultFile(name: string): URL {
  return new URL(`${name}.json`, folder)
}

/** Reads the result with this name. */
export function readResult(name: string): RecordedResult {
  return recordedResult.parse(JSON.parse(readFileSync(resultFile(name), 'utf8')))
}

/** Reads the results of all servers, or of all gateways, in the order of their file names. */
export function readResults(of: 'servers' | 'gateways'): readonly RecordedResult[] {
  const path = of === 'servers' ? '' : `${of}/`
  return readdirSync(new URL(path, folder))
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => readResult(path + file.replace(/\.json$/, '')))
}

/** The result after another run: its numbers and its failed checks, each with the cause that it had. */
export function updated(result: RecordedResult, report: Report): RecordedResult {
  const musts = report.requirements.filter(({ level, outcome }) => level === 'MUST' && outcome === 'fail')
  return {
    ...result,
    totals: {
      musts: report.coverage.applicable,
      judged: report.coverage.judged,
      failed: musts.length,
      checks: report.checks.length,
      requests: report.requests,
      seconds: Math.round(report.durationMs / 1000),
    },
    failed: failedIn(report, result.failed),
  }
}
