// What a case works with while it runs: its own view of the target, its requests and assertions, and the evidence
// that they leave.
import type { Case, CaseContext } from './case.ts'
import { boundsTime } from './bounding-rows.ts'
import { createFetch } from './fetch.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { SendOptions, Sender } from './sender.ts'
import { CheckFailure, Inconclusive, NotApplicable } from './outcomes.ts'
import { NO_KEY, type Target } from '../target/target.ts'

/** How many exchanges of a case are kept, the latest ones. */
const KEPT_EXCHANGES = 5

/** The members that bound an answer: a request that has one of them is about it. */
const LIMITS = ['max_tokens', 'max_completion_tokens'] as const

/** What a run of a case left behind. */
export interface CaseTrace {
  requests: number
  assertions: number
  /** The latest exchanges, oldest first. */
  readonly exchanges: Exchange[]
  /** A request was sent to which nobody has answered. */
  isSilent: boolean
  /** Capabilities that the case asked about and that the target refuses. */
  readonly refused: Set<string>
}

export interface ContextOptions {
  readonly definition: Pick<Case, 'id' | 'requirement'>
  readonly target: Target
  readonly sender: Sender
  readonly seed: number
  readonly runs: number
  readonly signal: AbortSignal
  readonly onWait: (waiting: boolean) => void
}

/** Makes the context of one run of one case, and the trace that it fills. */
export function createContext(options: ContextOptions): { context: CaseContext; trace: CaseTrace } {
  const trace: CaseTrace = { requests: 0, assertions: 0, exchanges: [], isSilent: false, refused: new Set() }
  const { sender, signal } = options
  const target = watched(options.target, trace.refused)
  const sendOptions: SendOptions = {
    signal,
    by: options.definition.id,
    boundsTime: boundsTime(options.definition.requirement),
    onWait: options.onWait,
    onExchange(exchange) {
      trace.exchanges.push(exchange)
      if (trace.exchanges.length > KEPT_EXCHANGES) trace.exchanges.shift()
    },
  }
  const send = async (request: RequestSpec, more: Partial<SendOptions> = {}): Promise<Exchange> => {
    const kept = request.brief === true ? await shortened(request, target) : request
    trace.requests += 1
    try {
      return await sender.send(kept, { ...sendOptions, ...more })
    } finally {
      // Where the time of the case is over, the request was still waiting for an answer.
      trace.isSilent = signal.aborted
    }
  }
  const fail = (failure: CheckFailure): never => {
    throw failure
  }

  const context: CaseContext = {
    target,
    seed: options.seed,
    runs: options.runs,
    signal,
    send: (request) => send(request),
    async chat(body, request = {}) {
      const limited = LIMITS.some((limit) => Object.hasOwn(body, limit))
      const withModel = { model: target.model, ...(limited ? {} : await target.brief()), ...body }
      return send({ path: '/v1/chat/completions', body: JSON.stringify(withModel), ...request })
    },
    fetch: createFetch(
      target.baseUrl,
      (request, fetchSignal, listener) => {
        const { authorization, ...others } = request
        const isKeyless = target.key === '' && authorization === `Bearer ${NO_KEY}`
        const obey = isKeyless || authorization === `Bearer ${target.key}`
        // What a keyless target is reached by, as a header of a gateway, is all that it gets.
        return send({ ...(isKeyless ? others : request), obey }, { signal: fetchSignal, listener })
      },
      signal,
    ),
    expect(exchange, ...verifiers) {
      for (const verifier of verifiers) {
        trace.assertions += 1
        const mismatch = verifier(exchange, target)
        if (mismatch !== undefined) fail(new CheckFailure(mismatch, exchange))
      }
    },
    assert(holds, mismatch, exchange) {
      trace.assertions += 1
      if (!holds) throw new CheckFailure(mismatch, exchange)
    },
    notApplicable(reason) {
      throw new NotApplicable(reason)
    },
    inconclusive(reason) {
      throw new Inconclusive(reason)
    },
  }
  return { context, trace }
}

/** The target, noting which refused capabilities this case asked about. */
function watched(target: Target, refused: Set<string>): Target {
  const note = async (capability: string, asked: Promise<boolean>): Promise<boolean> => {
    const offered = await asked
    if (!offered) refused.add(capability)
    return offered
  }
  return {
    ...target,
    echoes: () => note('echo', target.echoes()),
    deterministic: () => note('deterministic', target.deterministic()),
    supports: (field, members) => note(field, target.supports(field, members)),
    async requireEcho() {
      await this.echoes()
      return target.requireEcho()
    },
    async requireDeterministic() {
      await this.deterministic()
      return target.requireDeterministic()
    },
    async requireField(field, members) {
      await this.supports(field, members)
      return target.requireField(field, members)
    },
  }
}

/** The seed of one case: the same for the same run seed and id, whatever else is selected. */
export function caseSeed(runSeed: number, { id }: Pick<Case, 'id'>): number {
  // FNV-1a, 32 bits: any even spread will do.
  let hash = (0x811c9dc5 ^ runSeed) >>> 0
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

/** The same request with what keeps its answer short, unless it says something of that itself. */
async function shortened(request: RequestSpec, target: Target): Promise<RequestSpec> {
  if (typeof request.body !== 'string') return request
  const body: object = JSON.parse(request.body)
  return { ...request, body: JSON.stringify({ ...(await target.brief()), ...body }) }
}
