// What a run can be told, and what stands where nothing is said. The command line and the programmatic interface say
// the same things, and both are read here.
import { type CatalogueVersion, catalogueVersion } from '../catalogue/catalogue-version.ts'
import type { ConfigFile } from './config-file.ts'
import { type CredentialValues, type Credentials, readCredentials } from './credentials.ts'
import {
  headerLine,
  notEmpty,
  perSecond,
  profile,
  rootAddress,
  whole,
} from '../../harness/cli/flag-values.ts'
import { capabilities } from './capability-names.ts'
import type { Profile, RequestLimit } from '../../harness/target-facts.ts'

/** Property cases per check, requests under way at once, and the time for one answer, where nothing is said. */
export const DEFAULT_RUNS = 50
const DEFAULT_CONCURRENCY = 4
const DEFAULT_TIMEOUT_MS = 30_000

/** What a run is told. Whatever is left out has the meaning that the flag of that name has when it is left out. */
export interface ConformanceOptions {
  /** The root address, with or without `/v1`. Left out: the reference server is started, and stopped in the end. */
  readonly baseUrl?: string | undefined
  /** The model to judge; left out: the first that `GET /v1/models` lists. */
  readonly model?: string | undefined
  /** `service`: the whole specification; `wire`: the chat completions format alone. */
  readonly profile?: Profile | undefined
  /** The keys and the key command, under the names of their variables. The environment is not read for them. */
  readonly credentials?: CredentialValues | undefined
  /** Sent with every request; no report shows their values. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The limit of the limited key. */
  readonly limit?: RequestLimit | undefined
  /** A token id of the model and the text that it stands for, for `logit_bias`. */
  readonly token?: ConfigFile['token'] | undefined

  /** A glob over the ids of checks and requirements; commas separate several. */
  readonly only?: string | undefined
  /** Checks that came after this version of the catalogue are left out. */
  readonly catalogue?: string | undefined
  /** Of everything random, from 0 to 2^32 - 1; left out: drawn, and told by the report. */
  readonly seed?: number | undefined
  /** Cases of each property. */
  readonly runs?: number | undefined

  /** Cases at once, at most 64. */
  readonly concurrency?: number | undefined
  /** For one answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** For the whole run; what is not asked for then could not be judged. */
  readonly maxRequests?: number | undefined
  /** The most requests that are begun in a second, bursts to a limited key aside. */
  readonly requestsPerSecond?: number | undefined

  /** A SHOULD that does not hold fails. */
  readonly strict?: boolean | undefined
  /** Capabilities that the target has: one that it refuses fails. */
  readonly require?: readonly string[] | undefined
  /** A file of expected failures. */
  readonly baseline?: string | undefined
  /** A MUST that could not be judged does not change the exit code. */
  readonly allowIncomplete?: boolean | undefined

  /** Holds the variables for proxies and certificate authorities; left out: those of this process. */
  readonly environment?: Environment | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The same, read: everything that is needed has a value that can be used. */
export interface Settings {
  /** Without `/v1`; undefined: the reference server is started. */
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly profile: Profile
  readonly credentials: Credentials
  readonly headers: Readonly<Record<string, string>>
  readonly limit: RequestLimit | undefined
  readonly token: ConfigFile['token'] | undefined
  readonly only: string | undefined
  readonly catalogue: CatalogueVersion
  readonly seed: number | undefined
  readonly runs: number
  readonly concurrency: number
  readonly timeoutMs: number
  readonly maxRequests: number
  readonly requestsPerSecond: number
  readonly strict: boolean
  readonly require: readonly string[]
  readonly baseline: string | undefined
  readonly allowIncomplete: boolean
  readonly environment: Environment
}

/** Reads what a run is told. Throws `UsageError`, naming the option at fault. */
export function settingsOf(options: ConformanceOptions): Settings {
  const number = (
    name: 'runs' | 'concurrency' | 'timeoutMs' | 'maxRequests' | 'seed',
    least: number,
    most: number,
  ) => (options[name] === undefined ? undefined : whole(least, most)(String(options[name]), name))
  const text = <Value>(
    name: 'baseUrl' | 'model' | 'profile' | 'only' | 'catalogue' | 'baseline',
    parse: (text: string, name: string) => Value,
  ): Value | undefined => {
    const value = options[name]
    return value === undefined ? undefined : parse(value, name)
  }
  const { headers = {}, requestsPerSecond } = options
  return {
    baseUrl: text('baseUrl', rootAddress),
    model: text('model', notEmpty),
    profile: text('profile', profile) ?? 'service',
    credentials: readCredentials(options.credentials ?? {}),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => headerLine(`${name}: ${value}`)),
    ),
    limit: options.limit,
    token: options.token,
    only: text('only', notEmpty),
    catalogue: catalogueVersion(options.catalogue, 'catalogue'),
    seed: number('seed', 0, 0xffffffff),
    runs: number('runs', 1, 100_000) ?? DEFAULT_RUNS,
    concurrency: number('concurrency', 1, 64) ?? DEFAULT_CONCURRENCY,
    timeoutMs: number('timeoutMs', 1, 3_600_000) ?? DEFAULT_TIMEOUT_MS,
    maxRequests: number('maxRequests', 1, Number.MAX_SAFE_INTEGER) ?? Infinity,
    requestsPerSecond:
      requestsPerSecond === undefined ? Infinity : perSecond(String(requestsPerSecond), 'requestsPerSecond'),
    strict: options.strict === true,
    require:
      (options.require ?? []).length === 0 ? [] : capabilities((options.require ?? []).join(','), 'require'),
    baseline: text('baseline', notEmpty),
    allowIncomplete: options.allowIncomplete === true,
    environment: options.environment ?? process.env,
  }
}
