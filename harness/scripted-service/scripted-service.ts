// The scripted service: one HTTP server for all scenarios, each under its own path `/s/NAME` or recognised by a marker in
// its body, and a second one on another host for redirects. It answers each attempt by the script, whatever the key, and records all requests with times of a
// monotonic clock.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { codingsIn } from '../http/content-coding.ts'
import { headerPairs, headerValues, requestJson } from '../http/exchange.ts'
import { answer, modelList, refuse } from './scripted-answers.ts'
import { type Call, readBody, writeReply } from './received-call.ts'
import { type Delay, clockMs, createDelayLog, watchDelays } from './measuring-clock.ts'
import { listen, listenAsLocalhost } from './loopback-server.ts'
import { nextEvent } from './next-event.ts'
import { type Asked, type Reply, type Step, askedIn } from './scripted-reply.ts'

/** The shortest time between a request and its answer, in milliseconds, so that concurrent requests overlap. */
const THINKING_MS = 20
/** How long the requests of concurrent programs wait for each other, in milliseconds. */
const GATHER_MS = 12_000
/** The most requests of a scenario; further ones are not recorded. */
export const MAX_REQUESTS = 400

/** An open scenario. */
export interface Served {
  readonly name: string
  /** The path for completions, from the root. */
  readonly path: string
  /** The key of the program; it identifies the scenario of a request to another path. */
  readonly key: string
  /** The text of the good answer. */
  readonly text: string
  readonly model: string
  /** The number of requests that are answered together. */
  readonly together: number
}

export interface ScriptedService {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Opens a scenario. */
  open(served: Served): void
  /** The requests of a scenario, in the order of arrival. */
  calls(name: string): readonly Call[]
  /** Resolves at the next request or the next end of an answer, or when the signal is aborted. */
  next(name: string, signal: AbortSignal): Promise<void>
  /** The longest delay of its timers between two times of `clockMs()`, in milliseconds. */
  busyMs(fromMs: number, toMs: number): number
  /** The delays of its timers. */
  delays(): readonly Delay[]
  /** Resolves when the service has opened each scenario so far, and `calls` has every request so far. Rejects if it has ended. */
  settled(): Promise<void>
  close(): Promise<void>
}

interface OpenScenario {
  readonly served: Served
  /** Answers the requests in the asynchronous context of `open`, so that an error belongs to the run that opened the scenario. */
  readonly within: ReturnType<typeof AsyncLocalStorage.snapshot>
  readonly script: readonly Step[]
  readonly calls: Call[]
  /** Its connections, each with the number of its requests that are not answered. */
  readonly connections: Map<Socket, number>
  gathered: PromiseWithResolvers<void>
}

/** A request of an open scenario. */
interface Arrived {
  readonly arrivedMs: number
  readonly url: string
  /** Its body, if the scenario was found by it. */
  readonly early: Buffer | undefined
  readonly isElsewhere: boolean
}

/** The scripted service in this process. */
export interface LocalService extends ScriptedService {
  /** Opens a scenario. Default script: `scriptOf` its name. */
  open(served: Served, script?: readonly Step[]): void
  /** Ends the connections of a scenario that are idle: with a FIN, or with a RST. */
  endConnections(name: string, how: 'closed' | 'reset'): void
  /** Forgets a scenario. */
  forget(name: string): void
}

export interface ServiceOptions {
  /** The script of a scenario, by its name. */
  readonly scriptOf?: (name: string) => readonly Step[]
  /** The port on 127.0.0.1. Default: any free one. */
  readonly port?: number
  /** The scenario of a request whose path and key name none, by its body. */
  readonly nameOf?: (body: string) => string | undefined
  /** Called for every request and every end of an answer, with its scenario and its index among the calls. */
  readonly onCall?: (name: string, place: number, call: Call) => void
  /** Called for every delay of the timers of this process. */
  readonly onDelay?: (delay: Delay) => void
  /** Answers requests of no scenario, such as for a page; returns whether it answered. `body` was read if `nameOf` is given. */
  readonly onOther?: (request: IncomingMessage, response: ServerResponse, body: Buffer | undefined) => boolean
}

