// Circuit breakers of a run: requests that fail in a row below HTTP are followed by trial requests, which any working target
// answers. If no trial is answered, such requests are no longer sent. So neither odd requests nor a restart end a run.
import { type Exchange, header, isCut } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { memoizePer } from '../../../../harness/memoize.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { smallestChats } from '../../../facts/listed-models.ts'
import { Unreachable } from '../../../contract/outcome.ts'
import { CHAT_PATH } from '../../../contract/target.ts'

export const MODELS_PATH = '/v1/models'

/** The failures in a row after which trials are due. A request that took its whole time counts as several. */
export const MOST_FAILURES = 30
const FAILURES_OF_LATE = 8

/** Requests of one trial: a flaky service answers one of them. And the trials: a service that restarts answers a later one. */
export const TRIAL_REQUESTS = 3
export const MOST_TRIALS = 10

/** The trials that take their whole time, of a target that has answered before. */
const MOST_LATE_TRIALS = 3

/** The longest pause between two trials, in milliseconds. */
const PAUSE_MS = 1_000

/** The share of the time limit of an answer that a trial has: with the late request before it, less than two limits. */
const TRIAL_SHARE = 0.75

export interface CircuitOptions {
  /** The model of trial requests. */
  readonly model: () => string
  /** The time limit of one answer, in milliseconds; all pauses between trials together are not longer. */
  readonly timeoutMs: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
}

/** Requests that the same part of the target answers. */
interface Circuit {
  readonly name: string
  readonly trial: () => RequestSpec
  readonly shows: (exchange: Exchange) => boolean
  requests: number
  failures: number
  latest: string
  /** The time of the latest answer; undefined before the first. */
  answeredAtMs?: number
  trying?: Promise<void>
  open?: Unreachable
}

interface Fault {
  readonly reason: string
  readonly isLate: boolean
}

/** Sends a request of the run itself. */
type Ask = (request: RequestSpec) => Promise<Exchange>

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

