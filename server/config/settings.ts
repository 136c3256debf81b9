// The one table of all settings of the server: parsing, `--help` and the table in docs/settings.md derive from it. It is long
// because a reader looks for a setting in one list. The variable of a setting is the first argument of its section and its
// own name: `windowSeconds` of `RATE_LIMIT_` is `RATE_LIMIT_WINDOW_SECONDS`.
import { availableParallelism } from 'node:os'
import {
  readDatabaseUrl,
  readHosts,
  readModels,
  readPassword,
  readProxies,
  readRedisUrl,
  readUpstreams,
} from './setting-readers.ts'
import { whole as wholeWithin } from '../../harness/cli/flag-values.ts'
import {
  oneOf,
  optional,
  optionalBound,
  section,
  type Settings,
  text,
  whole,
} from '../../harness/cli/setting.ts'

/** The lease of a key by where keys are stored, in milliseconds: reading a file again costs less than asking a database. */
export const KEY_LEASE_MS = { file: 10, database: 100 } as const

export const service = section('', {
  port: whole(8080, [0, 65_535, '']).with({ flag: 'port' }).means('Port to listen on; 0 for any free port'),
  host: text('127.0.0.1').with({ flag: 'host' }).means('Address to listen on'),
  dataDir: text('./data')
    .with({ flag: 'data' })
    .means('Folder for keys and other state; :memory: keeps them until the process ends'),
  workers: whole(1, [1, 64, 'threads'])
    .with({ flag: 'workers' })
    .means('Number of threads that serve the port together'),
  dashboardPassword: optional(readPassword, 'generated, printed once').means(
    'Password of the operator, at least 8 characters',
  ),
  dashboardHosts: optional(readHosts, 'none').means(
    'Host names under which the dashboard is served, separated by commas, for example ops.example.com; HOST, localhost and IP addresses are always accepted',
  ),
  keyLeaseMs: optional(
    wholeWithin(0, 10_000),
    `${KEY_LEASE_MS.file} with a file, ${KEY_LEASE_MS.database} with DATABASE_URL`,
  ).means(
    'How long a key is cached before it is read again, and so the longest time until a revocation is effective, 0 to 10000 ms; the same value on all instances',
  ),
  trustedProxies: optional(readProxies, 'none').means(
    'Proxies whose X-Forwarded-For is trusted: addresses and networks, for example 10.0.0.0/8,::1',
  ),
  logLevel: oneOf(['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']).means(
    'Lowest level of the JSON log lines on stderr',
  ),
})

export const requests = section('', {
  requestTimeoutSeconds: whole(30, [1, 3600, 's']).means('Maximum time for a request to arrive'),
  generationTimeoutSeconds: whole(300, [1, 86_400, 's']).means('Maximum time for an answer'),
  keepAliveSeconds: whole(10, [1, 3600, 's']).means('Silence in a stream after which a comment is sent'),
  drainSeconds: whole(3, [0, 300, 's']).means(
    'Drain: time after SIGTERM during which /readyz returns 503 and requests are still served',
  ),
  shutdownGraceSeconds: whole(10, [0, 3600, 's']).means(
    'Grace period: maximum time for answers in flight after the drain',
  ),
  usageFlushSeconds: whole(1, [1, 60, 's']).means(
    'Interval between two writes of the counts of requests and tokens',
  ),
  faults: oneOf(['off', 'on']).means(
    "on: a prompt to the echo model, for example '#fault status=429', or POST /faults can request a fault, to test clients",
  ),
  echoContext: optional(wholeWithin(64, 1_073_741_824), 'a quarter of MAX_BODY_BYTES').means(
    'Context of the echo model, 64 to 1073741824 tokens; each character is one, and a longer prompt is refused',
  ),
  lenient: oneOf(['off', 'on']).means(
    'on: unknown members of a request are ignored and named in x-ignored-parameters, instead of refused',
  ),
})

