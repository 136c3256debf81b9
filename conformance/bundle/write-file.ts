// The options `--bundle` and `--sign` of every subject: the key is read before the run, and the file written after it.
import { writeFileSync } from 'node:fs'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Report } from '../contract/report.ts'
import type { ConformanceOptions } from '../contract/settings.ts'
import type { SignKey } from './signature.ts'

/** A recorder, as far as a file needs one. */
interface Recorder {
  bundle(report: Report, key?: SignKey): Buffer | string
}

interface BundleOptions extends Pick<ConformanceOptions, 'bundle' | 'sign'> {
  readonly onFault?: ((message: string) => void) | undefined
}

/**
 * Judges with a recorder, and writes the bundle, or says to `onFault` why there is none; without `bundle` it judges alone.
 * Throws `UsageError` if the key cannot be read.
 */
export async function judgeAndBundle<Recording extends Recorder>(
  { bundle, sign, onFault = () => {} }: BundleOptions,
  makeRecorder: () => Promise<Recording>,
  judge: (recorder?: Recording) => Promise<Report>,
): Promise<Report> {
  if (bundle === undefined) {
    if (sign !== undefined) throw new UsageError('--sign: there is nothing to sign without --bundle')
    return judge()
  }
  const key = sign === undefined ? undefined : (await import('./signature.ts')).readSignKey(sign)
  const recorder = await makeRecorder()
  const report = await judge(recorder)
  const recorded = recorder.bundle(report, key)
  if (typeof recorded === 'string') onFault(`--bundle: ${recorded}, so none is written`)
  else writeFileSync(bundle, recorded, { mode: 0o600 })
  return report
}
