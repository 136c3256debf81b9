// Environment and flags, validated once. Whatever is wrong is one line that names the setting and what it expects. One
// file, so that a setting's name, default and bounds stand beside its type and its line of help.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { readTrustedProxies, type TrustedProxies } from '../http/client-address.ts'
import { ConfigError } from './config-error.ts'
import type { UpstreamModel } from '../engines/upstream/model.ts'
import { readModels, readUpstreams } from './model-settings.ts'

/** Everything that an operator may set. Times are in the unit of their name. */
export interface Config {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly dataDir: string
  /** The PostgreSQL database that takes the place of the file in `dataDir`; its URL holds a password. */
  readonly database:
    | { readonly url: string; readonly connections: number; readonly timeoutSeconds: number }
    | undefined
  /** The operator's password; undefined where one is generated at the first start. */
  readonly dashboardPassword: string | undefined
  /** The proxies whose `X-Forwarded-For` is believed; none unless set. */
  readonly trustedProxies: TrustedProxies
  /** The limits of every key that has none of its own; null for none. */
  readonly rateLimit: {
    readonly requests: number
    readonly windowSeconds: number
    readonly concurrency: number | null
    readonly tokensPerMinute: number | null
  }
  /** Where limits are kept that instances share; undefined where each has its own. The URL may hold a password. */
  readonly redis: { readonly url: string; readonly timeoutMs: number } | undefined
  readonly llama: {
    readonly models: readonly { readonly id: string; readonly source: string }[]
    /** A folder of GGUF files, each of which is a further model. */
    readonly folder: string | undefined
    readonly threads: number
    /** Whether these were configured: otherwise a small model gets one. */
    readonly threadsGiven: boolean
    readonly slots: number
    /** Requests that may wait for a slot of one model; more get a 503. */
    readonly queue: number
    /** Whether a GPU is used where a build for it is installed. */
    readonly gpu: boolean
    /** Tokens that a prompt and its answer may have together. */
    readonly contextTokens: number
    /** Whether these were configured: otherwise fewer will do where memory is short. */
    readonly contextGiven: boolean
    /** Whether a model is loaded when it is first used, instead of at the start. */
    readonly loadOnUse: boolean
    /** How long a model that nobody uses stays loaded; 0 for ever. */
    readonly idleSeconds: number
  }
  readonly upstream: {
    readonly models: readonly UpstreamModel[]
    /** How long an upstream may say nothing. */
    readonly timeoutSeconds: number
    /** Requests to upstreams under way at once; more get a 503. */
    readonly concurrency: number
    /** How often a request is sent, at most, before an answer has begun. */
    readonly attempts: number
    /** The sum of the waits between them. */
    readonly maxWaitSeconds: number
  }
  readonly maxBodyBytes: number
  /** How long a request may take to arrive. */
  readonly requestTimeoutSeconds: number
  /** How long an answer may take to be generated. */
  readonly generationTimeoutSeconds: number
  /** Silence in a stream after which a comment is sent. */
  readonly keepAliveSeconds: number
  /** Whether requests to the echo model may order faults. */
  readonly faults: boolean
  /** How long answers under way may go on after a SIGTERM. */
  readonly shutdownGraceSeconds: number
  /** How long a count of requests and tokens waits in memory before it is written. */
  readonly usageFlushSeconds: number
  /** Where figures are served for Prometheus; undefined where nobody asked for them. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  readonly logLevel: string
}

const LOG_LEVELS = ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'] as const

/** The text of `--help`. */
export const USAGE = `Usage: npm start -- [--port N] [--host H] [--data DIR]

A flag wins over its environment variable.
  --port, PORT                    where it listens; 0 for any free port (8080)
  --host, HOST                    the address that it binds (127.0.0.1)
  --data, DATA_DIR                the folder for keys and other state (./data)
  DATABASE_URL                    postgresql://USER:PASSWORD@HOST:PORT/NAME for keys shared by several instances (a file)
  DATABASE_POOL                   connections to it from this instance (10)
  DATABASE_TIMEOUT_SECONDS        time for a connection to it, and then for an answer (3)
  DASHBOARD_PASSWORD              the operator's password (generated and printed at the first start)
  TRUSTED_PROXIES                 addresses and networks, as 10.0.0.0/8,::1, whose X-Forwarded-For is believed (none)
  RATE_LIMIT_REQUESTS             requests that a key may make in one window (600)
  RATE_LIMIT_WINDOW_SECONDS       length of that window (60)
  RATE_LIMIT_CONCURRENCY          requests that a key may have under way at once; 0 for any number (0)
  RATE_LIMIT_TOKENS_PER_MINUTE    tokens that a key may use in a minute; 0 for any number (0)
  REDIS_URL                       redis:// or rediss://, where instances share limits (each instance has its own)
  REDIS_TIMEOUT_MS                the longest wait for one answer of Redis (1000)
  LLAMA_MODELS                    further models as id=PATH or id=hf:ADDRESS, separated by commas
  LLAMA_FOLDER                    a folder whose GGUF files are further models, each by its name without .gguf (none)
  LLAMA_THREADS                   threads for inference (the number of cores; 1 for a small model)
  LLAMA_SLOTS                     answers generated side by side for one model (4)
  LLAMA_QUEUE                     requests that may wait for a slot of one model (64)
  LLAMA_GPU                       off, or auto: a GPU where a build for it is installed (off)
  LLAMA_LOAD                      start, or use: each model is loaded when it is first used (start)
  LLAMA_IDLE_SECONDS              how long a model that nobody uses stays loaded; 0 for ever (0)
  LLAMA_CONTEXT                   tokens that a prompt and its answer may have together (2048, or fewer where memory is short)
  UPSTREAM_MODELS                 models of other services as id=BASE_URL#MODEL#VARIABLE, separated by commas; the
                                  environment variable of that name holds the key, if one is needed
  UPSTREAM_TIMEOUT_SECONDS        silence of an upstream after which its answer is given up (60)
  UPSTREAM_CONCURRENCY            requests to upstreams under way at once (256)
  UPSTREAM_ATTEMPTS               how often one is sent before its answer has begun (3)
  UPSTREAM_MAX_WAIT_SECONDS       the sum of the waits between these (10)
  MAX_BODY_BYTES                  size of a request body (4194304)
  REQUEST_TIMEOUT_SECONDS         time for a request to arrive (30)
  GENERATION_TIMEOUT_SECONDS      time for an answer (300)
  KEEP_ALIVE_SECONDS              silence in a stream after which a comment is sent (15)
  FAULTS                          on: a prompt to the echo model may order faults, as '#fault status=429' (off)
  SHUTDOWN_GRACE_SECONDS          time for answers under way after SIGTERM (10)
  USAGE_FLUSH_SECONDS             how long counts of requests and tokens wait before they are written (1)
  METRICS_PORT                    figures for Prometheus, under /metrics on this port; 0 for any free port (off)
  METRICS_HOST                    the address that this port is bound to (127.0.0.1)
  LOG_LEVEL                       ${LOG_LEVELS.join(', ')} (info)
`

/**
 * Reads the configuration from command line flags (without the program's name) and the environment.
 * Throws `ConfigError`.
 */
export function readConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const flags = readFlags(args)
  const setting = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const whole = (
    name: string,
    fallback: number,
    least: number,
    most: number,
    given = setting(name),
  ): number => {
    if (given === undefined) return fallback
    const value = Number(given)
    if (/^\d+$/.test(given) && value >= least && value <= most) return value
    throw new ConfigError(`${name}: expected a whole number from ${least} to ${most}, got '${given}'`)
  }

