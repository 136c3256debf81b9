// Sends the requests of a scenario through the gateway and records both hops. Whole, because a crossing has one
// beginning and one end, on whichever side it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { Probe } from '../../../harness/http/probe.ts'
import { exactJson } from '../../../harness/json-text.ts'
import { isRecord, parseJson } from '../../../harness/json-value.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import { clockMs } from '../../../harness/scripted-service/measuring-clock.ts'
import type { Reply, Step } from '../../../harness/scripted-service/scripted-reply.ts'
import type { LocalService } from '../../../harness/scripted-service/scripted-service.ts'
import {
  type Crossing,
  type GatewayScenario,
  HELD_MS,
  LONG_DELAY_MS,
  type IdleEnd,
  type ScriptContext,
  type RequestBody,
  type Turn,
} from './crossing.ts'
import { changedMember, requestDifference } from './compare/request-difference.ts'
import { bodyAt, isFromCache } from './crossing-sides.ts'
import { UPSTREAM_MODEL, markerOf } from './scripted-upstream.ts'
import { createReceivedText } from './received-text.ts'

export interface GatewaySetup {
  readonly service: LocalService
  readonly probe: Probe
  /** The model that requests name. */
  readonly model: string
  readonly clientKey: string
  readonly upstreamKey: string
  readonly longStreamMs: number
  /** How long connections are idle before the upstream ends them, in milliseconds. */
  readonly idleMs: Readonly<Record<IdleEnd, number>>
  /** Makes names of crossings unique; the same for the same seed. */
  readonly nonce: () => string
  readonly signal: AbortSignal
}

/** The way of scenarios through the gateway. */
export interface Crossings {
  /** Sends a scenario; its crossings in order. */
  cross(scenario: GatewayScenario): Promise<readonly Crossing[]>
  /** Stops the upstream. */
  stopUpstream(): Promise<void>
  readonly signal: AbortSignal
}

/** The time for the gateway to leave the upstream after the client left, in milliseconds (GATE-9), and a margin. */
export const LEAVE_MS = 5_000
const LEAVE_MARGIN_MS = 500

/** The time between the arrival of a request at the upstream and a disconnect of the client, in milliseconds. */
const BEFORE_LEAVING_MS = 150

/** The time that a long stream may take beyond twice its duration, in milliseconds. */
const LONG_MARGIN_MS = 30_000

/** The time for the gateway to notice that a connection has ended, in milliseconds: far longer than a segment takes. */
const NOTICE_MS = 1_000

/** A longer delay of the timers of this process shows that it was busy, in milliseconds; then it tries this number of times. */
const BUSY_MS = 100
const MOST_TRIES = 4

/** The beginning of the words of every crossing. */
const WORDS_OF = 'words-of-'

/** Words that no other crossing has, and that a lost or repeated character does not turn into those of another. */
function wordsOf(name: string, nonce: string): string {
  return `${WORDS_OF}${name}-again-${nonce}`
}

/** The words of any crossing. */
export const ANY_WORDS = /words-of-[a-z0-9-]+?-([a-z0-9]+-\d+)-again-\1(?!\d)/g

/** Sends a scenario; its crossings in order. */
export async function cross(scenario: GatewayScenario, setup: GatewaySetup): Promise<readonly Crossing[]> {
  const together = scenario.together ?? 1
  const gathered = createBarrier(together)
  const all = await Promise.all(Array.from({ length: together }, () => crossOnce(scenario, setup, gathered)))
  return all.flat()
}

/** A scenario that is open at the upstream. */
interface Opened {
  readonly scenario: GatewayScenario
  readonly name: string
  readonly words: string
  readonly received: ReturnType<typeof createReceivedText>
}

