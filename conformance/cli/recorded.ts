// The command `recorded`: judges files.
import { statSync } from 'node:fs'
import { consoleOptions } from '../../harness/cli/pen.ts'
import { rootAddress } from '../../harness/cli/flag-values.ts'
import { createProgress } from '../../harness/cli/progress.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/redact.ts'
import { judgeRecordings } from '../recordings/judge-recordings.ts'
import type { Options } from './options.ts'
import { printReport, writeReports } from './output.ts'

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000)

/** Runs the command and returns its exit code. Throws as `judgeRecordings` does. */
export async function recorded(options: Options, signal: AbortSignal, redactor: Redactor): Promise<number> {
  const { operands: files, allowIncomplete = false, strict = false } = options
  if (files.length === 0) throw new UsageError('recorded: expected the files to judge')
  const progress = createProgress(process.stderr, () => performance.now(), 'MB')
  const { profile, only, seed, baseline, subject } = options
  const baseUrl = options.baseUrl === undefined ? undefined : rootAddress(options.baseUrl, '--base-url')
  const report = await judgeRecordings(
    {
      files,
      profile,
      strict,
      only,
      seed,
      baseline,
      allowIncomplete,
      baseUrl,
      subject,
      signal,
      onProgress: (bytes, file) => progress.update(megabytes(bytes), megabytes(statSync(file).size), file),
    },
    redactor,
  ).finally(progress.end)
  writeReports(report, options)
  printReport(report, consoleOptions(process.stdout, process.env), process.env)
  return report.exitCode
}
