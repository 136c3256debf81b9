// The options of a run, their readers and their defaults. The command line and the programmatic interface have the same
// options, and both are read here.
import { randomInt } from 'node:crypto'
import { checkSet } from './check-sets.ts'
import { type CredentialValues, readCredentials } from './credentials.ts'
import * as values from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CAPABILITIES } from './capabilities.ts'
import type { Profile, RequestLimit } from '../../harness/target-facts.ts'
import { TIERS, type Tier } from '../../spec/catalogue/section.ts'

/** Defaults: property cases per check, requests in flight, and seconds for one answer. */
export const DEFAULT_RUNS = 50
export const DEFAULT_CONCURRENCY = 4
export const DEFAULT_TIMEOUT_SECONDS = 30

/** Defaults: seconds for the first chat answer, which may have to load a model, and for the waits of one refused request. */
export const DEFAULT_WARM_UP_SECONDS = 120
export const DEFAULT_PATIENCE_SECONDS = 90

/** Defaults for gateways: property cases per check, and the port of the upstream. */
export const DEFAULT_GATEWAY_RUNS = 30
export const DEFAULT_UPSTREAM_PORT = 4099

/** The seed of a quick run and of a run in CI: a gate throws no dice. */
export const FIXED_SEED = 1

/** Whether this is the environment of a CI server, most of which set `CI`. */
export const isCi = ({ CI }: Environment): boolean => CI !== undefined && !/^(|0|false)$/i.test(CI)

/** Whose rows are judged in a recording. */
export type RecordedSubject = 'server' | 'client'

/** Reads an option from its text; the flag of the same name uses the same reader. */
export const READERS = {
  authHeader: values.authHeader,
  profile: values.profile,
  only: values.notEmpty,
  tier: values.oneOf(TIERS),
  seed: readSeed,
  runs: values.whole(1, 100_000),
  concurrency: values.whole(1, 64),
  maxRequests: values.whole(1, Number.MAX_SAFE_INTEGER),
  maxTokensTotal: values.whole(1, Number.MAX_SAFE_INTEGER),
  requestsPerSecond: values.perSecond,
  maxMinutes: values.positive(10_080),
  require: capabilities,
  baseline: values.notEmpty,
} as const

/** The options of a run. Each has the default of the flag with its name. */
export interface ConformanceOptions {
  /**
   * The address of the service: its root, with or without `/v1`, or its base under any path, also with a query. Left out:
   * the reference server is started, and stopped at the end.
   */
  readonly baseUrl?: string | undefined
  /** The header for the key alone. Left out: `Authorization`, with `Bearer` before the key. */
  readonly authHeader?: string | undefined
  /** The model to judge; left out: the first that `GET /v1/models` lists. */
  readonly model?: string | undefined
  /** `service`: the whole specification; `wire`: the chat completions format alone. */
  readonly profile?: Profile | undefined
  /** The keys and the key command, under the names of their variables. The environment is not read for them. */
  readonly credentials?: CredentialValues | undefined
  /** Sent with every request; no report shows their values. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly limit?: RequestLimit | undefined
  /** A token id of the model and the text that it stands for, for `logit_bias`. */
  readonly token?: { readonly id: string; readonly text: string } | undefined

  /** The file that describes a puppet, the model of the run: its texts are known. */
  readonly puppet?: string | undefined

  /** A glob over the ids of checks and requirements; commas separate several. */
  readonly only?: string | undefined
  /** The tier of the judged rows of servers; left out: both. */
  readonly tier?: Tier | undefined
  /** The date of a set of checks: those that came after it run, and are not scored. */
  readonly catalogue?: string | undefined
  /** Seed of everything random, from 0 to 2^32 - 1. Left out: drawn, and shown in the report; fixed with `quick` and in CI. */
  readonly seed?: number | undefined
  /** Judges each requirement by its cheapest check, with one case of each property and a fixed seed. */
  readonly quick?: boolean | undefined
  /** Cases of each property. */
  readonly runs?: number | undefined

  /** Checks that run concurrently, at most 64; left out: adapted to the service. */
  readonly concurrency?: number | undefined
  /** Timeout of one answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Timeout of the first chat answer, which may have to load a model, in milliseconds; left out: `timeoutMs` if that is given. */
  readonly warmUpMs?: number | undefined
  /** Longest wait for a service that still starts, in milliseconds. Left out: it has to answer at once. */
  readonly waitMs?: number | undefined
  /** Longest total wait for one request that is refused with a 429 or an enveloped 503, in milliseconds. */
  readonly patienceMs?: number | undefined
  /** Requests of the whole run; checks that would need more are inconclusive. */
  readonly maxRequests?: number | undefined
  /** Tokens of prompts and answers in the whole run; checks that would need more are inconclusive. */
  readonly maxTokensTotal?: number | undefined
  /** Maximum duration of the run, in minutes; checks without a verdict by then are inconclusive. */
  readonly maxMinutes?: number | undefined
  /** Maximum request rate, in requests per second; bursts with the limited key are not delayed. */
  readonly requestsPerSecond?: number | undefined

