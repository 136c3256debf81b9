// The command `client`: judges the program that stands behind `--`, or serves addresses for one that the judge cannot
// start. The command `pair`: judges it with the service at an address.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { duration } from '../../harness/cli/progress.ts'
import { shownAddress } from '../../harness/http/service-address.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import type { RunEvents } from '../contract/run-events.ts'
import type { Options } from './judge-options.ts'
import { print, printHeading, reported, seedFact } from './output.ts'
import { runClientConformance } from '../run-client-conformance.ts'
import { type ExpectedClientRun, loadClient, loadPair } from '../subjects/index.ts'

/** Runs the command `client` and returns its exit code. Throws as `runClientConformance` does. */
export async function client(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
): Promise<number> {
  const { operands: command, models, serve } = options
  if (models.length > 1) throw new UsageError('--model: client takes one model')
  if (serve && command.length > 0) throw new UsageError('--serve: starts no program, leave the command out')
  if (serve && options.bundle !== undefined)
    throw new UsageError('--bundle: --serve cannot be recorded; give the command that starts the program')
  const given = { ...options, command, model: models[0] }
  if (serve) {
    const subject = await loadClient()
    return reported(options, () => subject.serve(subject.settings(given), signal, redactor, print))
  }
  return reported(options, (onProgress) =>
    runClientConformance(
      {
        ...given,
        signal,
        onBegin: (words, seed, expected) =>
          printHeading(
            redactor.text(words.join(' ')),
            ['client', seedFact(seed, options)],
            renderExpected(expected),
          ),
        onProgress,
        onFault,
      },
      redactor,
    ),
  )
}

/** Runs the command `pair` and returns its exit code. Throws as `judgePair` does. */
export async function pair(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
): Promise<number> {
  const { operands: command, models } = options
  if (models.length > 1) throw new UsageError('--model: pair takes one model')
  const subject = await loadPair()
  return reported(options, (onProgress) =>
    subject.judge(
      {
        ...options,
        command,
        model: models[0],
        signal,
        onBegin: ({ baseUrl, model }, seed) =>
          printHeading(redactor.text(`${command.join(' ')} with ${shownAddress(baseUrl)}`), [
            'pair',
            `model ${model}`,
            seedFact(seed, options),
          ]),
        onProgress,
        onFault,
      },
      redactor,
    ),
  )
}

/** A run that is expected to take less than this prints no estimate, in seconds. */
const SHORT_SECONDS = 30

function renderExpected({ scenarios, seconds, longestSeconds }: ExpectedClientRun): string {
  if (seconds < SHORT_SECONDS) return ''
  const hint =
    longestSeconds === 0 ? '' : `; one stream takes ${duration(longestSeconds)}, --quick leaves it out`
  return `About ${duration(seconds)} for ${scenarios} starts of the program${hint}\n`
}