/** Starts the service on the loopback interface. */
export async function startScriptedService(options: ServiceOptions = {}): Promise<LocalService> {
  const scenarios = new Map<string, OpenScenario>()
  // One listener for each running scenario, whose number is not bounded here.
  const changes = new EventEmitter().setMaxListeners(0)
  const delays = createDelayLog()

  function notify({ served: { name }, calls }: OpenScenario, call: Call): void {
    changes.emit(name)
    options.onCall?.(name, calls.indexOf(call), call)
  }

  /** Finds the scenario by the key, for a client that drops the path of its base address. */
  function scenarioOfKey(authorization: string | undefined): OpenScenario | undefined {
    return [...scenarios.values()].find(
      ({ served: { key } }) => key !== '' && authorization?.endsWith(key) === true,
    )
  }

  function handle(isElsewhere: boolean) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const arrivedMs = clockMs()
      const url = request.url ?? '/'
      const name = /^\/s\/([a-z0-9-]+)(?:[/?]|$)/.exec(url)?.[1] ?? ''
      const named = scenarios.get(name) ?? scenarioOfKey(request.headers.authorization)
      const early = named === undefined && options.nameOf !== undefined ? await readBody(request) : undefined
      const scenario = named ?? scenarios.get(options.nameOf?.(early?.toString('utf8') ?? '') ?? '')
      if (scenario === undefined || scenario.calls.length >= MAX_REQUESTS) {
        if (scenario !== undefined || isElsewhere || options.onOther?.(request, response, early) !== true) {
          request.resume()
          response.writeHead(404, { 'content-type': 'text/plain' }).end('This address has no scenario.\n')
        }
        return
      }
      await scenario.within(() => serve(scenario, request, response, { arrivedMs, url, early, isElsewhere }))
    }
  }

  async function serve(
    scenario: OpenScenario,
    request: IncomingMessage,
    response: ServerResponse,
    { arrivedMs, url, early, isElsewhere }: Arrived,
  ): Promise<void> {
    const isCompletion = request.method === 'POST' && pathOf(url) === scenario.served.path
    const call: Call = {
      kind: isElsewhere ? 'elsewhere' : isCompletion ? 'attempt' : 'stray',
      arrivedMs,
      request: {
        method: request.method ?? '',
        url: `http://${request.headers.host ?? ''}${url}`,
        path: url,
        headers: headerPairs(request.rawHeaders),
        body: Buffer.alloc(0),
      },
    }
    scenario.calls.push(call)
    const { connections, served } = scenario
    const countOpen = (change: number): void =>
      void connections.set(request.socket, (connections.get(request.socket) ?? 0) + change)
    countOpen(1)
    response.once('close', () => countOpen(-1))
    notify(scenario, call)
    const body = early ?? (await readBody(request))
    Object.assign(call.request, { body })
    let isReset = false
    response.on('close', () => {
      if (!response.writableFinished && call.reply?.end !== 'cut' && !isReset) call.hungUpMs = clockMs()
      notify(scenario, call)
    })
    await sleep(THINKING_MS)
    const attempts = scenario.calls.filter(({ kind }) => kind === 'attempt')
    if (call.kind === 'attempt' && attempts.length <= served.together) await gather(scenario, attempts.length)
    const reply = replyTo(scenario, call, attempts.indexOf(call), `${elsewhere.origin}/s/${served.name}`)
    isReset = reply.end === 'reset'
    await writeReply(response, call, reply)
    notify(scenario, call)
  }

  const own = await listen(handle(false), '127.0.0.1', options.port)
  const elsewhere = await listen(handle(true), '127.0.0.2').catch(() => listenAsLocalhost(handle(true)))

  const stopWatching = watchDelays((delay) => {
    delays.add(delay)
    options.onDelay?.(delay)
  })

  return {
    origin: own.origin,
    open(served, script = options.scriptOf?.(served.name) ?? []) {
      scenarios.set(served.name, {
        served,
        within: AsyncLocalStorage.snapshot(),
        script,
        calls: [],
        connections: new Map(),
        gathered: Promise.withResolvers(),
      })
    },
    endConnections(name, how) {
      for (const [socket, open] of scenarios.get(name)?.connections ?? []) {
        if (open > 0) continue
        if (how === 'reset') socket.resetAndDestroy()
        else socket.destroy()
      }
    },
    forget: (name) => void scenarios.delete(name),
    calls: (name) => scenarios.get(name)?.calls ?? [],
    next: (name, signal) => nextEvent(changes, name, signal),
    busyMs: delays.longest,
    delays: delays.all,
    settled: async () => undefined,
    async close() {
      stopWatching()
      await Promise.all([own, elsewhere].map(({ close }) => close()))
    },
  }
}

/** Waits until all concurrent requests of the scenario have arrived, at most `GATHER_MS`. */
async function gather(scenario: OpenScenario, arrived: number): Promise<void> {
  if (arrived >= scenario.served.together) scenario.gathered.resolve()
  await Promise.race([scenario.gathered.promise, sleep(GATHER_MS, undefined, { ref: false })])
}

function replyTo({ served, script }: OpenScenario, call: Call, attempt: number, elsewhere: string): Reply {
  const asked: Asked = {
    ...askedIn(requestJson(call.request)),
    codings: codingsIn(headerValues(call.request.headers, 'accept-encoding').join()),
    model: served.model,
    id: `chatcmpl-${randomBytes(9).toString('base64url')}`,
    text: served.text,
    elsewhere,
  }
  if (call.kind === 'elsewhere') return answer(asked)
  if (call.kind === 'stray') {
    if (call.request.method === 'GET' && /\/models\/?$/.test(pathOf(call.request.path)))
      return modelList(served.model)
    return refuse(404, {}, 'There is nothing here.', { code: 'unknown_url' })(asked)
  }
  const step = script[Math.min(attempt, script.length - 1)] ?? answer
  return step(asked)
}

/** The path of a request, without its query. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}