  /** A SHOULD that does not hold fails. */
  readonly strict?: boolean | undefined
  /** Capabilities that the target has: one that it refuses fails. */
  readonly require?: readonly string[] | undefined
  /** A file of expected failures. */
  readonly baseline?: string | undefined
  /** A MUST that could not be judged does not change the exit code. */
  readonly allowIncomplete?: boolean | undefined
  /** An entry of the baseline that passes does not change the exit code. */
  readonly allowStale?: boolean | undefined

  /** A new file for every exchange of the run, in the form of a capture. */
  readonly capture?: string | undefined
  /** A file for the bundle of the run: its report and its recording. */
  readonly bundle?: string | undefined
  /** A private key of Ed25519 in PEM that signs the bundle. */
  readonly sign?: string | undefined
  /** The variables for proxies and certificate authorities. Left out: those of this process. */
  readonly environment?: Environment | undefined
  /** The variables of the environment that a started program gets besides those of docs/clients.md. */
  readonly env?: readonly string[] | undefined
  /** The headers whose values a capture or a bundle shows although their names are those of credentials. */
  readonly keep?: readonly string[] | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The validated options, with their defaults. */
export type Settings = Readonly<ReturnType<typeof settingsOf>>

/** Reads the options of a run. Throws `UsageError`, naming the option at fault. */
export function settingsOf(options: ConformanceOptions) {
  /** Reads one option as text, like the flag. */
  const read = <Value>(name: keyof ConformanceOptions, reader: values.Reader<Value>): Value | undefined => {
    const value = options[name]
    return value === undefined ? undefined : reader(String(value), name)
  }
  const milliseconds = values.whole(1, 3_600_000)
  const givenTimeoutMs = read('timeoutMs', milliseconds)
  const environment = options.environment ?? process.env
  const isFixed = options.quick === true || isCi(environment)
  return {
    baseUrl: read('baseUrl', values.serviceAddress),
    authHeader: read('authHeader', READERS.authHeader),
    model: read('model', values.notEmpty),
    profile: read('profile', READERS.profile) ?? 'service',
    credentials: readCredentials(options.credentials ?? {}),
    headers: Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => values.headerLine(`${name}: ${value}`)),
    ),
    capture: read('capture', values.reportFile),
    limit: options.limit,
    token: options.token,
    puppet: read('puppet', values.notEmpty),
    only: read('only', READERS.only),
    tier: read('tier', READERS.tier),
    checkSet: checkSet(options.catalogue, 'catalogue'),
    seed: read('seed', READERS.seed) ?? (isFixed ? FIXED_SEED : undefined),
    quick: options.quick === true,
    runs: read('runs', READERS.runs) ?? (options.quick === true ? 1 : DEFAULT_RUNS),
    concurrency: read('concurrency', READERS.concurrency),
    timeoutMs: givenTimeoutMs ?? DEFAULT_TIMEOUT_SECONDS * 1000,
    warmUpMs: read('warmUpMs', milliseconds) ?? givenTimeoutMs ?? DEFAULT_WARM_UP_SECONDS * 1000,
    waitMs: read('waitMs', values.whole(0, 86_400_000)) ?? 0,
    patienceMs: read('patienceMs', values.whole(0, 86_400_000)) ?? DEFAULT_PATIENCE_SECONDS * 1000,
    maxTokensTotal: read('maxTokensTotal', READERS.maxTokensTotal) ?? Infinity,
    maxRequests: read('maxRequests', READERS.maxRequests) ?? Infinity,
    requestsPerSecond: read('requestsPerSecond', READERS.requestsPerSecond) ?? Infinity,
    maxMinutes: read('maxMinutes', READERS.maxMinutes) ?? Infinity,
    strict: options.strict === true,
    require: options.require?.length ? READERS.require(options.require.join(','), 'require') : [],
    baseline: read('baseline', READERS.baseline),
    allowIncomplete: options.allowIncomplete === true,
    allowStale: options.allowStale === true,
    environment,
    env: options.env ?? [],
    keep: (options.keep ?? []).map((name) => values.headerName(name, 'keep')),
  }
}

/** A number, or `random` for one that is drawn. */
function readSeed(value: string, name: string): number {
  return value === 'random' ? randomInt(2 ** 32) : values.whole(0, 0xffffffff)(value, name)
}

function capabilities(value: string, name: string): readonly string[] {
  const given = value.split(',').map((part) => part.trim())
  const unknown = given.find((part) => !CAPABILITIES.includes(part))
  if (unknown !== undefined)
    throw new UsageError(`${name}: no capability '${unknown}': expected ${CAPABILITIES.join(', ')}`)
  return given
}