export const connections = section('', {
  maxConnections: optional(
    wholeWithin(1, 1_000_000),
    'three quarters of the file descriptors, at most 16384',
  ).means(
    'Maximum open connections of the process; for a new one, the one that has been idle longest is closed',
  ),
  maxConnectionsPerAddress: optional(wholeWithin(1, 1_000_000), 'half of MAX_CONNECTIONS').means(
    'Maximum open connections of one address, or of one IPv6 /64; TRUSTED_PROXIES are exempt',
  ),
  writeTimeoutSeconds: whole(30, [1, 3600, 's']).means(
    'Maximum time in which a client takes nothing of an answer that waits for it; its connection is then closed',
  ),
  closeGraceMs: whole(2000, [10, 60_000, 'ms']).means(
    'Time after the last answer of a connection in which its client can read the answer and close the connection',
  ),
  maxDiscardedBytes: whole(67_108_864, [0, 1_099_511_627_776, 'bytes']).means(
    'Maximum size of what a refused client still sends that is read and discarded, so that it can read its answer',
  ),
})

/** The maximum cost of one request. Each bound is checked before the work that it bounds. */
export const bounds = section('MAX_', {
  bodyBytes: whole(4_194_304, [1024, 1_073_741_824, 'bytes']).means('Maximum size of a request body'),
  bodyValues: whole(65_536, [100, 100_000_000, 'values']).means(
    'Maximum JSON values in a request body: objects, arrays, names, strings, numbers',
  ),
  messages: whole(2048, [1, 1_000_000, 'messages']).means(
    'Maximum messages of a request, with their content parts and tool calls',
  ),
  logitBias: whole(1024, [1, 1_000_000, 'entries']).means('Maximum entries of logit_bias'),
  stopChars: whole(1024, [1, 1_000_000, 'characters']).means('Maximum length of a stop string'),
  answerTokens: whole(1_048_576, [1, 1_000_000_000, 'tokens']).means(
    'Maximum product of n and the token limit of a request',
  ),
  answerBytes: whole(16_777_216, [1024, 1_073_741_824, 'bytes']).means(
    'Maximum size of an answer as it is written, all choices together',
  ),
  unreadBytesPerKey: whole(33_554_432, [65_536, 1_099_511_627_776, 'bytes']).means(
    'Maximum size of the answers to one key that wait in memory for their readers; further ones get a 429',
  ),
  unreadBytes: whole(67_108_864, [65_536, 1_099_511_627_776, 'bytes']).means(
    'Maximum size of all answers that wait in memory for their readers; further ones get a 503',
  ),
})

export const schemas = section('SCHEMA_', {
  timeoutMs: whole(1000, [10, 60_000, 'ms']).means(
    'Maximum time to compile and match the schemas of a request; a request that exceeds it gets a 400',
  ),
  workers: whole(2, [1, 64, 'processes']).means(
    'Maximum number of processes that compile schemas; the first one starts with the first schema',
  ),
  memoryMb: whole(256, [32, 65_536, 'MB']).means(
    'Maximum heap of each of these processes; a request that exceeds it gets a 400',
  ),
})

export const rateLimit = section('RATE_LIMIT_', {
  requests: whole(600, [1, 1_000_000_000, 'requests']).means(
    'Requests per window, for a key without a limit of its own',
  ),
  windowSeconds: whole(60, [1, 3600, 's']).means('Length of that window'),
  concurrency: optionalBound([1_000_000, 'requests']).means('Maximum concurrent requests of one key'),
  tokensPerMinute: optionalBound([1_000_000_000, 'tokens']).means(
    'Maximum tokens of one key per minute, prompts and answers together',
  ),
  answerTokens: whole(256, [1, 1_000_000, 'tokens']).means(
    'Assumed length of an answer without a token limit, until its tokens are known',
  ),
})

export const redis = section('REDIS_', {
  url: optional(readRedisUrl, 'each instance counts on its own').means(
    'Address of the Redis in which instances share their limits: redis:// or rediss://',
  ),
  timeoutMs: whole(1000, [10, 60_000, 'ms']).means('Maximum time for one answer of Redis'),
})

