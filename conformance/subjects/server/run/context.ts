// The context of a running case: its view of the target, its requests and assertions, and the evidence that they leave.
import type { Case, CaseContext } from '../case.ts'
import { createFetch } from './fetch.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { type Exchange, memoryOf } from '../../../../harness/http/exchange.ts'
import type { SendOptions } from './send-options.ts'
import type { Sender } from './sender.ts'
import { type CaseUnread, unreadIn } from './unread.ts'
import { type TokenMeter, createTokenMeter } from '../../../exchanges/token-meter.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../../../contract/outcome.ts'
import { CHAT_PATH, FETCH_ROOT, NO_KEY, TOKEN_BOUNDS, type Target } from '../../../contract/target.ts'
import { isRecord, parseJson } from '../../../../harness/json-value.ts'
import { requirement as rowOf } from '../../../../spec/catalogue/requirements.ts'
import { wholeAnswer } from '../../../facts/whole-answer.ts'

/** The number of exchanges of a case that are kept: the latest. */
const KEPT_EXCHANGES = 5

/** The path of a chat request, and not of a stored completion. */
const CHATS = /^\/v1\/chat\/completions\/?([?#]|$)/

/** The most that the answers of all running cases may hold together, in bytes: a case that exceeds it is not judged. */
const MOST_ANSWER_BYTES = 48 * 1024 * 1024

/** The bound of all choices of an answer together, in tokens, if their length does not matter. */
const ALL_CHOICES_TOKENS = 256

/** The actions of a case while it ran; a `CheckTrace` at its end. */
interface CaseTrace {
  requests: number
  /** The tokens that the target counted for the requests. */
  readonly meter: TokenMeter
  assertions: number
  readonly exchanges: Exchange[]
  /** The size of all its answers, in bytes. */
  answerBytes: number
  isOver: boolean
  readonly refused: Set<string>
  /** The first answer that could not be read. */
  unread: CaseUnread | undefined
}

/** The parts of a run that its cases use. */
export interface CaseRun {
  readonly target: Target
  readonly sender: Sender
  readonly seed: number
  readonly runs: number
  readonly quick?: boolean
  /** The size of the answers of all running cases, in bytes: one object for each run. */
  readonly held: { bytes: number }
}

export function createContext(
  definition: Pick<Case, 'id' | 'requirement'>,
  run: CaseRun,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (waiting: boolean) => void },
) {
  const trace: CaseTrace = {
    requests: 0,
    meter: createTokenMeter(),
    assertions: 0,
    exchanges: [],
    answerBytes: 0,
    isOver: false,
    refused: new Set(),
    unread: undefined,
  }
  const { sender, quick = false } = run
  const target = watched(run.target, definition.id, trace.refused)
  const sendOptions: SendOptions = {
    signal,
    by: definition.id,
    row: definition.requirement,
    onWait,
    onExchange(exchange) {
      trace.meter.see(exchange)
      trace.exchanges.push(exchange)
      if (trace.exchanges.length > KEPT_EXCHANGES) trace.exchanges.shift()
      // A request may outlive its case.
      if (trace.isOver) return
      trace.answerBytes += memoryOf(exchange)
      run.held.bytes += memoryOf(exchange)
      if (run.held.bytes > MOST_ANSWER_BYTES)
        throw new Inconclusive(
          `the answers of the check are too large: more than ${MOST_ANSWER_BYTES / 2 ** 20} MiB together`,
        )
    },
  }
  const send = async (request: RequestSpec, more: Partial<SendOptions> = {}): Promise<Exchange> => {
    if (isAboutAuthorization(definition, request, target))
      throw new NotApplicable(`the key is sent in ${target.authHeader} (--auth-header), not in Authorization`)
    const kept = await bounded(request, target)
    trace.requests += 1
    const exchange = await sender.send(kept, { ...sendOptions, ...more })
    trace.unread ??= unreadIn(exchange, run.target)
    return exchange
  }
  const context: CaseContext = {
    target,
    seed: caseSeed(run.seed, definition),
    runs: run.runs,
    quick,
    signal,
    send: (request) => send(request),
    async chat(body, request = {}) {
      return send({ path: CHAT_PATH, body: JSON.stringify({ model: target.model, ...body }), ...request })
    },
    finished: (ask) => wholeAnswer(run.target, ask, quick),
    fetch: createFetch(
      FETCH_ROOT,
      (request, fetchSignal, listener) => {
        const { authorization, ...others } = request
        const isKeyless = target.key === '' && authorization === `Bearer ${NO_KEY}`
        // Its requests wait with the others of that key; one without a key gets the headers of a gateway, for example.
        const isOwn = isKeyless || authorization === `Bearer ${target.key}`
        return send({ ...(isOwn ? others : request), obey: isOwn }, { signal: fetchSignal, listener })
      },
      signal,
    ),
    async shared(made, make) {
      const known = made.get(run.held)
      if (known === undefined) {
        const making = make()
        made.set(run.held, making)
        return making
      }
      onWait(true)
      return known.finally(() => onWait(false))
    },
    sleep: (ms) => sender.sleep(ms, signal, definition.id),
    now: sender.now,
    expect(exchange, ...verifiers) {
      for (const verifier of verifiers) {
        trace.assertions += 1
        const mismatch = verifier(exchange, target)
        if (mismatch !== undefined) throw new CheckFailure(mismatch, exchange)
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
  /** Ends the context: its answers are no longer held. */
  const end = (): void => {
    trace.isOver = true
    run.held.bytes -= trace.answerBytes
  }
  return { context, trace, end }
}

/** Whether a request tests a header that this target does not use: by its row, or by a value that is not a key after `Bearer`. */
function isAboutAuthorization(
  { requirement }: Pick<Case, 'requirement'>,
  { authorization }: RequestSpec,
  { authHeader }: Target,
): boolean {
  if (authHeader === undefined) return false
  if (rowOf(requirement).isOfAuthorization) return true
  return (
    Array.isArray(authorization) || (typeof authorization === 'string' && !/^Bearer \S+$/.test(authorization))
  )
}

/** The target for the case with this id, noting which refused capabilities it asked about. */
function watched(target: Target, by: string, refused: Set<string>): Target {
  const note = async (capability: string, asked: Promise<boolean>): Promise<boolean> => {
    const offered = await asked
    if (!offered) refused.add(capability)
    return offered
  }
  return {
    ...target,
    createKey: (options) => target.createKey({ by, ...options }),
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

/**
 * Adds a token bound to a request and leaves its other bytes as they are. Every chat request in JSON has one, even if it
 * should be refused.
 */
async function bounded(request: RequestSpec, target: Target): Promise<RequestSpec> {
  const { path, body } = request
  if (!CHATS.test(path) || typeof body !== 'string') return request
  const asked = parseJson(body)
  if (!isRecord(asked) || TOKEN_BOUNDS.some((field) => Object.hasOwn(asked, field))) return request
  const n = asked['n']
  const choices = typeof n === 'number' && n > 1 ? n : 1
  const most = Math.max(1, Math.floor(ALL_CHOICES_TOKENS / choices))
  const bound = JSON.stringify(await target.brief(Math.min(target.plan().briefTokens, most))).slice(1, -1)
  if (bound === '') return request
  const separator = Object.keys(asked).length === 0 ? '' : ','
  return { ...request, body: body.replace('{', `{${bound}${separator}`) }
}