/** Sends the turns of a scenario under one name. */
async function crossOnce(
  scenario: GatewayScenario,
  setup: GatewaySetup,
  gathered: (() => Promise<void>) | undefined,
): Promise<readonly Crossing[]> {
  const { service, upstreamKey, longStreamMs, idleMs, nonce, signal } = setup
  const own = nonce()
  const name = `${scenario.name}-${own}`
  const words = wordsOf(name, own)
  const received = createReceivedText()
  const held: string[] = []
  const waits: Promise<void>[] = []
  const context: ScriptContext = {
    words,
    upstreamKey,
    upstreamAddress: service.origin,
    longStreamMs,
    received(text) {
      const wait = deliver(text)
      waits.push(wait)
      return wait
    },
  }
  async function deliver(text: string): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const sinceMs = clockMs()
      if (await received.waitFor(text, signal)) return
      // If this process was busy, the delta may wait here.
      if (service.busyMs(sinceMs, clockMs()) < BUSY_MS) break
    }
    held.push(text)
  }
  const script = scenario.script(context).map(
    (step): Step =>
      (asked) =>
        afterAll(step(asked), gathered),
  )
  service.open(
    { name, path: '/v1/chat/completions', key: '', text: words, model: UPSTREAM_MODEL, together: 1 },
    script,
  )
  const crossings: Crossing[] = []
  for (const { requests, idle } of turnsOf(scenario)) {
    if (idle !== undefined) {
      await sleep(idleMs[idle], undefined, { signal })
      service.endConnections(name, idle)
      await sleep(NOTICE_MS, undefined, { signal })
    }
    const before = attemptsAt(service, name).length
    const sent = await Promise.all(
      requests.map((request) => sendOnce(request, { scenario, name, words, received }, setup)),
    )
    const calls = attemptsAt(service, name).slice(before)
    const strays = service.calls(name).filter(({ kind }) => kind === 'stray')
    const own = requests.length === 1 ? [calls] : callsOf(sent, calls)
    for (const [place, one] of sent.entries())
      crossings.push({ ...one, calls: own[place] ?? [], strays, held, idle })
    // A gateway that does not answer is not asked again: each request would take its whole time limit.
    if (sent.some(({ answer }) => answer === undefined)) break
  }
  service.forget(name)
  // A gateway that holds a delta back may break the stream before the wait for it is over.
  await Promise.all(waits)
  return withOthers(crossings)
}

type Sent = Omit<Crossing, 'calls' | 'strays' | 'held'>

/**
 * The call of each of several requests that were sent at the same time: the one with its body. Of those that are equal, a
 * request that failed and one that was answered from a cache have none first.
 */
function callsOf(sent: readonly Sent[], calls: readonly Call[]): readonly (readonly Call[])[] {
  const left = [...calls]
  const own = sent.map((): Call[] => [])
  const needing = [...sent.entries()].toSorted(([, one], [, other]) => needOf(other) - needOf(one))
  const isOwn = [requestDifference, changedMember, () => undefined]
  for (const differs of isOwn)
    for (const [place, { sent: body }] of needing) {
      if (own[place]?.length !== 0) continue
      const found = left.findIndex((call) => differs(body, bodyAt(call)) === undefined)
      if (found !== -1) own[place]?.push(...left.splice(found, 1))
    }
  return own
}

/** How surely a request had a call. */
function needOf({ answer }: Sent): number {
  return answer?.response.status !== 200 ? 0 : isFromCache(answer) ? 1 : 2
}

/** The turns of a scenario, the first of which has its request alone. */
export function turnsOf({ request, turns = [] }: GatewayScenario): readonly Turn[] {
  return [{ requests: [request] }, ...turns]
}

/** The crossings of one prompt, each with the requests that may have been answered instead of it. */
export function withOthers(crossings: readonly Crossing[]): readonly Crossing[] {
  if (crossings.length === 1) return crossings
  const sent = crossings.map((crossing) => crossing.sent)
  return crossings.map((crossing, place) => ({ ...crossing, others: sent.toSpliced(place, 1) }))
}

/** The body of a request of a scenario, beside its prompt. */
export function messagesAndRest(request: RequestBody) {
  const { messages = [{ role: 'user', content: 'Say the words.' }], ...rest } = request
  return { messages: messages as readonly unknown[], rest }
}

