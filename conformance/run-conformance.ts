// The judge as a function for programs: the same as the command line, without printing, writing files or ending the
// process.
import type { Bundle } from './bundle/bundle-file.ts'
import { type Replayed, type Verification, compared, otherTarget } from './bundle/compare-outcomes.ts'
import { judgeAndBundle } from './bundle/write-file.ts'
import type { RunEvents } from './contract/run-events.ts'
import type { Report } from './contract/report.ts'
import { awaitTarget } from './facts/await-target.ts'
import { outsideOfScopes } from '../harness/containment.ts'
import { type Redactor, createRedactor } from '../harness/secrets/redact.ts'
import { isLoadedAtOnce, settingsFor, startKeyedServer } from '../harness/reference-server.ts'
import { loadClient, loadGateway, loadServer } from './subjects/index.ts'
import { type ConformanceOptions, type Settings, settingsOf } from './contract/settings.ts'

export type { ConformanceOptions } from './contract/settings.ts'
export type { Report, ReportCheck, ReportExchange } from './contract/report.ts'

export interface RunControl extends Partial<RunEvents> {
  readonly signal?: AbortSignal | undefined
}

/**
 * Judges one service and resolves to the report, whose `exitCode` is the verdict. Before it settles, it revokes every key
 * that it made and stops the server if it started one.
 *
 * If the signal is aborted after the target was reached, the report has `interrupted`, and unfinished checks are
 * inconclusive; before that, the promise is rejected with the signal's reason. It is rejected with a `UsageError`, a
 * `BaselineError` or a `StartError` (by `name`) if options cannot be used or the target cannot be reached.
 *
 * @param redactor gets every secret of the run; the report is redacted already
 */
export async function runConformance(
  options: ConformanceOptions & RunControl = {},
  redactor: Redactor = createRedactor(),
): Promise<Report> {
  const onBegin = outsideOfScopes(options.onBegin ?? (() => {}))
  const onProgress = outsideOfScopes(options.onProgress ?? (() => {}))
  const onFault = outsideOfScopes(options.onFault ?? (() => {}))
  const settings = settingsOf(options)
  const signal = options.signal ?? new AbortController().signal
  const events = { onBegin, onProgress, onFault }
  if (settings.baseUrl !== undefined && settings.waitMs > 0) {
    onProgress(0, 1, 'waiting for the service')
    await awaitTarget(settings.baseUrl, settings, signal)
  }
  // The reference server starts while the checks are loaded.
  await using own = settings.baseUrl === undefined ? startOwn(settings, signal, redactor, onFault) : undefined
  const server = await loadServer()
  return await judgeAndBundle(
    { ...options, onFault },
    async () => (await import('./bundle/recording-transport.ts')).createServerRecorder(options),
    (recorder) =>
      server.judge(settings, server.catalogue, redactor, signal, events, recorder?.transport, own?.starting),
  )
}

/**
 * Starts the reference server; for a quick run without a second model. The model that needs no loading is judged while others
 * are loaded. Disposing of it ends the start, or stops the server.
 */
function startOwn(
  { model, quick }: Pick<Settings, 'model' | 'quick'>,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
) {
  const end = new AbortController()
  const starting = startKeyedServer(AbortSignal.any([signal, end.signal]), redactor.add, {
    settings: quick ? settingsFor(model) : {},
    until: isLoadedAtOnce(model) ? 'listening' : 'ready',
  })
  const settled = starting.then(
    ({ stop }) => stop,
    () => undefined,
  )
  return {
    starting,
    async [Symbol.asyncDispose]() {
      end.abort()
      const stop = await settled
      await stop?.().catch((error: unknown) => onFault(redactor.text(String(error))))
    },
  }
}

export interface VerifiedRun extends Verification {
  readonly bundle: Bundle
  /** The report names another target than the rest of the bundle: in which way. */
  readonly otherTarget?: string
}

/**
 * Judges a bundle again, without any network. Rejects with a `BundleError` (by `name`) if the file is damaged or is not a bundle.
 */
export async function verifyRun(file: string): Promise<VerifiedRun> {
  const { readBundleFile } = await import('./bundle/bundle-file.ts')
  const bundle = readBundleFile(file)
  const { report, missing } = await judgeAgain(bundle)
  const verification = compared(bundle.report, report, missing)
  const other = otherTarget(bundle, report)
  if (other === undefined) return { bundle, ...verification }
  return { bundle, ...verification, isConfirmed: false, otherTarget: other }
}

async function judgeAgain(bundle: Bundle): Promise<Replayed> {
  const { manifest, lines } = bundle
  switch (manifest.subject) {
    case 'client':
      return (await loadClient()).judgeAgain(bundle)
    case 'gateway':
      return (await loadGateway()).judgeAgain(bundle)
    case 'server': {
      const { settings, credentials, startedAt } = manifest
      const [server, { replayingTransport }] = await Promise.all([
        loadServer(),
        import('./bundle/replaying-transport.ts'),
      ])
      const replay = replayingTransport(lines, Date.parse(startedAt), Object.values(credentials))
      const options = settingsOf({ ...settings, credentials, environment: {} })
      const events = { onBegin() {}, onProgress() {}, onFault() {} }
      const signal = new AbortController().signal
      const report = await server.judge(
        options,
        server.catalogue,
        createRedactor(),
        signal,
        events,
        replay.transport,
      )
      return { report, missing: replay.missing() }
    }
  }
}
