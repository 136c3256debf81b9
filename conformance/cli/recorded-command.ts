// The command `recorded`: judges files.
import { statSync } from 'node:fs'
import { rootAddress } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/redact.ts'
import { loadRecording } from '../subjects/index.ts'
import type { Options } from './judge-options.ts'
import { reported } from './output.ts'

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000)

/** Runs the command and returns its exit code. Throws as `judgeRecordings` does. */
export async function recorded(options: Options, signal: AbortSignal, redactor: Redactor): Promise<number> {
  const { operands: files, baseUrl } = options
  if (files.length === 0) throw new UsageError('recorded: expected the files to judge')
  const address = baseUrl === undefined ? undefined : rootAddress(baseUrl, '--base-url')
  const recording = await loadRecording()
  const run = { ...options, files, baseUrl: address, signal }
  return reported(
    options,
    (update) => {
      const onProgress = (bytes: number, file: string): void =>
        update(megabytes(bytes), megabytes(statSync(file).size), file)
      return recording.judge({ ...run, onProgress }, redactor)
    },
    'MB',
  )
}
