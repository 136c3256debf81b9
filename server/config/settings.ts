// Every setting of the server, once: from here come parsing, `--help` and the table in README.md. One
// table, however long: whoever looks for a setting reads down one list.
import { availableParallelism } from 'node:os'
import {
  readDatabaseUrl,
  readHosts,
  readModels,
  readPassword,
  readProxies,
  readRedisUrl,
  readUpstreams,
} from './readers.ts'
import { bounds } from './bound-settings.ts'
import { oneOf, optional, optionalBound, type Setting, text, whole, wholeWithin } from './setting.ts'

export const service = {
  port: whole('PORT', 8080, [0, 65_535, ''], 'port to listen on; 0 for any free port', { flag: 'port' }),
  host: text('HOST', '127.0.0.1', 'address to listen on', { flag: 'host' }),
  dataDir: text('DATA_DIR', './data', 'folder for keys and other state', { flag: 'data' }),
  workers: whole(
    'WORKERS',
    1,
    [1, 64, 'processes'],
    'processes that serve the port together, each on a core of its own',
    { flag: 'workers' },
  ),
  dashboardPassword: optional(
    'DASHBOARD_PASSWORD',
    readPassword,
    'generated, printed once',
    "the operator's password, of 8 characters or more",
  ),
  dashboardHosts: optional(
    'DASHBOARD_HOSTS',
    readHosts,
    'none',
    'names under which the dashboard is served, beside HOST, localhost and addresses: as ops.example.com, separated by commas',
  ),
  keyLeaseMs: whole(
    'KEY_LEASE_MS',
    100,
    [0, 10_000, 'ms'],
    'how long a key that was found is good without another look, and so how long a revocation takes; the same on all instances',
  ),
  trustedProxies: optional(
    'TRUSTED_PROXIES',
    readProxies,
    'none',
    'proxies whose X-Forwarded-For is trusted: addresses and networks, as 10.0.0.0/8,::1',
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'],
    'level of the JSON lines on stderr',
  ),
}

export const requests = {
  requestTimeoutSeconds: whole('REQUEST_TIMEOUT_SECONDS', 30, [1, 3600, 's'], 'time for a request to arrive'),
  generationTimeoutSeconds: whole('GENERATION_TIMEOUT_SECONDS', 300, [1, 86_400, 's'], 'time for an answer'),
  keepAliveSeconds: whole(
    'KEEP_ALIVE_SECONDS',
    15,
    [1, 3600, 's'],
    'silence in a stream after which a comment is sent',
  ),
  drainSeconds: whole(
    'DRAIN_SECONDS',
    3,
    [0, 300, 's'],
    'drain: time after SIGTERM in which /readyz is 503 and requests are still served',
  ),
  shutdownGraceSeconds: whole(
    'SHUTDOWN_GRACE_SECONDS',
    10,
    [0, 3600, 's'],
    'grace period: time for answers in flight after the drain',
  ),
  usageFlushSeconds: whole(
    'USAGE_FLUSH_SECONDS',
    1,
    [1, 60, 's'],
    'how long counts of requests and tokens wait in memory before they are written',
  ),
  faults: oneOf(
    'FAULTS',
    ['off', 'on'],
    "on: a prompt to the echo model may request faults, as '#fault status=429', for tests of clients",
  ),
  lenient: oneOf(
    'LENIENT',
    ['off', 'on'],
    'on: members of a request that the format does not know are ignored, and named in x-ignored-parameters, instead of refused',
  ),
}

export const schemas = {
  timeoutMs: whole(
    'SCHEMA_TIMEOUT_MS',
    1000,
    [10, 60_000, 'ms'],
    "time to compile and match one request's schemas; over it the request gets a 400",
  ),
  workers: whole(
    'SCHEMA_WORKERS',
    2,
    [1, 64, 'processes'],
    'processes in which that is done; the first starts with the first schema',
  ),
  memoryMb: whole('SCHEMA_MEMORY_MB', 256, [32, 65_536, 'MB'], 'heap of each of them; over it also a 400'),
}

export const rateLimit = {
  requests: whole(
    'RATE_LIMIT_REQUESTS',
    600,
    [1, 1_000_000_000, 'requests'],
    'requests in one window, for a key without its own limit',
  ),
  windowSeconds: whole('RATE_LIMIT_WINDOW_SECONDS', 60, [1, 3600, 's'], 'length of that window'),
  concurrency: optionalBound(
    'RATE_LIMIT_CONCURRENCY',
    [1_000_000, 'requests'],
    'concurrent requests of one key',
  ),
  tokensPerMinute: optionalBound(
    'RATE_LIMIT_TOKENS_PER_MINUTE',
    [1_000_000_000, 'tokens'],
    'tokens of one key per minute, prompts and answers',
  ),
  answerTokens: whole(
    'RATE_LIMIT_ANSWER_TOKENS',
    256,
    [1, 1_000_000, 'tokens'],
    'what an answer without a token limit is taken to have, until it ends and its tokens are known',
  ),
}