  /** One of these words; the first is the default. */
  const oneOf = (name: string, words: readonly [string, ...string[]]): string => {
    const given = setting(name) ?? words[0]
    if (words.includes(given)) return given
    throw new ConfigError(`${name}: expected one of ${words.join(', ')}, got '${given}'`)
  }

  return {
    host: flags.host ?? setting('HOST') ?? '127.0.0.1',
    port: whole('PORT', 8080, 0, 65_535, flags.port ?? setting('PORT')),
    dataDir: flags.data ?? setting('DATA_DIR') ?? './data',
    database: readDatabase(
      setting('DATABASE_URL'),
      whole('DATABASE_POOL', 10, 1, 1000),
      whole('DATABASE_TIMEOUT_SECONDS', 3, 1, 60),
    ),
    dashboardPassword: setting('DASHBOARD_PASSWORD'),
    trustedProxies: readProxies(setting('TRUSTED_PROXIES')),
    rateLimit: {
      requests: whole('RATE_LIMIT_REQUESTS', 600, 1, 1_000_000_000),
      windowSeconds: whole('RATE_LIMIT_WINDOW_SECONDS', 60, 1, 3600),
      concurrency: whole('RATE_LIMIT_CONCURRENCY', 0, 0, 1_000_000) || null,
      tokensPerMinute: whole('RATE_LIMIT_TOKENS_PER_MINUTE', 0, 0, 1_000_000_000) || null,
    },
    redis: readRedis(setting('REDIS_URL'), whole('REDIS_TIMEOUT_MS', 1000, 10, 60_000)),
    llama: {
      models: readModels(setting('LLAMA_MODELS')),
      folder: setting('LLAMA_FOLDER'),
      threads: whole('LLAMA_THREADS', availableParallelism(), 1, 1024),
      threadsGiven: setting('LLAMA_THREADS') !== undefined,
      slots: whole('LLAMA_SLOTS', 4, 1, 256),
      queue: whole('LLAMA_QUEUE', 64, 0, 100_000),
      gpu: oneOf('LLAMA_GPU', ['off', 'auto']) === 'auto',
      contextTokens: whole('LLAMA_CONTEXT', 2048, 64, 1_048_576),
      contextGiven: setting('LLAMA_CONTEXT') !== undefined,
      loadOnUse: oneOf('LLAMA_LOAD', ['start', 'use']) === 'use',
      idleSeconds: whole('LLAMA_IDLE_SECONDS', 0, 0, 1_000_000),
    },
    upstream: {
      models: readUpstreams(setting('UPSTREAM_MODELS'), setting),
      timeoutSeconds: whole('UPSTREAM_TIMEOUT_SECONDS', 60, 1, 300),
      concurrency: whole('UPSTREAM_CONCURRENCY', 256, 1, 100_000),
      attempts: whole('UPSTREAM_ATTEMPTS', 3, 1, 10),
      maxWaitSeconds: whole('UPSTREAM_MAX_WAIT_SECONDS', 10, 0, 300),
    },
    maxBodyBytes: whole('MAX_BODY_BYTES', 4_194_304, 1024, 1_073_741_824),
    requestTimeoutSeconds: whole('REQUEST_TIMEOUT_SECONDS', 30, 1, 3600),
    generationTimeoutSeconds: whole('GENERATION_TIMEOUT_SECONDS', 300, 1, 86_400),
    keepAliveSeconds: whole('KEEP_ALIVE_SECONDS', 15, 1, 3600),
    faults: oneOf('FAULTS', ['off', 'on']) === 'on',
    shutdownGraceSeconds: whole('SHUTDOWN_GRACE_SECONDS', 10, 0, 3600),
    usageFlushSeconds: whole('USAGE_FLUSH_SECONDS', 1, 1, 60),
    metrics:
      setting('METRICS_PORT') === undefined
        ? undefined
        : { host: setting('METRICS_HOST') ?? '127.0.0.1', port: whole('METRICS_PORT', 0, 0, 65_535) },
    logLevel: oneOf('LOG_LEVEL', LOG_LEVELS),
  }
}

