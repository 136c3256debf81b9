// Performs the steps of an attack on a connection of its own, and then waits until the server has closed that connection:
// the client never closes its half unless a step does. Ends by itself: each step has its bound.
import { setTimeout as sleep } from 'node:timers/promises'
import { createMessageReader } from '../../../exchanges/capture/message-reader.ts'
import type { Attack, ConnectionStep } from '../attack.ts'
import { connect, type Ending, forService, reset, write } from '../send-attack.ts'
import type { ServerSockets } from './server-sockets.ts'

/** The interval at which a silent connection is looked up among the sockets of the server, in milliseconds. */
const LOOK_EVERY_MS = 200

/** The most that is kept of the body of an answer, in characters. */
const START_CHARS = 1024

export interface StepOptions {
  readonly baseUrl: string
  readonly key: string
  readonly authHeader?: string | undefined
  /** The longest time from a step to the answer or the end that the server owes after it, in milliseconds. */
  readonly closeMs: number
  /** The longest time of a whole answer to a new client, in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly sockets: ServerSockets
}

export interface WholeAnswer {
  readonly status: number
  /** The beginning of its body. */
  readonly start: string
}

export type StepsOutcome = Awaited<ReturnType<typeof performSteps>>

/** Never rejects: an abort of the signal counts as leaving. */
export async function performSteps(attack: Attack, options: StepOptions) {
  const { baseUrl, closeMs, signal, sockets } = options
  const startedAt = performance.now()
  const socket = connect(new URL(baseUrl), true)
  const answers = answerReader()
  const ended = Promise.withResolvers<Ending>()
  let isConnected = false
  let isOver = false
  let isReading = true
  let isAtEnd = false
  let bytes = 0
  let firstByteMs: number | undefined
  let news = Promise.withResolvers<void>()

  function wake(): void {
    news.resolve()
    news = Promise.withResolvers()
  }
  function finish(ending: Ending): void {
    isOver = true
    ended.resolve(ending)
    wake()
  }
  const leave = (): void => finish('left')
  signal.addEventListener('abort', leave, { once: true })

  const isHeld = (): boolean | undefined =>
    socket.localPort === undefined ? undefined : sockets.holds(socket.localPort)
  const closed = (): Ending =>
    answers.whole.length > 0 ? 'answered' : bytes > 0 ? 'cut' : isConnected ? 'closed' : 'unreachable'
  /**
   * A client that does not read cannot see the end, so only the list of the kernel shows it. A connection that the
   * server had no room to accept counts as closed.
   */
  const late = (): void => {
    const held = isHeld()
    if (!isConnected) finish('unreachable')
    else if (held === false) finish(closed())
    else finish(held === true || (isReading && !isAtEnd) ? 'late' : 'left')
  }
  let bound = setTimeout(late, closeMs)

  socket.on('connect', () => {
    isConnected = true
    wake()
  })
  socket.on('error', () => undefined)
  socket.on('data', (piece: Buffer) => {
    firstByteMs ??= performance.now() - startedAt
    bytes += piece.length
    answers.read(piece)
    wake()
  })
  socket.on('end', () => {
    isAtEnd = true
    answers.end()
    wake()
  })
  socket.on('close', () => finish(closed()))

  const isReached = {
    byte: () => bytes > 0,
    answer: () => answers.whole.length >= Math.max(1, attack.owed ?? 0),
    end: () => isAtEnd,
  }
  const doings = {
    end: () => void socket.end(),
    close() {
      socket.destroy()
      leave()
    },
    reset() {
      reset(socket)
      leave()
    },
    'stop reading'() {
      isReading = false
      socket.pause()
    },
    'read on'() {
      isReading = true
      socket.resume()
    },
  }
  async function perform(step: ConnectionStep): Promise<void> {
    if ('do' in step) doings[step.do]()
    else if ('write' in step) await write(socket, forService(step.write, options), step)
    else if ('waitMs' in step) await Promise.race([sleep(step.waitMs), ended.promise])
    else while (!isOver && !isReached[step.until]()) await news.promise
  }
  async function performAll(): Promise<void> {
    while (!isOver && !isConnected) await news.promise
    for (const step of [{ write: attack.pieces, pace: attack.pace }, ...(attack.steps ?? [])]) {
      if (isOver) return
      clearTimeout(bound)
      bound = setTimeout(late, closeMs + ('waitMs' in step ? step.waitMs : 0))
      await perform(step)
    }
    while (!isOver) {
      // The server may end its stream and keep the connection, which is closed only when no process has it open.
      const held = isAtEnd || !isReading ? isHeld() : true
      if (held === false || (held === undefined && isAtEnd)) finish(closed())
      else await Promise.race([news.promise, sleep(LOOK_EVERY_MS)])
    }
  }
  void performAll()
  const ending = await ended.promise
  clearTimeout(bound)
  signal.removeEventListener('abort', leave)
  socket.destroy()
  const last = answers.whole.at(-1)
  return {
    ending,
    /** The whole answers, without interim ones. */
    answers: answers.whole,
    /** Whether all that the server sent was HTTP. */
    isHttp: answers.isHttp(),
    /** Whether the client was reading, and whether it had read the end of the half of the server. */
    isReading,
    isAtEnd,
    status: last?.status,
    ms: performance.now() - startedAt,
    firstByteMs,
    bytes,
    start: last?.start ?? '',
    end: '',
  }
}

/** Reads the answers of a connection, one after another. */
function answerReader() {
  const whole: WholeAnswer[] = []
  let status = 0
  let start = ''
  let isHttp = true
  const reader = createMessageReader('RESPONSE', {
    head(head) {
      status = head.status
      start = ''
      return false
    },
    body(piece) {
      if (start.length < START_CHARS) start += Buffer.from(piece).toString('latin1', 0, START_CHARS)
    },
    end() {
      if (status >= 200) whole.push({ status, start })
    },
  })
  return {
    whole,
    isHttp: () => isHttp,
    read: (bytes: Buffer): void => void (isHttp &&= reader.read(bytes) !== undefined),
    end: () => reader.close(),
  }
}
