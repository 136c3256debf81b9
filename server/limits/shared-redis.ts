// One connection to Redis that no request waits for longer than a bound, and that comes back by itself. Whoever asks
// it decides what holds while it is away.
import { Redis } from 'ioredis'
import type { Logger } from '../http/observability.ts'

export interface SharedRedisOptions {
  /** `redis://` or `rediss://`; its password is printed nowhere. */
  readonly url: string
  /** How long one command, or one attempt to connect, may take. Time in which this process stood still is not counted. */
  readonly timeoutMs: number
  readonly logger: Logger
}

export interface SharedRedis {
  readonly client: Redis
  /** The result of the command, or undefined where Redis is away or fails. */
  attempt<Result>(command: () => Promise<Result>): Promise<Result | undefined>
  isAway(): boolean
  /** Calls back whenever Redis can be asked again. */
  onReady(listener: () => void): void
  close(): Promise<void>
}

/** How often it is looked at what waits for an answer, within `timeoutMs`. */
const LOOKS = 5

/** The longest pause between two attempts to connect, in milliseconds. */
const MAX_PAUSE_MS = 1000

/**
 * Connects, and resolves when Redis answers, or when it has not within `timeoutMs`: a service starts without it too.
 * A command that is not answered in time ends the connection, so that a Redis which hangs costs the requests of one
 * moment, and not every request, its time. An outage is one warning and, when it is over, one more line.
 */
export async function connectRedis({ url, timeoutMs, logger }: SharedRedisOptions): Promise<SharedRedis> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, MAX_PAUSE_MS),
  })
  let away = false
  let closing = false

  function gone(error: unknown): void {
    if (away || closing) return
    away = true
    const reason = error instanceof Error ? error.message : String(error)
    logger.warn({ reason }, 'Redis is away: each instance keeps limits of its own until it is back')
  }

  function back(): void {
    if (!away) return
    away = false
    logger.info('Redis is back: limits are shared again')
  }

  // Time is counted in looks. Between two of them all that has arrived is read, so that a process which was busy
  // for seconds does not take its own silence for that of Redis, and does not stop sharing limits when it matters most.
  let looks = 0
  const waiting = new Set<{ readonly since: number }>()
  let shakingHandsSince: number | undefined
  function look(): void {
    looks += 1
    shakingHandsSince = client.status === 'connect' ? (shakingHandsSince ?? looks) : undefined
    const [oldest] = waiting
    const since = Math.min(oldest?.since ?? looks, shakingHandsSince ?? looks)
    if (looks - since > LOOKS) client.stream.destroy(new Error(`no answer within ${timeoutMs} ms`))
    timer = setTimeout(look, timeoutMs / LOOKS).unref()
  }
  let timer = setTimeout(look, timeoutMs / LOOKS).unref()

  async function attempt<Result>(command: () => Promise<Result>): Promise<Result | undefined> {
    if (client.status !== 'ready') return undefined
    const mine = { since: looks }
    waiting.add(mine)
    try {
      const result = await command()
      back()
      return result
    } catch (error) {
      gone(error)
      return undefined
    } finally {
      waiting.delete(mine)
    }
  }

  client.on('error', gone)
  client.on('close', () => gone('the connection was closed'))
  // Ready to be asked is not yet able to answer: a Redis that is out of memory is not.
  client.on('ready', () => void attempt(() => client.ping()))
  await client.connect().catch(gone)

  return {
    client,
    attempt,
    isAway: () => away,
    onReady: (listener) => void client.on('ready', listener),
    async close() {
      closing = true
      clearTimeout(timer)
      client.disconnect()
    },
  }
}