/** The message says nothing of what was given: it may hold a password. */
function readRedis(url: string | undefined, timeoutMs: number): Config['redis'] {
  if (url === undefined) return undefined
  if (URL.canParse(url) && ['redis:', 'rediss:'].includes(new URL(url).protocol)) return { url, timeoutMs }
  throw new ConfigError('REDIS_URL: expected redis://HOST:PORT or rediss://HOST:PORT')
}

interface Flags {
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly data?: string | undefined
}

function readFlags(args: readonly string[]): Flags {
  try {
    const options = { port: { type: 'string' }, host: { type: 'string' }, data: { type: 'string' } } as const
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** What is wrong is said without the URL: it holds a password. */
function readDatabase(
  text: string | undefined,
  connections: number,
  timeoutSeconds: number,
): Config['database'] {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw new ConfigError('DATABASE_URL: expected postgresql://USER:PASSWORD@HOST:PORT/NAME')
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new ConfigError(`DATABASE_URL: sslmode is one of ${SSL_MODES.join(', ')}`)
  return { url: text, connections, timeoutSeconds }
}

function readProxies(text = ''): TrustedProxies {
  try {
    return readTrustedProxies(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ConfigError(
      `TRUSTED_PROXIES: expected addresses or networks, as 10.0.0.0/8, separated by commas, got '${error.message}'`,
    )
  }
}