async function sendOnce(
  request: RequestBody,
  { scenario, name, words, received }: Opened,
  { service, probe, model, clientKey, longStreamMs, signal }: GatewaySetup,
): Promise<Sent> {
  const { messages, rest } = messagesAndRest(request)
  const prompt = { role: 'user', content: `${markerOf(name)} ${words}` }
  const body = JSON.stringify({ model: scenario.model ?? model, messages: [prompt, ...messages], ...rest })
  const leaving = new AbortController()
  const ended = new AbortController()
  let leftMs: number | undefined
  const leave = (): void => {
    leftMs ??= clockMs()
    leaving.abort(new ClientLeft())
  }
  const [sentMs, sentAtMs] = [clockMs(), Date.now()]
  const sending = probe.send(
    {
      path: '/v1/chat/completions',
      body,
      headers: scenario.headers ?? {},
      ...(scenario.authorization && { authorization: scenario.authorization(clientKey) }),
      ...(scenario.isLong === true && { bodyTimeoutMs: 2 * longStreamMs + LONG_MARGIN_MS }),
    },
    AbortSignal.any([signal, leaving.signal]),
    {
      head: () => {},
      chunk(bytes) {
        received.add(bytes)
        // A first chunk of the gateway's own shows nothing of the upstream.
        if (scenario.leaves === 'in the answer' && received.text().includes(WORDS_OF)) leave()
      },
    },
  )
  if (scenario.leaves !== undefined) {
    const afterMs = scenario.leaves === 'before the answer' ? BEFORE_LEAVING_MS : HELD_MS
    void leaveWhenCalled(service, name, AbortSignal.any([signal, ended.signal]), afterMs, leave)
  }
  let answer: Exchange | undefined
  let failure: TransportError | undefined
  try {
    answer = await sending
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TransportError) failure = error
    else if (!(error instanceof ClientLeft)) throw error
  } finally {
    ended.abort()
  }
  if (leftMs !== undefined) await whenLeft(service, name, leftMs, signal)
  const busyMs = service.busyMs(sentMs, clockMs())
  return {
    scenario: scenario.name,
    words,
    sent: sentBody(body),
    sentMs,
    sentAtMs,
    answer,
    failure,
    leftMs,
    busyMs: busyMs < LONG_DELAY_MS ? undefined : busyMs,
  }
}

/** The members of a body that was sent, with exact numbers. */
export function sentBody(body: string): RequestBody {
  const value = exactJson(body) ?? parseJson(body)
  return isRecord(value) ? value : {}
}

class ClientLeft extends Error {}

/** The requests for a completion that reached the upstream. */
function attemptsAt(service: LocalService, name: string): readonly Call[] {
  return service.calls(name).filter(({ kind }) => kind === 'attempt')
}

async function leaveWhenCalled(
  service: LocalService,
  name: string,
  signal: AbortSignal,
  afterMs: number,
  leave: () => void,
): Promise<void> {
  while (attemptsAt(service, name).length === 0 && !signal.aborted) await service.next(name, signal)
  await sleep(afterMs, undefined, { signal }).catch(() => undefined)
  if (!signal.aborted) leave()
}

/** Waits until every request at the upstream has ended, at most as long as the row allows. */
async function whenLeft(service: LocalService, name: string, leftMs: number, signal: AbortSignal) {
  const bound = AbortSignal.any([
    signal,
    AbortSignal.timeout(Math.max(1, Math.ceil(leftMs + LEAVE_MS + LEAVE_MARGIN_MS - clockMs()))),
  ])
  while (!bound.aborted && attemptsAt(service, name).some(({ hungUpMs }) => hungUpMs === undefined))
    await service.next(name, bound)
}

/** The answer with a body that begins when all requests have arrived. */
function afterAll(reply: Reply, gathered: (() => Promise<void>) | undefined): Reply {
  const [first, ...rest] = reply.pieces
  if (gathered === undefined || first === undefined) return reply
  return { ...reply, pieces: [{ ...first, when: gathered }, ...rest] }
}

/** Resolves for all callers when `count` of them wait; undefined for one. */
function createBarrier(count: number): (() => Promise<void>) | undefined {
  if (count === 1) return undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  return async () => {
    waiting += 1
    if (waiting >= count) resolve()
    // A gateway may send fewer requests at the same time than it gets.
    await Promise.race([promise, sleep(HELD_MS)])
  }
}
