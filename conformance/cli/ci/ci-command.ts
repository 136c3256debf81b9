// The command `ci`: a gate for pull requests. It is `check` with the flags of `ciFlags`, and its first run writes the baseline.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replacedFile } from '../../../harness/cli/flag-values.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import type { Report } from '../../contract/report.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import { plural } from '../../report/labels.ts'
import type { Note } from '../../report/markdown/github.ts'
import { isBaselineOf, nextBaseline, underBaseline } from '../../report/next-baseline.ts'
import { DEFAULT_CI_BASELINE, DEFAULT_CI_FOLDER, NEXT_BASELINE } from '../ci-flags.ts'
import type { Options } from '../judge-options.ts'
import { type Ending, replaceFile } from '../output.ts'
import { run } from '../run-command.ts'

/** Judges the service, and returns the exit code. Throws as `run` does. */
export async function ci(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
): Promise<number> {
  const { baseline = DEFAULT_CI_BASELINE, out = DEFAULT_CI_FOLDER, models, baseUrl } = options
  if (baseUrl === undefined) throw new UsageError('ci: expected the address of the service')
  if (models.length > 1)
    throw new UsageError('--model: ci judges one model; give each its own --baseline and --out')
  const isFirst = !existsSync(baseline)
  if (isFirst) replacedFile(baseline, '--baseline')
  const next = join(out, NEXT_BASELINE)

  function end(report: Report): Ending {
    if (!isBaselineOf(report)) {
      const text = `The run is not complete, so no baseline is written to ${baseline}.`
      return { report, notes: isFirst ? [{ kind: 'warning', text }] : [] }
    }
    const written = nextBaseline(report)
    replaceFile(next, written)
    if (!isFirst) return { report, notes: toStrike(report, baseline), files: [next] }
    replaceFile(baseline, written)
    const pinned = underBaseline(report, written)
    const failures = plural(pinned.failures, 'known failure')
    const text = `There was no baseline: ${baseline} now lists ${failures}, each with a reason, and this run passes. Commit the file: from then on a new failure fails the run.`
    return { report: pinned.report, notes: [{ kind: 'warning', text }], files: [baseline, next] }
  }
  const flags = { ...options, baseline: isFirst ? undefined : baseline }
  return run(flags, signal, redactor, onFault, end)
}

/** The lines of the baseline whose checks pass now. */
function toStrike({ staleBaseline }: Report, file: string): readonly Note[] {
  const lines = staleBaseline.length === 0 ? [] : readFileSync(file, 'utf8').split('\n')
  return staleBaseline.map((id) => {
    const line = lines.findIndex((text) => text.includes(JSON.stringify(id))) + 1
    return { kind: 'notice', file, line, text: `${file}:${line}: ${id} passes now: strike this line.` }
  })
}