export const database = section('DATABASE_', {
  url: optional(readDatabaseUrl, 'a file in DATA_DIR').means(
    'Address of the PostgreSQL in which instances share their keys: postgresql://USER:PASSWORD@HOST:PORT/NAME',
  ),
  pool: whole(10, [1, 1000, 'connections']).means('Maximum connections of this instance'),
  timeoutSeconds: whole(3, [1, 60, 's']).means(
    'Maximum time for a connection, and then for an answer; for the file in DATA_DIR, maximum wait for another process that writes to it',
  ),
})

export const llama = section('LLAMA_', {
  models: optional(readModels, 'none').means(
    'Further models as id=PATH or id=hf:ADDRESS, separated by commas',
  ),
  folder: optional(String, 'none').means(
    'Folder of further GGUF models; the id of each is its file name without .gguf',
  ),
  tiny: oneOf(['on', 'off']).means(
    'off: the bundled svc-0.1-tiny is not served; without other models no inference process starts',
  ),
  threads: whole(Math.min(availableParallelism(), 1024), [1, 1024, 'threads'])
    .with({ fallback: 'the number of cores; 1 for a small model' })
    .means('Number of threads for inference'),
  slots: whole(4, [1, 256, 'slots']).means('Maximum answers that one model generates concurrently'),
  queue: whole(64, [0, 100_000, 'requests']).means(
    'Maximum requests that wait for a slot of one model; further ones get a 503',
  ),
  gpu: oneOf(['off', 'auto']).means('auto: use a GPU if a build for it is installed'),
  load: oneOf(['start', 'use']).means(
    'Time at which models are loaded: at the start, or each at its first use',
  ),
  idleSeconds: whole(0, [0, 1_000_000, 's']).means('Idle time after which a model is unloaded; 0 for never'),
  context: optional(
    wholeWithin(64, 1_048_576),
    'as the model was trained, bounded by LLAMA_CONTEXT_MB',
  ).means(
    'Maximum tokens of a prompt and its answer together, 64 to 1048576 tokens; never more than the model was trained on',
  ),
  contextMb: whole(4096, [1, 1_000_000, 'MB']).means(
    'Maximum memory of the context of one model, for all its slots, if LLAMA_CONTEXT is not set; at most half of the free memory',
  ),
})

export const upstream = section('UPSTREAM_', {
  models: optional(readUpstreams, 'none').means(
    'Models of other services as id=BASE_URL#MODEL#VARIABLE, separated by commas; the variable contains the key, if the service needs one',
  ),
  timeoutSeconds: whole(60, [1, 300, 's']).means(
    'Silence of an upstream after which its answer is cancelled',
  ),
  concurrency: whole(256, [1, 100_000, 'requests']).means(
    'Maximum concurrent requests to upstreams; further ones get a 503',
  ),
  attempts: whole(3, [1, 10, 'attempts']).means('Maximum attempts of a request before its answer has begun'),
  maxWaitSeconds: whole(10, [0, 300, 's']).means('Maximum sum of the waits between attempts'),
})

export const metrics = section('METRICS_', {
  port: optional(wholeWithin(0, 65_535), 'off').means(
    'Port of the Prometheus endpoint /metrics; 0 for any free port',
  ),
  host: text('127.0.0.1').means('Address of that port'),
})

/** The settings in the order of `--help` and docs/settings.md. */
export const SECTIONS: readonly (readonly [title: string, settings: Settings])[] = [
  ['Service', service],
  ['Requests', requests],
  ['Connections', connections],
  ['Bounds of a request', bounds],
  ['Schemas of requests', schemas],
  ['Limits of keys', rateLimit],
  ['Limits shared in Redis', redis],
  ['Database', database],
  ['Local models', llama],
  ['Models of other services', upstream],
  ['Metrics', metrics],
]
