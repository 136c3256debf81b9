// A closed-loop HTTP/1.1 load on raw sockets: cheap enough that the server under it is what is measured.
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** One request, head and body, as sent again and again. */
  readonly request: Buffer
}

/**
 * Keeps one request in flight on each connection for `seconds`; resolves to the number of complete answers.
 * Rejects with the first answer that is not a 200, and with a connection that breaks.
 */
export async function runLoad({ port, connections, seconds, request }: Load): Promise<number> {
  const ends = performance.now() + seconds * 1000
  const counts = await Promise.all(
    Array.from({ length: connections }, () => drive(connect(port, '127.0.0.1'), request, ends)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Sends `perSecond` requests in all, each at its own time, and resolves to how long each took from that time on, in
 * milliseconds: one that has to wait because its connection is busy has waited for the server.
 */
export async function runPaced({
  perSecond,
  ...load
}: Load & { readonly perSecond: number }): Promise<number[]> {
  const { port, connections, seconds, request } = load
  const starts = performance.now()
  const everyMs = (1000 * connections) / perSecond
  const times: number[] = []
  await Promise.all(
    Array.from({ length: connections }, async (_, place) => {
      const first = starts + (everyMs * place) / connections
      await drive(connect(port, '127.0.0.1'), request, starts + seconds * 1000, async (count) => {
        const due = first + everyMs * count
        if (count > 0) times.push(performance.now() - (due - everyMs))
        const wait = due - performance.now()
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      })
    }),
  )
  return times
}

/** `pace` is called with the number of answers before each further request, which waits for it. */
function drive(
  socket: Socket,
  request: Buffer,
  ends: number,
  pace?: (count: number) => Promise<void>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0
    function send(): void {
      if (pace === undefined) socket.write(request)
      else void pace(count).then(() => socket.write(request))
    }
    let missing = UNKNOWN
    socket.setNoDelay(true)
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (data) => {
      if (missing === UNKNOWN) {
        const head = data.toString('latin1', 0, Math.min(data.length, 1024))
        if (!head.startsWith('HTTP/1.1 200')) {
          socket.destroy()
          reject(new Error(`an answer was not a 200: ${data.toString('latin1', 0, 300)}`))
          return
        }
        missing = bodyLength(head)
        if (missing !== CHUNKED) missing -= data.length - (head.indexOf('\r\n\r\n') + 4)
      } else if (missing !== CHUNKED) {
        missing -= data.length
      }
      if (missing === CHUNKED ? !data.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : missing > 0) return
      count += 1
      missing = UNKNOWN
      if (performance.now() < ends) {
        send()
      } else {
        socket.removeAllListeners('close')
        socket.destroy()
        resolve(count)
      }
    })
  })
}

/** An answer of which nothing has come yet, and one whose end is its last chunk. */
const UNKNOWN = -1
const CHUNKED = Number.POSITIVE_INFINITY
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

function bodyLength(head: string): number {
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  return length === undefined ? CHUNKED : Number(length)
}
