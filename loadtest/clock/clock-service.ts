// The calibrated service: streams that follow a timing script, and a record of the actual time of each step. It runs in
// a process of its own, so that the generator that it calibrates does not delay it.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { at, parseJson } from '../../harness/json-value.ts'
import { SCRIPTS } from './timing-scripts.ts'
import type { ScriptedAnswer, ScriptedStep } from './script-steps.ts'
import { type ServedStep, type ServedStream, truthsOf } from './served-truth.ts'

/** The most streams that are remembered. */
const MOST_STREAMS = 50_000

/** A connection that is silent for longer was opened before the client had a request. */
const MOST_ACCEPT_MS = 20

/** The prefix of the models that name a script. */
export const MODEL_PREFIX = 'clock-'

export type Clock = Awaited<ReturnType<typeof startClock>>

/** Starts the service on 127.0.0.1. `scenario` is the script of every model; otherwise the model names it. */
export async function startClock(port: number, scenario: string | undefined) {
  let served: ServedStream[] = []
  const requests = new Map<string, number>()
  const queues = new Map<string, Promise<void>>()
  const streaming = new Set<AbortController>()
  const pending = new Set<Promise<void>>()

  /** Begins a new truth. */
  function forget(): void {
    served = []
    requests.clear()
  }

  async function chat(
    incoming: http.IncomingMessage,
    outgoing: http.ServerResponse,
    { arrivedAt, openMs }: Arrival,
  ) {
    const body = parseJson(await text(incoming))
    const model = String(at(body, 'model'))
    const name = scenario ?? (model.startsWith(MODEL_PREFIX) ? model.slice(MODEL_PREFIX.length) : '')
    const script = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined
    if (script === undefined)
      return refuse(
        outgoing,
        404,
        `There is no model '${model}': expected ${MODEL_PREFIX}NAME.`,
        'model_not_found',
      )
    if (at(body, 'stream') !== true) return answerPlain(outgoing, model)
    const number = requests.get(name) ?? 0
    requests.set(name, number + 1)
    const answer = script.answer(number)
    const gone = new AbortController()
    streaming.add(gone)
    outgoing.on('close', () => gone.abort())
    const before = answer.isSerial === true ? (queues.get(name) ?? Promise.resolve()) : Promise.resolve()
    const steps: ServedStep[] = []
    const playing = before.then(() => play(answer, { outgoing, arrivedAt, signal: gone.signal, steps }))
    const ended = playing.catch(() => undefined).finally(() => streaming.delete(gone))
    if (answer.isSerial === true) queues.set(name, ended)
    await ended
    if (served.length < MOST_STREAMS)
      served.push({
        script: name,
        arrivedMs: arrivedAt,
        openMs,
        endedMs: performance.now(),
        status: answer.status,
        steps,
      })
  }

  /** The time at which each connection without a request was accepted, from which the first request counts. */
  const accepted = new WeakMap<object, number>()
  const server = http.createServer((incoming, outgoing) => {
    const now = performance.now()
    const acceptedAt = accepted.get(incoming.socket) ?? -Infinity
    accepted.delete(incoming.socket)
    const arrivedAt = now - acceptedAt < MOST_ACCEPT_MS ? acceptedAt : now
    const { method, url = '' } = incoming
    const path = url.replace(/\?.*$/, '')
    if (path === '/truth' && method === 'GET') return sendJson(outgoing, 200, truthsOf(served))
    if (path === '/truth/streams' && method === 'GET') return sendJson(outgoing, 200, served)
    if (path === '/truth' && method === 'DELETE') {
      forget()
      return sendJson(outgoing, 200, [])
    }
    if (!/^Bearer ./i.test(incoming.headers.authorization ?? ''))
      return refuse(outgoing, 401, 'A bearer token is needed.', 'missing_api_key')
    if (path === '/v1/models' && method === 'GET') return sendModels(outgoing)
    if (path !== '/v1/chat/completions' || method !== 'POST')
      return refuse(outgoing, 404, `There is no ${method} ${path}.`)
    const answering = chat(incoming, outgoing, { arrivedAt, openMs: now - arrivedAt })
      .catch(() => void outgoing.destroy())
      .finally(() => pending.delete(answering))
    pending.add(answering)
  })
  server.on('connection', (socket) => accepted.set(socket, performance.now()))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    truth: () => truthsOf(served),
    forget,
    /** All streams, after the client has ended: those that it left open are cut. */
    async served(): Promise<readonly ServedStream[]> {
      for (const gone of streaming) gone.abort()
      server.closeAllConnections()
      await Promise.all(pending)
      return served
    },
    async close() {
      for (const gone of streaming) gone.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** When a request arrived, and how long its connection was open before. */
interface Arrival {
  readonly arrivedAt: number
  readonly openMs: number
}

interface Playing {
  readonly outgoing: http.ServerResponse
  readonly arrivedAt: number
  readonly signal: AbortSignal
  /** Filled with each step when it is complete on the connection. */
  readonly steps: ServedStep[]
}

/** Plays a script. Throws when the client hangs up. */
async function play({ status, steps, ending, isSerial }: ScriptedAnswer, playing: Playing): Promise<void> {
  const { outgoing, arrivedAt, signal } = playing
  const type = status === 200 ? 'text/event-stream; charset=utf-8' : 'application/json'
  outgoing.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache' })
  outgoing.flushHeaders()
  let dueMs = isSerial === true ? performance.now() : arrivedAt
  for (const group of groupsOf(steps)) {
    const [first] = group
    dueMs += first?.afterMs ?? 0
    await until(dueMs, signal)
    const { halfMs } = first ?? {}
    const bytes = group.map((step) => step.text).join('')
    // The steps behind the first one are whole in the second part, so all of the group are complete at its time.
    const half = halfMs === undefined ? 0 : (first?.text.length ?? 0) >> 1
    if (halfMs !== undefined) {
      outgoing.write(bytes.slice(0, half))
      dueMs += halfMs
      await until(dueMs, signal)
    }
    // Measured before the write, because a reader on another core may have the bytes before `write` returns.
    const now = performance.now()
    const [atMs, lateMs] = [now - arrivedAt, now - dueMs]
    outgoing.write(bytes.slice(half))
    for (const { kind, also, tokens } of group) playing.steps.push({ kind, also, tokens, atMs, lateMs })
  }
  if (ending === 'close') outgoing.end()
  else if (ending === 'reset') outgoing.socket?.resetAndDestroy()
  // The client decides when an open answer ends.
  else if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** Steps that leave together, in one write. */
function groupsOf(steps: readonly ScriptedStep[]): readonly (readonly ScriptedStep[])[] {
  const groups: ScriptedStep[][] = []
  for (const step of steps) {
    const group = groups.at(-1)
    if (group === undefined || step.afterMs > 0) groups.push([step])
    else group.push(step)
  }
  return groups
}

async function until(dueMs: number, signal: AbortSignal): Promise<void> {
  const wait = dueMs - performance.now()
  if (wait > 0) await sleep(wait, undefined, { signal })
  signal.throwIfAborted()
}

function answerPlain(outgoing: http.ServerResponse, model: string): void {
  const message = { role: 'assistant', content: 'word', refusal: null }
  sendJson(outgoing, 200, {
    id: 'chatcmpl-clock',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
  })
}

function sendModels(outgoing: http.ServerResponse): void {
  const data = Object.keys(SCRIPTS).map((name) => ({
    id: MODEL_PREFIX + name,
    object: 'model',
    created: 1,
    owned_by: 'clock',
  }))
  sendJson(outgoing, 200, { object: 'list', data })
}

function refuse(
  outgoing: http.ServerResponse,
  status: number,
  message: string,
  code = 'invalid_request',
): void {
  sendJson(outgoing, status, { error: { message, type: 'invalid_request_error', code, param: null } })
}

function sendJson(outgoing: http.ServerResponse, status: number, value: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
