// The options of a run that judges a gateway: their readers and defaults.
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { PROGRAM } from '../../../harness/program.ts'
import { flagWords, shellWord } from '../../report/show-exchange.ts'
import {
  type ConformanceOptions,
  DEFAULT_GATEWAY_RUNS,
  DEFAULT_UPSTREAM_PORT,
  DEFAULT_WARM_UP_SECONDS,
  settingsOf,
} from '../../contract/settings.ts'

/** Crossings at the same time. */
const DEFAULT_CONCURRENCY = 8

/** The options that have no meaning for a gateway. */
type ServerOption =
  | 'profile'
  | 'limit'
  | 'token'
  | 'catalogue'
  | 'patienceMs'
  | 'maxRequests'
  | 'maxTokensTotal'
  | 'maxMinutes'
  | 'requestsPerSecond'
  | 'require'
  | 'capture'

/** The options of a run. Each has the default of the flag with its name. */
export interface GatewayOptions extends Omit<ConformanceOptions, ServerOption> {
  /** The words that start the gateway, without a shell; left out: it runs already. Placeholders as in `gateway-process.ts`. */
  readonly command?: readonly string[] | undefined
  /** The port of the upstream; 0 is any free one. */
  readonly listen?: number | undefined
  /** The duration of the stream that outlasts time limits of whole answers, in milliseconds. */
  readonly longStreamMs?: number | undefined
  /** How long connections of the upstream are idle before it closes them, in milliseconds. */
  readonly idleMs?: number | undefined
}

/** Longer than servers keep idle connections open by default: 5 s. */
const DEFAULT_IDLE_MS = 5_500

/** Longer than the time limits of whole answers that gateways and proxies have by default: 60 s. */
const DEFAULT_LONG_STREAM_MS = 90_000

/** The validated options, with their defaults. */
export type GatewaySettings = Readonly<ReturnType<typeof gatewaySettings>>

/** Reads the options. The time for an answer has the default of GATE-12. Throws `UsageError`, naming the option at fault. */
export function gatewaySettings(options: GatewayOptions) {
  const {
    listen = DEFAULT_UPSTREAM_PORT,
    command = [],
    quick,
    longStreamMs = DEFAULT_LONG_STREAM_MS,
    idleMs = DEFAULT_IDLE_MS,
  } = options
  const {
    baseUrl,
    concurrency = DEFAULT_CONCURRENCY,
    ...settings
  } = settingsOf({
    ...options,
    runs: options.runs ?? (quick ? 1 : DEFAULT_GATEWAY_RUNS),
    // The gateway may have to start, however short its answers take.
    warmUpMs: options.warmUpMs ?? DEFAULT_WARM_UP_SECONDS * 1000,
  })
  if (baseUrl === undefined) throw new UsageError('--base-url: gateway needs the address of the gateway')
  const { keys, upstreamKey } = settings.credentials
  return {
    ...settings,
    baseUrl,
    concurrency,
    listen,
    command,
    longStreamMs,
    /** The second time, for the other end of a connection, is shorter: most of it is noticed at once. */
    idleMs: { closed: idleMs, reset: idleMs / 4 },
    /** The key of the client; '' if the gateway needs none. */
    key: keys.main ?? '',
    /** The key of the upstream that the gateway sends; undefined: one is made. */
    upstreamKey,
  }
}

/** The command that judges a gateway again, with these flags before and `more` behind those that all runs have. */
export function commandLine(
  { baseUrl, authHeader, listen, model, command }: GatewaySettings,
  own: { readonly upstream?: string; readonly timeout?: number },
  ...more: readonly string[]
): string {
  const { upstream, timeout } = own
  return [
    `${PROGRAM} gateway`,
    ...flagWords({ 'base-url': baseUrl, 'auth-header': authHeader, upstream, listen, timeout, model }),
    ...more,
    ...(command.length === 0 ? [] : ['--', ...command.map(shellWord)]),
  ].join(' ')
}
