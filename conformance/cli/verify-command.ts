// The command `verify FILE…`: judges bundles again without a network, and says whether the recorded verdict is confirmed. Other
// recordings have no verdict: `recorded` judges them.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Pen, consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { createProgress } from '../../harness/cli/progress.ts'
import { cut, messageLine, printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Verification } from '../bundle/compare-outcomes.ts'
import type { Report } from '../contract/report.ts'
import { isRecording } from '../exchanges/read-recording.ts'
import { type SummarizedRun, verifyRuns } from '../verify-runs.ts'
import type { Options } from './judge-options.ts'
import { print } from './output.ts'

/** The differences of a bundle that are printed. */
const SHOWN = 20

const [CONFIRMED, NOT_CONFIRMED, DAMAGED] = [0, 1, 2]

/** One bundle, as `--json` writes it. */
type Verified = { readonly file: string } & (
  | { readonly problem: string }
  | (Omit<Verification, 'report'> & { readonly sha256: string; readonly signedBy?: string })
)

/** Whether files are compared with their recorded verdicts. Throws `UsageError` if some are bundles and others are not. */
export function judgesAgain({ command, operands }: Options): boolean {
  if (command !== 'verify') return false
  const recordings = operands.filter(isRecording).length
  if (recordings > 0 && recordings < operands.length)
    throw new UsageError('verify: expected bundles, or recordings without a verdict, and not both')
  return recordings === 0
}

/** Runs the command and returns its exit code: that of the worst bundle. Throws `UsageError` without a bundle. */
export async function verify({ operands, json, againstCurrent }: Options): Promise<number> {
  const files = operands.flatMap(bundlesIn)
  if (files.length === 0)
    throw new UsageError('verify: expected the bundles to judge again, or a folder of them')
  const pen = createPen(consoleOptions(process.stdout, process.env))
  const progress = createProgress(process.stderr, () => performance.now(), 'bundles')
  const verified: Verified[] = []
  let worst = CONFIRMED
  progress.update(0, files.length, files[0] ?? '')
  for await (const one of verifyRuns(files)) {
    const { file } = one
    if ('problem' in one) {
      verified.push(one)
      print(
        `${pen.paint('bold', printable(file))}\n  ${pen.paint('red', 'damaged')}: ${messageLine(one.problem)}\n`,
      )
      worst = DAMAGED
    } else {
      const { bundle, report: _, ...verification } = one.run
      const { sha256, signedBy } = bundle
      verified.push({ file, sha256, ...(signedBy === undefined ? {} : { signedBy }), ...verification })
      print(renderVerified(file, one.run, pen))
      const holds = againstCurrent
        ? one.run.differences.length === 0 && one.run.otherTarget === undefined
        : one.run.isConfirmed
      worst = Math.max(worst, holds ? CONFIRMED : NOT_CONFIRMED)
    }
    progress.update(verified.length, files.length, files[verified.length] ?? '')
  }
  progress.end()
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(verified, undefined, 2)}\n`)
  return worst
}

/** The file, or the bundles of a folder at any depth, by name; hidden folders are left out. */
function bundlesIn(path: string): readonly string[] {
  if (!existsSync(path)) throw new UsageError(`verify: there is no ${path}`)
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.zip') && !/(?:^|[\\/])\./.test(name))
    .toSorted()
    .map((name) => join(path, name))
}

function renderVerified(file: string, run: SummarizedRun, pen: Pen): string {
  const { bundle, differences, notReplayable, notInBundle, notInJudge, recorderOnly, same } = run
  const { manifest, report, signedBy, sha256 } = bundle
  const count = report.checks.length
  const notConfirmed = pen.paint('red', 'not confirmed')
  const verdict = run.isConfirmed
    ? `${pen.paint('green', 'confirmed')}: ${same} of ${count} checks have the recorded outcome`
    : run.otherTarget !== undefined
      ? `${notConfirmed}: ${printable(run.otherTarget)}`
      : `${notConfirmed}: ${count - same} of ${count} checks have another outcome, or none`
  const lines = [
    pen.paint('bold', printable(file)),
    `  ${printable(`${subjectOf(report)}, recorded ${manifest.startedAt.slice(0, 10)} by touchstone ${manifest.judge}, catalogue ${manifest.catalogue}`)}`,
    `  digest ${sha256}, ${signedBy === undefined ? 'not signed' : `signed by ${signedBy}`}`,
    `  ${verdict}`,
    ...listed(
      differences,
      ({ check, recorded, now, why }) => `${check}: recorded ${recorded}, now ${now} (${why})`,
    ),
    ...listed(notReplayable, ({ check, why }) => `${check}: not replayable: ${why}`),
    ...listed(notInJudge, (check) => `${check}: this version has no such check`),
    ...(recorderOnly.length === 0
      ? []
      : [`  confirmed by the recorder only: ${recorderOnly.length} (${printable(recorderOnly.join(', '))})`]),
    ...(notInBundle.length === 0
      ? []
      : [`  not in this bundle: ${notInBundle.length} checks that came later`]),
  ]
  return `${lines.join('\n')}\n`
}

function subjectOf({ subject, target }: Report): string {
  const what = target.command?.join(' ') ?? target.baseUrl
  return `${subject ?? 'server'} ${what}, model ${target.model}`
}

function listed<Item>(items: readonly Item[], line: (item: Item) => string): readonly string[] {
  const more = items.length - SHOWN
  return [
    ...items.slice(0, SHOWN).map((item) => `  ${cut(printable(line(item).replaceAll(/\s+/g, ' ')), 300)}`),
    ...(more > 0 ? [`  … and ${more} more; --json writes all`] : []),
  ]
}
