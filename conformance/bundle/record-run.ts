// Records a run: what it sees becomes lines, and the bundle is made when the report is there.
import { CREDENTIAL_NAMES, type CredentialName } from '../contract/credentials.ts'
import type { Report } from '../contract/report.ts'
import type { ConformanceOptions } from '../contract/settings.ts'
import { otherSecrets } from '../contract/environment/given-secrets.ts'
import { commandSecrets } from '../../harness/secrets/known-secrets.ts'
import type { Call } from '../../harness/scripted-service/received-call.ts'
import { clockMs } from '../../harness/scripted-service/measuring-clock.ts'
import { bounds } from '../../harness/bounds/bounds.ts'
import { secretHeaders } from '../../harness/secrets/redact.ts'
import { type Manifest, writeBundle } from './bundle-file.ts'
import { createExchangeWriter } from '../exchanges/line-codec.ts'
import type { RecordedExchange } from '../exchanges/recorded-exchange.ts'
import { CAPTURE_SCHEMA, type RecordingLine, type RunLine } from '../exchanges/recording-line.ts'
import { exchangeOfCall } from './recorded-calls.ts'
import type { SignKey } from './signature.ts'
import { createStandIns } from './stand-ins.ts'

/** The options that a replay needs in the form in which they were given. */
const KEPT_OPTIONS = [
  'authHeader',
  'profile',
  'limit',
  'token',
  'only',
  'tier',
  'catalogue',
  'quick',
  'runs',
  'concurrency',
  'timeoutMs',
  'warmUpMs',
  'patienceMs',
  'maxRequests',
  'maxTokensTotal',
  'requestsPerSecond',
  'strict',
  'require',
  'allowIncomplete',
  'model',
] as const satisfies readonly (keyof ConformanceOptions)[]

export type RunRecorder = ReturnType<typeof createRunRecorder>

/** Makes the recorder of one run of this subject; `command` are the words that start it. */
export function createRunRecorder(
  subject: Manifest['subject'],
  options: ConformanceOptions,
  command: readonly string[] = [],
) {
  const { credentials = {}, headers = {}, baseUrl } = options
  const given = CREDENTIAL_NAMES.flatMap((name) => {
    const value = credentials[name]
    return value === undefined || name === 'CONFORMANCE_KEY_COMMAND' ? [] : [[name, value] as const]
  })
  const standIns = createStandIns(given.filter(([name]) => isKey(name)).map(([, value]) => value))
  standIns.addSecrets([...otherSecrets(options), ...commandSecrets(command)])
  standIns.keepHeaders(options.keep ?? [])
  standIns.addHeaders(secretHeaders(headers))
  const lineOf = createExchangeWriter(true)
  const lines: string[] = []
  /** The facts of the run for the first line. */
  const facts: Pick<RunLine, 'gateway' | 'delays'> = {}
  let chars = 0

  // In characters of its lines.
  const mostChars = bounds().bundleBytes * 0.75

  function record(line: RecordingLine): void {
    const text = JSON.stringify(line)
    chars += text.length
    if (chars <= mostChars) lines.push(text)
  }

  /** Records an exchange, with stand-ins in place of its credentials. */
  function exchange({ error, ...seen }: RecordedExchange): void {
    const why = error === undefined ? {} : { error: standIns.text(error) }
    record(lineOf({ ...standIns.apply(seen), ...why }, seen.request.body))
  }

  const [beganMs, beganAtMs] = [clockMs(), Date.now()]
  /** A time of `clockMs()` since the recording began, in microseconds. */
  const since = (ms: number): number => Math.round((ms - beganMs) * 1000) / 1000

  /** Records a request to a scripted service. */
  function call(own: Call, about: Pick<RecordedExchange, 'by' | 'name'>): void {
    const atMs = since(own.arrivedMs)
    exchange({ ...exchangeOfCall(own), ...about, atMs, startedAtMs: beganAtMs + atMs })
  }

  /** Returns the bundle of the run with this report, or why there is none. `more` are settings of this subject. */
  function bundle(report: Report, key?: SignKey, more: object = {}): Buffer | string {
    const { interrupted, faults, startedAt, seed, target } = report
    if (interrupted === true) return 'the run was interrupted'
    if (options.maxMinutes !== undefined && report.endedEarly !== undefined)
      return 'the run ended before its end (--max-minutes)'
    if (faults.length > 0) return 'the judge had a fault of its own'
    if (chars > mostChars) return 'the answers of the run are too large for a bundle'
    if (options.puppet !== undefined) return 'the texts of a puppet (--puppet) are not kept in one'
    const kept = KEPT_OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))
    const address = standIns.text(baseUrl ?? target.baseUrl)
    const settings = {
      ...Object.fromEntries(kept),
      baseUrl: address,
      headers: Object.fromEntries(standIns.headers(Object.entries(headers))),
      seed,
      ...more,
    }
    const keys = given.map(([name, value]) => [name, isKey(name) ? standIns.keyFor(value) : value])
    const stood: Manifest['credentials'] = Object.fromEntries(keys)
    const run: RunLine = { kind: 'run', schema: CAPTURE_SCHEMA, baseUrl: address, startedAt, ...facts }
    const all = [JSON.stringify(run), ...lines]
    return writeBundle({ subject, startedAt, settings, credentials: stood, report, lines: all }, key)
  }

  return { standIns, record, exchange, call, since, facts, bundle }
}

/** Whether the value of a credential is a key, and no model. */
const isKey = (name: CredentialName): boolean => name !== 'CONFORMANCE_RESTRICTED_MODEL'
