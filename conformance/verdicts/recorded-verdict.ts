// The verdicts on servers of other people as they are kept in fixtures/verdicts/: which checks failed, and why.
import { readFileSync, readdirSync } from 'node:fs'
import { z } from 'zod'
import type { Report } from '../report/schema.ts'

const folder = new URL('../../fixtures/verdicts/', import.meta.url)

const count = z.number().int().nonnegative()

const cause = z.strictObject({
  /** What the server does, in one sentence. */
  cause: z.string().min(1),
  expected: z.string().min(1),
  came: z.string().min(1),
  /** Public threads about it. */
  issues: z.array(z.string().url()).optional(),
})

const recordedVerdict = z.strictObject({
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
  causes: z.record(z.string(), cause),
  /** The cause of each check that failed or warned. */
  failed: z.record(z.string(), z.string()),
})

/** The verdict on one server. */
export type RecordedVerdict = z.infer<typeof recordedVerdict>

/** Where the verdict on a server is kept. */
export function verdictFile(name: string): URL {
  return new URL(`${name}.json`, folder)
}

/** The verdict that is kept under this name. */
export function readVerdict(name: string): RecordedVerdict {
  return recordedVerdict.parse(JSON.parse(readFileSync(verdictFile(name), 'utf8')))
}

/** All that are kept, in the order of the names of their files. */
export function readVerdicts(): readonly RecordedVerdict[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => readVerdict(file.replace(/\.json$/, '')))
}

/**
 * The verdict after another run: its numbers and its failed checks. A check that failed before keeps its cause; another
 * has none, '', until somebody finds it.
 */
export function updated(verdict: RecordedVerdict, report: Report): RecordedVerdict {
  const failed = report.checks
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
    .map(({ id }) => [id, verdict.failed[id] ?? ''])
  const musts = report.requirements.filter(({ level, outcome }) => level === 'MUST' && outcome === 'fail')
  return {
    ...verdict,
    totals: {
      musts: report.coverage.applicable,
      judged: report.coverage.judged,
      failed: musts.length,
      checks: report.checks.length,
      requests: report.requests,
      seconds: Math.round(report.durationMs / 1000),
    },
    failed: Object.fromEntries(failed),
  }
}
