// The configuration: environment and flags, validated once. An error is one line that names the setting and the
// expected value.
import { parseArgs } from 'node:util'
import { readValues } from '../../harness/cli/named-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Setting, Settings } from '../../harness/cli/setting.ts'
import * as settings from './settings.ts'

/** Everything that an operator may set. Times are in the unit of their name. */
export type Config = ReturnType<typeof readConfig>

/**
 * Reads the configuration from command line flags (without the program's name) and the environment. An empty variable
 * counts as none. Throws `UsageError`.
 */
export function readConfig(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const flags = readFlags(args)
  const given = ({ flag, env: name }: Setting) => (flag && flags[flag]) ?? (env[name] || undefined)
  const read = <Table extends Settings>(table: Table) => readValues(table, given, ({ env }) => env)
  const service = { ...read(settings.service), ...read(settings.requests) }
  const rest = {
    schemas: read(settings.schemas),
    connections: read(settings.connections),
    bounds: read(settings.bounds),
    rateLimit: read(settings.rateLimit),
  }
  const redis = read(settings.redis)
  const database = read(settings.database)
  const { load, gpu, tiny, models = [], context, ...inference } = read(settings.llama)
  const upstream = read(settings.upstream)
  const metrics = read(settings.metrics)
  const upstreams = (upstream.models ?? []).map(({ id, baseUrl, model, variable }) => {
    const apiKey = variable === undefined ? undefined : env[variable] || undefined
    if (variable !== undefined && apiKey === undefined)
      throw new UsageError(`UPSTREAM_MODELS: the variable '${variable}' for '${id}' is not set`)
    return { id, baseUrl, model, apiKey }
  })
  return {
    ...service,
    ...rest,
    keyLeaseMs: service.keyLeaseMs ?? settings.KEY_LEASE_MS[database.url === undefined ? 'file' : 'database'],
    trustedProxies: service.trustedProxies ?? (() => false),
    faults: service.faults === 'on',
    echoContextTokens: service.echoContext ?? Math.ceil(rest.bounds.bodyBytes / 4),
    lenient: service.lenient === 'on',
    /** Undefined if each instance has limits of its own. The URL may hold a password. */
    redis: redis.url === undefined ? undefined : { ...redis, url: redis.url },
    /** The PostgreSQL database that replaces the file in `dataDir`; its URL holds a password. */
    database: database.url === undefined ? undefined : { url: database.url, connections: database.pool },
    databaseTimeoutSeconds: database.timeoutSeconds,
    llama: {
      ...inference,
      models,
      /** Undefined: the context of the model's training, as far as memory allows. */
      contextTokens: context,
      gpu: gpu === 'auto',
      servesTiny: tiny === 'on',
      loadOnUse: load === 'use',
      /** If false, a small model gets one thread. */
      threadsGiven: given(settings.llama.threads) !== undefined,
    },
    upstream: {
      ...upstream,
      models: upstreams,
      /** The variables that hold the keys of upstreams. */
      keyVariables: (upstream.models ?? []).flatMap(({ variable }) => variable ?? []),
    },
    /** The port for Prometheus; undefined for no metrics. */
    metrics: metrics.port === undefined ? undefined : { ...metrics, port: metrics.port },
  }
}

function readFlags(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const
    const options = { port: text, host: text, data: text, workers: text }
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
