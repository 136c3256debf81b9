// A load on raw HTTP/1.1 sockets, cheap enough that the server limits the figures.
import { once } from 'node:events'
import { connect } from 'node:net'
import { offerLoad } from '../generator/offer-load.ts'
import type { LoadModel } from '../generator/stream-plan.ts'

export interface RawLoad {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** The bytes of the request, head and body, that each connection repeats. */
  readonly request: Buffer
}

/** The start of an answer, and a body that ends with its last chunk. */
const UNKNOWN = -1
const CHUNKED = Number.POSITIVE_INFINITY
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * Keeps one request in flight on each connection for `seconds`; resolves to the number of complete answers.
 * Rejects with the first answer that is not a 200, and with a connection that breaks.
 */
export async function runLoad(load: RawLoad): Promise<number> {
  let count = 0
  await run(load, { model: 'closed', concurrency: load.connections }, () => void (count += 1))
  return count
}

/**
 * Sends `perSecond` requests in all, evenly spaced. Resolves to the milliseconds that each took from its planned time:
 * the wait for a busy connection counts, because the server causes it.
 */
export async function runPaced({ perSecond, ...load }: RawLoad & { readonly perSecond: number }) {
  const times: number[] = []
  const model = { model: 'open', arrivals: 'constant', ratePerSecond: perSecond } as const
  await run(load, model, (dueMs) => void times.push(performance.now() - dueMs))
  return times
}

async function run(
  { port, connections, seconds, request }: RawLoad,
  load: LoadModel,
  onAnswer: (dueMs: number) => void,
): Promise<void> {
  const plan = { load, seconds, seed: 0 }
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const free = open.map(() => Promise.resolve())
  const signal = new AbortController().signal
  try {
    await offerLoad({ plan, segment: 1, segments: 1, prepareMs: 0, signal }, async (index, dueMs) => {
      const place = index % connections
      const answered = free[place]?.then(() => open[place]?.exchange(request))
      free[place] = answered ?? Promise.resolve()
      await answered
      onAnswer(dueMs)
      return true
    })
  } finally {
    for (const connection of open) connection.close()
  }
}

/** Opens a connection that sends one request at a time. */
async function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  let missing = UNKNOWN
  let answer: PromiseWithResolvers<void> | undefined
  let broken: Error | undefined
  const fail = (error: Error): void => {
    broken ??= error
    answer?.reject(broken)
    socket.destroy()
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed a connection')))
  socket.on('data', (data) => {
    if (missing === UNKNOWN) {
      const head = data.toString('latin1', 0, Math.min(data.length, 1024))
      if (!head.startsWith('HTTP/1.1 200'))
        return fail(new Error(`an answer was not a 200: ${data.toString('latin1', 0, 300)}`))
      const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
      missing = length === undefined ? CHUNKED : Number(length) + head.indexOf('\r\n\r\n') + 4
    }
    if (missing !== CHUNKED) missing -= data.length
    if (missing === CHUNKED ? !data.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : missing > 0) return
    missing = UNKNOWN
    answer?.resolve()
  })
  return {
    /** Resolves when the answer is complete. */
    exchange(request: Buffer): Promise<void> {
      if (broken !== undefined) return Promise.reject(broken)
      answer = Promise.withResolvers()
      socket.write(request)
      return answer.promise
    },
    close: () => socket.removeAllListeners('close').destroy(),
  }
}
