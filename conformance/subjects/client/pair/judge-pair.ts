// Judges a client with a real server, from the options of a run to its report.
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { connectionOf } from '../../../../harness/http/connection.ts'
import { shownAddress } from '../../../../harness/http/service-address.ts'
import { listedModels } from '../../../../harness/http/find-base.ts'
import { createProbe } from '../../../../harness/http/probe.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { adviceOn, faultOf, noModel } from '../../../facts/preflight-advice.ts'
import { PROGRAM } from '../../../../harness/program.ts'
import type { Redactor } from '../../../../harness/secrets/redact.ts'
import { requirements } from '../../../../spec/catalogue/requirements.ts'
import type { CredentialValues } from '../../../contract/credentials.ts'
import { hideGiven } from '../../../contract/environment/given-secrets.ts'
import type { Report } from '../../../contract/report.ts'
import { selector } from '../../../contract/selection.ts'
import { findService } from '../../../exchanges/capture/find-service.ts'
import { beginReport } from '../../../report/begin-report.ts'
import { flagWords, shellWord } from '../../../report/show-exchange.ts'
import { type ClientConformanceOptions, clientSettings, programOf } from '../settings.ts'
import { type PairServer, type PairToTry, type TriedUse, tryUses } from './try-uses.ts'
import { type Use, useChecks, uses } from './uses.ts'

/** The longest wait for the list of models, in milliseconds. */
const LIST_MS = 10_000

/** The longest run of a program, unless the options say so, in milliseconds. */
const PROGRAM_MS = 60_000

export interface PairOptions extends ClientConformanceOptions {
  readonly baseUrl: string | undefined
  readonly credentials?: CredentialValues
  readonly signal: AbortSignal
  readonly onBegin: (server: PairServer, seed: number) => void
  readonly onProgress: (done: number, total: number, doing: string) => void
  readonly onFault: (message: string) => void
}

/** Judges a command with the server at `baseUrl`. Throws `UsageError` if an option cannot be used, or `tryUses` throws. */
export async function judgePair(
  options: PairOptions,
  redactor: Redactor,
  judgeExchanges: PairToTry['judgeExchanges'],
): Promise<Report> {
  const settings = clientSettings(options)
  const { baseUrl: given, credentials, env, only, concurrency, strict } = settings
  if (given === undefined) throw new UsageError('--base-url: pair needs the address of the server')
  const { command } = options
  const start = programOf(settings, command, redactor)
  hideGiven(redactor, settings)
  const selected = uses.filter(({ check }) => selector({ only })(check))
  const judged = new Set<string>(useChecks.map(({ requirement }) => requirement))
  const run = beginReport(
    {
      subject: 'pair',
      rows: requirements.filter(({ id }) => judged.has(id)),
      checks: useChecks,
      selected: selected.length,
    },
    settings,
    redactor,
  )
  const { signal, onBegin, onProgress, onFault } = options
  const server = await serverAt(given, credentials.keys.main ?? '', options.model, signal)
  onBegin(server, run.seed)
  const tried: TriedUse[] = []
  await run.contain(signal, onFault, (ends) =>
    tryUses(selected, {
      start,
      server,
      seed: run.seed,
      strict,
      concurrency,
      timeoutMs: options.timeoutMs ?? PROGRAM_MS,
      signal: ends,
      judgeExchanges,
      onUse(use) {
        tried.push(use)
        onProgress(tried.length, selected.length, use.id)
      },
    }).catch((error: unknown) => {
      // The uses that were tried before are judged.
      if (!ends.aborted) throw error
    }),
  )
  const address = { 'base-url': shownAddress(given), model: options.model }
  const words = [...env.map((name) => `--env ${name}`), ...flagWords(address)]
  return run.finish({
    target: { command, baseUrl: server.baseUrl, profile: 'wire', model: server.model, facts: () => [] },
    results: selected.flatMap(({ name }: Use) => tried.find(({ id }) => id === name)?.result ?? []),
    requests: tried.flatMap(({ runs }) => runs.flatMap(({ exchanges }) => exchanges)).length,
    interrupted: signal.aborted,
    commandLine: (flags) => [`${PROGRAM} pair`, ...words, flags, '--', ...command.map(shellWord)].join(' '),
  })
}

/** The server at an address, and its first model unless one is named. Throws `UsageError` as `firstModel` does. */
export async function serverAt(
  given: string,
  key: string,
  model: string | undefined,
  signal: AbortSignal,
): Promise<PairServer> {
  const found = await findService(given, { key, connection: connectionOf(process.env) }, signal)
  const baseUrl = /\/v\d+$/.test(found) ? found : `${found}/v1`
  const first = await firstModel(baseUrl, key, model)
  return { baseUrl, key, model: first }
}

/**
 * The requested model, or else the first that the server lists. Throws `UsageError` with the advice of the judge if the server
 * cannot be reached, refuses the key or lists no model.
 */
export async function firstModel(baseUrl: string, key: string, model?: string): Promise<string> {
  const probe = createProbe({ baseUrl, key, timeoutMs: LIST_MS, connection: connectionOf(process.env) })
  try {
    const list = await probe.send({ path: '/v1/models' }, new AbortController().signal)
    const isRefused = list.response.status === 401 || list.response.status === 403
    const fault = faultOf(list, { baseUrl, key, profile: 'wire' })
    if (fault !== undefined && (isRefused || model === undefined)) throw new UsageError(fault)
    const first = model ?? listedModels(list)[0]
    if (first === undefined) throw new UsageError(noModel(list))
    return first
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    throw new UsageError(`${baseUrl} cannot be judged: ${adviceOn(error, baseUrl)}`)
  } finally {
    probe.close()
  }
}
