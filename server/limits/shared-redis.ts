// One connection to Redis that no request waits for longer than a bound, and that comes back by itself. Whoever asks
// it decides what holds while it is down.
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
  /** The result of the command, or undefined where Redis is down or fails. */
  attempt<Result>(command: () => Promise<Result>): Promise<Result | undefined>
  isDown(): boolean
  /** Calls back whenever Redis can be asked again. */
  onReady(listener: () => void): void
  close(): Promise<void>
}

/** Checks of the commands in flight within `timeoutMs`. */
const CHECKS = 5

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
  let down = false
  let closing = false

  function reportDown(error: unknown): void {
    if (down || closing) return
    down = true
    const reason = error instanceof Error ? error.message : String(error)
    logger.warn({ reason }, 'Redis is down: each instance counts its own limits until it answers again')
  }

  function reportUp(): void {
    if (!down) return
    down = false
    logger.info('Redis answers again: limits are shared')
  }

  // Time is counted in checks. Between two of them all that has arrived is read, so that a process which was busy
  // for seconds does not take its own silence for that of Redis, and does not stop sharing limits when it matters most.
  let checks = 0
  const waiting = new Set<{ readonly since: number }>()
  let handshakeSince: number | undefined
  function check(): void {
    checks += 1
    handshakeSince = client.status === 'connect' ? (handshakeSince ?? checks) : undefined
    const [oldest] = waiting
    const since = Math.min(oldest?.since ?? checks, handshakeSince ?? checks)
    if (checks - since > CHECKS) client.stream.destroy(new Error(`no answer within ${timeoutMs} ms`))
    timer = setTimeout(check, timeoutMs / CHECKS).unref()
  }
  let timer = setTimeout(check, timeoutMs / CHECKS).unref()

  async function attempt<Result>(command: () => Promise<Result>): Promise<Result | undefined> {
    if (client.status !== 'ready') return undefined
    const mine = { since: checks }
    waiting.add(mine)
    try {
      const result = await command()
      reportUp()
      return result
    } catch (error) {
      reportDown(error)
      return undefined
    } finally {
      waiting.delete(mine)
    }
  }

  client.on('error', reportDown)
  client.on('close', () => reportDown('the connection was closed'))
  // Ready to be asked is not yet able to answer: a Redis that is out of memory is not.
  client.on('ready', () => void attempt(() => client.ping()))
  await client.connect().catch(reportDown)

  return {
    client,
    attempt,
    isDown: () => down,
    onReady: (listener) => void client.on('ready', listener),
    async close() {
      closing = true
      clearTimeout(timer)
      client.disconnect()
    },
  }
}