/** Makes the breakers of one run: for the whole service, for plain chats, and for streamed chats. */
export function createCircuitBreaker({ model, timeoutMs, now, pause }: CircuitOptions) {
  const chat = (more: object): RequestSpec => smallestChats(model(), more)[0]
  // A refused chat shows that the service answers, and not that its model does.
  const succeeds = ({ response }: Exchange): boolean => response.status < 400
  const create = (name: string, trial: Circuit['trial'], shows: Circuit['shows']): Circuit => {
    return { name, trial, shows, requests: 0, failures: 0, latest: '' }
  }
  const service = create(
    'the service',
    () => ({ path: MODELS_PATH }),
    () => true,
  )
  const plain = create(`POST ${CHAT_PATH}`, () => chat({}), succeeds)
  const streamed = create(`POST ${CHAT_PATH} with a stream`, () => chat({ stream: true }), succeeds)

  const others = create(
    'every other path',
    () => ({ path: `${MODELS_PATH}/${encodeURIComponent(model())}` }),
    () => true,
  )
  const all = [service, plain, streamed, others]
  const reason = (): Unreachable | undefined => all.find(({ open }) => open)?.open

  function circuitsOf(request: RequestSpec): readonly Circuit[] {
    const { method, path, body } = request
    const [route] = path.split('?', 1)
    // A query may be handled otherwise.
    if (path === MODELS_PATH && body === undefined && (method ?? 'GET') === 'GET') return [service]
    if (route !== CHAT_PATH || body === undefined) return [service, others]
    return [service, asksForStream(request) ? streamed : plain]
  }

  async function tryAgain(circuit: Circuit, ask: Ask): Promise<void> {
    for (let trial = 0; trial < MOST_TRIALS; trial++) {
      if (trial > 0) await pause(Math.min(PAUSE_MS, timeoutMs / MOST_TRIALS))
      const asked = Array.from({ length: TRIAL_REQUESTS }, () =>
        ask({ ...circuit.trial(), timeoutMs: TRIAL_SHARE * timeoutMs }).catch(unlessTransport),
      )
      const faults = (await Promise.all(asked)).map(faultOf)
      if (faults.includes(undefined)) return void (circuit.failures = 0)
      // All pauses together would not be longer. One request may block a service that has answered before for a minute.
      const rounds = circuit.answeredAtMs === undefined ? 1 : MOST_LATE_TRIALS
      if (faults.every((fault) => fault?.isLate === true) && trial + 1 >= rounds) break
    }
    const { name, requests, latest, answeredAtMs } = circuit
    const did = answeredAtMs === undefined ? 'has not answered' : 'stopped answering'
    circuit.open = new Unreachable(`${name} ${did} after ${requests} requests: ${latest}`)
  }

  return {
    /** Waits while trials decide. Throws `Unreachable` if such a request is no longer sent. */
    async ready(request: RequestSpec, ask: Ask): Promise<void> {
      const circuits = circuitsOf(request)
      if (circuits.some(({ failures, open }) => failures >= MOST_FAILURES && open === undefined))
        // All that may have failed are tried together, so that a target that is down is waited for once.
        for (const circuit of all)
          if (circuit.open === undefined && (circuit.failures > 0 || circuit.answeredAtMs === undefined))
            circuit.trying ??= tryAgain(circuit, ask).finally(() => delete circuit.trying)
      await Promise.all(circuits.map(({ trying }) => trying))
      // Several are open for the same cause.
      if (circuits.some(({ open }) => open)) throw reason()
    },
    /** Counts how a request ended that was sent at this time. */
    count(request: RequestSpec, sentAtMs: number, end: Exchange | TransportError): void {
      const fault = faultOf(end)
      const hasOwnLimit = request.timeoutMs !== undefined
      for (const circuit of circuitsOf(request)) {
        circuit.requests += 1
        if (fault !== undefined) {
          // A trial has a limit of its own, which explains nothing.
          const limit = fault.isLate ? ` (${hasOwnLimit ? '--warm-up' : '--timeout'})` : ''
          if (!hasOwnLimit || circuit.latest === '') circuit.latest = fault.reason + limit
          // A failure shows nothing if another request was answered meanwhile.
          if (circuit.answeredAtMs !== undefined && circuit.answeredAtMs >= sentAtMs) continue
          // The first chat has more time than any other request.
          const weightOfLate = hasOwnLimit && circuit === plain ? MOST_FAILURES : FAILURES_OF_LATE
          circuit.failures += fault.isLate ? weightOfLate : 1
        } else if (!(end instanceof TransportError) && circuit.shows(end)) {
          circuit.answeredAtMs = now()
          circuit.failures = 0
        }
      }
    },
    /** Why some requests are no longer sent; that of the whole service first. */
    open: reason,
    /** Why no request is sent any more. */
    dead: (): Unreachable | undefined => service.open,
  }
}

/** Whether a request asks for a stream, as far as a look at its text shows. */
export const asksForStream = memoizePer(({ body = '' }: RequestSpec): boolean => {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
  return /"stream"\s*:\s*true/.test(text)
})

/** Returns why a request failed below HTTP; undefined if its answer is complete. */
function faultOf(end: Exchange | TransportError): Fault | undefined {
  if (end instanceof TransportError) return { reason: end.message, isLate: end.isLate }
  const { end: how, body } = end.response
  if (!isCut(end)) return undefined
  // Rows of streams judge one that breaks off, and its events show that the target answers.
  const isStream = header(end, 'content-type')?.startsWith('text/event-stream') === true
  if (how === 'broken' && isStream && body.length > 0) return undefined
  return { reason: `an answer was cut (${how})`, isLate: how === 'timeout' }
}

function unlessTransport(error: unknown): TransportError {
  if (error instanceof TransportError) return error
  throw error
}
