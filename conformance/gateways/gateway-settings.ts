// The options of a run that judges a gateway: their readers and defaults.
import { headerLine, notEmpty, rootAddress, whole } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { type CredentialValues, readCredentials } from '../runner/credentials.ts'
import {
  type ConformanceOptions,
  DEFAULT_WARM_UP_SECONDS,
  type Environment,
  READERS,
} from '../runner/settings.ts'

/** The port of the upstream, unless another one is given. */
export const DEFAULT_UPSTREAM_PORT = 4099

/** The time of the row for an answer (GATE-12), in seconds. */
const DEFAULT_TIMEOUT_SECONDS = 30

/** Cases of each property, and crossings at the same time. */
export const DEFAULT_GATEWAY_RUNS = 30
const DEFAULT_CONCURRENCY = 8

type SharedOptions = Pick<
  ConformanceOptions,
  | 'baseUrl'
  | 'model'
  | 'headers'
  | 'only'
  | 'seed'
  | 'quick'
  | 'runs'
  | 'concurrency'
  | 'timeoutMs'
  | 'warmUpMs'
  | 'strict'
  | 'baseline'
  | 'allowIncomplete'
  | 'environment'
>

/** The options of a run. Each has the default of the flag with its name. */
export interface GatewayOptions extends SharedOptions {
  readonly credentials?: CredentialValues | undefined
  /** The words that start the gateway, without a shell; left out: it runs already. Placeholders as in `gateway-process.ts`. */
  readonly command?: readonly string[] | undefined
  /** The port of the upstream; 0 is any free one. */
  readonly listen?: number | undefined
}

/** The validated options, with their defaults. */
export interface GatewaySettings {
  readonly baseUrl: string
  readonly listen: number
  readonly command: readonly string[]
  readonly model: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The key of the client; '' if the gateway needs none. */
  readonly key: string
  /** The key of the upstream that the gateway sends; undefined: one is made. */
  readonly upstreamKey: string | undefined
  readonly only: string | undefined
  readonly seed: number | undefined
  readonly isQuick: boolean
  readonly runs: number
  readonly concurrency: number
  readonly timeoutMs: number
  readonly warmUpMs: number
  readonly strict: boolean
  readonly baseline: string | undefined
  readonly allowIncomplete: boolean
  readonly environment: Environment
}

/** Reads the options. Throws `UsageError`, naming the option at fault. */
export function gatewaySettings(options: GatewayOptions): GatewaySettings {
  const { baseUrl, environment = process.env, quick: isQuick = false, credentials = {} } = options
  if (baseUrl === undefined) throw new UsageError('--base-url: gateway needs the address of the gateway')
  const { keys, upstreamKey } = readCredentials(credentials)
  return {
    baseUrl: rootAddress(baseUrl, '--base-url'),
    listen: options.listen ?? DEFAULT_UPSTREAM_PORT,
    command: options.command ?? [],
    model: options.model === undefined ? undefined : notEmpty(options.model, 'model'),
    headers: Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => headerLine(`${name}: ${value}`)),
    ),
    key: keys.main ?? '',
    upstreamKey,
    only: options.only,
    seed: options.seed,
    isQuick,
    runs: options.runs ?? (isQuick ? 1 : DEFAULT_GATEWAY_RUNS),
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    timeoutMs:
      options.timeoutMs === undefined
        ? DEFAULT_TIMEOUT_SECONDS * 1000
        : whole(1, 3_600_000)(String(options.timeoutMs), 'timeoutMs'),
    warmUpMs: options.warmUpMs ?? DEFAULT_WARM_UP_SECONDS * 1000,
    strict: options.strict === true,
    baseline: options.baseline === undefined ? undefined : READERS.baseline(options.baseline, 'baseline'),
    allowIncomplete: options.allowIncomplete === true,
    environment,
  }
}
