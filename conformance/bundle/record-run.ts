// Records a run of a server: what it hears goes through the recorder, and the bundle is written when the report is there.
import { CREDENTIAL_NAMES, type CredentialValues } from '../contract/credentials.ts'
import type { Report } from '../contract/report.ts'
import type { ConformanceOptions } from '../contract/settings.ts'
import { type RunTransport, live } from '../contract/transport.ts'
import { MOST_BUNDLE_BYTES, writeBundle } from './bundle-file.ts'
import { recordingTransport } from './recording-transport.ts'
import type { SignKey } from './signature.ts'
import { createStandIns } from './stand-ins.ts'

/** The options that a replay needs, beside those that it has from elsewhere or that are written in another form. */
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

export interface RunRecorder {
  readonly transport: RunTransport
  /** Returns the bundle of the run with this report, or why there is none. */
  bundle(report: Report, key?: SignKey): Buffer | string
}

/** Makes the recorder of one run. */
export function createRunRecorder(options: ConformanceOptions): RunRecorder {
  const { credentials = {}, headers = {}, baseUrl } = options
  const secrets = CREDENTIAL_NAMES.flatMap((name) => {
    const value = credentials[name]
    return value === undefined || !isKey(name) ? [] : [value]
  })
  const standIns = createStandIns(secrets)
  const lines: string[] = []
  let bytes = 0
  const transport = recordingTransport(live, standIns, (line) => {
    const text = JSON.stringify(line)
    bytes += text.length
    if (bytes <= MOST_BUNDLE_BYTES / 2) lines.push(text)
  })
  return {
    transport,
    bundle(report, key) {
      const problem = whyNone(report, bytes)
      if (problem !== undefined) return problem
      const kept = KEPT_OPTIONS.flatMap((name) =>
        options[name] === undefined ? [] : [[name, options[name]]],
      )
      return writeBundle(
        {
          subject: 'server',
          startedAt: report.startedAt,
          settings: {
            ...Object.fromEntries(kept),
            baseUrl: baseUrl === undefined ? report.target.baseUrl : standIns.text(baseUrl),
            headers: Object.fromEntries(standIns.headers(Object.entries(headers))),
            seed: report.seed,
          },
          credentials: standInsOf(credentials, standIns.keyFor),
          report,
          lines,
        },
        key,
      )
    },
  }
}

function whyNone({ interrupted, faults }: Report, bytes: number): string | undefined {
  if (interrupted === true) return 'the run was interrupted'
  if (faults.length > 0) return 'the judge had a fault of its own'
  if (bytes > MOST_BUNDLE_BYTES / 2) return 'the answers of the run are too large for a bundle'
  return undefined
}

/** Whether the value of a credential is a key: a replay runs no command, and a model is not a secret. */
const isKey = (name: string): boolean =>
  name !== 'CONFORMANCE_KEY_COMMAND' && name !== 'CONFORMANCE_RESTRICTED_MODEL'

function standInsOf(
  credentials: CredentialValues,
  keyFor: (secret: string) => string,
): Record<string, string> {
  const given = CREDENTIAL_NAMES.flatMap((name) => {
    const value = credentials[name]
    if (value === undefined || name === 'CONFORMANCE_KEY_COMMAND') return []
    return [[name, isKey(name) ? keyFor(value) : value] as const]
  })
  return Object.fromEntries(given)
}
