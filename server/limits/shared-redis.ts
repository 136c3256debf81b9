// One connection to Redis that reconnects by itself. No request waits for it longer than a bound; the caller decides what
// happens while Redis is down.
import { Redis } from 'ioredis'
import type { Logger } from '../http/observability.ts'

export interface SharedRedisOptions {
  /** `redis://` or `rediss://`. Its password is never printed. */
  readonly url: string
  /** Timeout of one command or one attempt to connect, without the time in which this process was blocked. */
  readonly timeoutMs: number
  readonly logger: Logger
}

export type SharedRedis = Awaited<ReturnType<typeof connectRedis>>

/** How many times commands in flight are checked within `timeoutMs`. */
const CHECKS = 5

/** The longest pause between two attempts to connect, in milliseconds. */
const MAX_PAUSE_MS = 1000

/**
 * Connects. Resolves when Redis answers or after `timeoutMs`: a service starts without it too. A command that is not
 * answered in time ends the connection, so a Redis that hangs delays only the requests in flight at that moment. Each
 * outage is logged once when it begins and once when it ends.
 */
export async function connectRedis({ url, timeoutMs, logger }: SharedRedisOptions) {
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

  // Time is counted in checks. Between two checks the event loop reads everything that has arrived, so a process that
  // was blocked for seconds does not conclude that Redis is silent.
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

  /** The result of the command, or undefined if Redis is down or fails. */
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
  // A Redis that is out of memory accepts connections but fails commands.
  client.on('ready', () => void attempt(() => client.ping()))
  await client.connect().catch(reportDown)

  return {
    client,
    attempt,
    isDown: () => down,
    /** Calls back whenever the connection is ready again. */
    onReady: (listener: () => void) => void client.on('ready', listener),
    async close() {
      closing = true
      clearTimeout(timer)
      client.disconnect()
    },
  }
}
