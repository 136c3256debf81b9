// The configuration: environment and flags, validated once. Whatever is wrong is one line that names the setting and
// what it expects.
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import type { Setting } from './setting.ts'
import * as settings from './settings.ts'

const schema = z.object({
  ...settings.service,
  ...settings.requests,
  schemas: z.object(settings.schemas),
  bounds: z.object(settings.bounds),
  rateLimit: z.object(settings.rateLimit),
  redis: z.object(settings.redis),
  database: z.object(settings.database),
  llama: z.object(settings.llama),
  upstream: z.object(settings.upstream),
  metrics: z.object(settings.metrics),
})

interface Shape {
  readonly [name: string]: Setting | z.ZodObject<Record<string, Setting>>
}

/** Everything that an operator may set. Times are in the unit of their name. */
export type Config = ReturnType<typeof readConfig>

/**
 * Reads the configuration from command line flags (without the program's name) and the environment. An empty variable
 * counts as none. Throws `ConfigError`.
 */
export function readConfig(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const flags = readFlags(args)
  const given = ({ facts }: Setting) => (facts.flag && flags[facts.flag]) ?? (env[facts.env] || undefined)
  const input = (shape: Shape): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(shape).map(([name, part]) => [name, 'facts' in part ? given(part) : input(part.shape)]),
    )
  const read = schema.safeParse(input(schema.shape))
  if (!read.success) throw new ConfigError(read.error.issues[0]?.message)
  const { redis, database, llama, upstream, metrics, ...rest } = read.data
  const { load, gpu, tiny, models = [], context: contextTokens, ...inference } = llama
  const upstreams = (upstream.models ?? []).map(({ id, baseUrl, model, variable }) => {
    const apiKey = variable === undefined ? undefined : env[variable] || undefined
    if (variable !== undefined && apiKey === undefined)
      throw new ConfigError(`UPSTREAM_MODELS: the variable '${variable}' for '${id}' is not set`)
    return { id, baseUrl, model, apiKey }
  })
  return {
    ...rest,
    trustedProxies: rest.trustedProxies ?? (() => false),
    faults: rest.faults === 'on',
    lenient: rest.lenient === 'on',
    /** Undefined if each instance has limits of its own. The URL may hold a password. */
    redis: redis.url === undefined ? undefined : { ...redis, url: redis.url },
    /** The PostgreSQL database that replaces the file in `dataDir`; its URL holds a password. */
    database: database.url === undefined ? undefined : { url: database.url, connections: database.pool },
    databaseTimeoutSeconds: database.timeoutSeconds,
    llama: {
      ...inference,
      models,
      contextTokens,
      gpu: gpu === 'auto',
      servesTiny: tiny === 'on',
      loadOnUse: load === 'use',
      /** Otherwise a small model gets one. */
      threadsGiven: given(settings.llama.threads) !== undefined,
      /** Otherwise fewer will do where memory is short. */
      contextGiven: given(settings.llama.context) !== undefined,
    },
    upstream: {
      ...upstream,
      models: upstreams,
      /** The variables that hold the keys of upstreams. */
      keyVariables: (upstream.models ?? []).flatMap(({ variable }) => variable ?? []),
    },
    /** Where Prometheus scrapes; undefined for no metrics. */
    metrics: metrics.port === undefined ? undefined : { ...metrics, port: metrics.port },
  }
}

function readFlags(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const
    const options = { port: text, host: text, data: text, workers: text }
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