export const redis = {
  url: optional(
    'REDIS_URL',
    readRedisUrl,
    'each instance counts alone',
    'redis:// or rediss://: instances share their limits there',
  ),
  timeoutMs: whole('REDIS_TIMEOUT_MS', 1000, [10, 60_000, 'ms'], 'longest wait for one answer of Redis'),
}

export const database = {
  url: optional(
    'DATABASE_URL',
    readDatabaseUrl,
    'a file in DATA_DIR',
    'postgresql://USER:PASSWORD@HOST:PORT/NAME: instances share their keys there',
  ),
  connections: whole('DATABASE_POOL', 10, [1, 1000, 'connections'], 'connections of this instance'),
  timeoutSeconds: whole(
    'DATABASE_TIMEOUT_SECONDS',
    3,
    [1, 60, 's'],
    'time for a connection, and then for an answer; of the file in DATA_DIR, for another process that writes to it',
  ),
}

export const llama = {
  models: optional(
    'LLAMA_MODELS',
    readModels,
    'none',
    'further models as id=PATH or id=hf:ADDRESS, separated by commas',
  ),
  folder: optional(
    'LLAMA_FOLDER',
    String,
    'none',
    'a folder whose GGUF files are further models, each by its name without .gguf',
  ),
  tiny: oneOf(
    'LLAMA_TINY',
    ['on', 'off'],
    'off: the bundled svc-0.1-tiny is not served; without other models no inference process is started',
  ),
  threads: whole(
    'LLAMA_THREADS',
    Math.min(availableParallelism(), 1024),
    [1, 1024, 'threads'],
    'threads for inference',
    { shown: 'the number of cores; 1 for a small model' },
  ),
  slots: whole('LLAMA_SLOTS', 4, [1, 256, 'slots'], 'answers that one model generates concurrently'),
  queue: whole(
    'LLAMA_QUEUE',
    64,
    [0, 100_000, 'requests'],
    'requests that may wait for a slot of one model; more get a 503',
  ),
  gpu: oneOf('LLAMA_GPU', ['off', 'auto'], 'auto: use a GPU where a build for it is installed'),
  load: oneOf('LLAMA_LOAD', ['start', 'use'], 'load models at the start, or each when it is first used'),
  idleSeconds: whole(
    'LLAMA_IDLE_SECONDS',
    0,
    [0, 1_000_000, 's'],
    'idle unload: how long an unused model stays loaded; 0 for ever',
  ),
  contextTokens: whole(
    'LLAMA_CONTEXT',
    2048,
    [64, 1_048_576, 'tokens'],
    'tokens of a prompt and its answer together',
    { shown: '2048, or fewer where memory is short' },
  ),
}

export const upstream = {
  models: optional(
    'UPSTREAM_MODELS',
    readUpstreams,
    'none',
    'models of other services as id=BASE_URL#MODEL#VARIABLE, separated by commas; the variable holds the key, if one is needed',
  ),
  timeoutSeconds: whole(
    'UPSTREAM_TIMEOUT_SECONDS',
    60,
    [1, 300, 's'],
    'silence of an upstream after which its answer is given up',
  ),
  concurrency: whole(
    'UPSTREAM_CONCURRENCY',
    256,
    [1, 100_000, 'requests'],
    'concurrent requests to upstreams; more get a 503',
  ),
  attempts: whole(
    'UPSTREAM_ATTEMPTS',
    3,
    [1, 10, 'attempts'],
    'how often a request is sent before its answer has begun',
  ),
  maxWaitSeconds: whole(
    'UPSTREAM_MAX_WAIT_SECONDS',
    10,
    [0, 300, 's'],
    'the sum of the waits between attempts',
  ),
}

export const metrics = {
  port: optional(
    'METRICS_PORT',
    wholeWithin(0, 65_535),
    'off',
    'port of the Prometheus endpoint /metrics; 0 for any free port',
  ),
  host: text('METRICS_HOST', '127.0.0.1', 'address of that port'),
}

/** The settings as help and README list them. */
export const SECTIONS: readonly (readonly [title: string, settings: Readonly<Record<string, Setting>>])[] = [
  ['Service', service],
  ['Requests', requests],
  ['Bounds of a request', bounds],
  ['Schemas of requests', schemas],
  ['Limits of keys', rateLimit],
  ['Limits shared in Redis', redis],
  ['Database', database],
  ['Local models', llama],
  ['Models of other services', upstream],
  ['Metrics', metrics],
]
