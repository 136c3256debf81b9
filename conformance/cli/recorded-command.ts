// The command `recorded`: judges files.
import { statSync } from 'node:fs'
import { rootAddress } from '../../harness/cli/flag-values.ts'
import { printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { loadRecording } from '../subjects/index.ts'
import type { RunEvents } from '../contract/run-events.ts'
import type { Options } from './judge-options.ts'
import type { Report } from '../contract/report.ts'
import { print, reported } from './output.ts'

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000)

/** Runs the command and returns its exit code. Throws as `judgeRecordings` does. */
export async function recorded(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
): Promise<number> {
  const { operands: files, baseUrl } = options
  if (files.length === 0) throw new UsageError('recorded: expected the files to judge')
  const address = baseUrl === undefined ? undefined : rootAddress(baseUrl, '--base-url')
  const recording = await loadRecording()
  const run = { ...options, files, baseUrl: address, signal, onFault }
  let summary = ''
  const exitCode = await reported(
    options,
    async (update) => {
      const onProgress = (bytes: number, file: string): void =>
        update(megabytes(bytes), megabytes(statSync(file).size), file)
      const report = await recording.judge({ ...run, onProgress }, redactor)
      summary = renderContent(report)
      return report
    },
    'MB',
  )
  print(summary)
  return exitCode
}

/** The content of the recording: how much of it was judged, and how much not and why. */
function renderContent({ target: { facts } }: Report): string {
  const lines = facts.map(({ name, value, learned }) =>
    printable(`${String(value).padStart(8)}  ${name} (${learned})`),
  )
  return ['', 'The recording', ...lines, ''].join('\n')
}
