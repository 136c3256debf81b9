// Clients that send requests without a break, and the outcome of each request: a well-formed answer, a cut connection,
// or a broken answer, which no client should ever see.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorEnvelope, type ErrorStatus, errorTypes } from '../spec/protocol/error.ts'
import { chatCompletion, chatCompletionChunk } from '../spec/schemas/response.ts'
import { createEventStreamParser, DONE } from '../spec/protocol/sse.ts'

/** The longest answer on a busy machine, in milliseconds. */
const ANSWER_MS = 60_000

/** The pause of a client between two requests, in milliseconds. */
const PAUSE_MS = 30

/** The pause in the middle of a stream, in milliseconds, so that some streams are in flight at a kill. */
const STALL_MS = 200

const TEXT = 'the quick brown fox'

export type Exchange = Awaited<ReturnType<typeof ask>>

export type Client = ReturnType<typeof startClient>

export interface ClientOptions {
  readonly url: string
  /** Called before each request. */
  readonly secret: () => string
  readonly stream: boolean
  /** Another pause in the middle of a stream, in milliseconds. */
  readonly stallMs?: number
  /** Called when an answer starts. */
  readonly onBegin?: () => void
}

/** Starts a client that sends one request after the other until it is stopped. */
export function startClient(options: ClientOptions) {
  const exchanges: Exchange[] = []
  let stopped = false
  let current: Promise<unknown> = Promise.resolve()
  async function loop(): Promise<void> {
    while (!stopped) {
      const exchange = ask(options)
      current = exchange
      exchanges.push(await exchange)
      await sleep(PAUSE_MS)
    }
  }
  const looping = loop()
  return {
    exchanges,
    /** Resolves when the current request has ended. */
    turn: () => current,
    /** Resolves when its last request has ended. */
    async stop() {
      stopped = true
      await looping
    },
  }
}

/** Sends one request and judges its answer; never throws. */
export async function ask(options: ClientOptions) {
  const { url, secret, stream, stallMs = STALL_MS, onBegin = () => {} } = options
  const startedAt = performance.now()
  const end = (outcome: 'answered' | 'cut' | 'broken', status: number | undefined, detail = '') => ({
    /** Time of `performance.now()`. */
    startedAt,
    endedAt: performance.now(),
    /** The status, or that of the error record at the end of a stream; undefined if the connection broke before it. */
    status,
    /** Complete and well-formed; cut by the connection; or malformed. */
    outcome,
    detail,
  })
  let status: number | undefined
  let text = ''
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret()}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'svc-0.1-echo',
        messages: [{ role: 'user', content: stream ? `#fault stall=${stallMs} at=2\n${TEXT}` : TEXT }],
        stream,
      }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    status = answer.status
    onBegin()
    text = await answer.text()
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    return late ? end('broken', status, 'no answer in time') : end('cut', status, String(error))
  }
  try {
    if (status !== 200) checkError(status, JSON.parse(text))
    else if (stream) status = checkStream(text)
    else checkText(chatCompletion.parse(JSON.parse(text)).choices[0]?.message.content)
    return end('answered', status)
  } catch (error) {
    return end('broken', status, `${status} ${String(error)}: ${text.slice(0, 300)}`)
  }
}

/** The status that a stream ended with: 200, or the one of the error record at its end (ERR-6). */
function checkStream(text: string): number {
  const parser = createEventStreamParser()
  const records = parser.push(text).map(({ data }) => data)
  const last = records.pop() ?? ''
  if (parser.rest() !== '') throw new Error('a record without an end')
  const chunks = records.map((record) => chatCompletionChunk.parse(JSON.parse(record)))
  if (last !== DONE) return checkError(undefined, JSON.parse(last))
  checkText(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''))
  return 200
}

/** Throws unless it is an envelope whose status is in the table, with the type of that status (ERR-1, ERR-2). */
function checkError(status: number | undefined, body: unknown): ErrorStatus {
  const { type } = errorEnvelope.parse(body).error
  const row = Object.entries(errorTypes).find(([, name]) => name === type)
  if (row === undefined) throw new Error(`the type ${type} is not in the table`)
  const known = Number(row[0])
  if (status !== undefined && status !== known) throw new Error(`${type} is not the type of ${status}`)
  return known as ErrorStatus
}

function checkText(text: string | null | undefined): void {
  if (text !== TEXT) throw new Error(`another text: ${text}`)
}
