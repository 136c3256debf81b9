// Answers a run from a bundle: each request gets the recorded answer to the same request of the same check, at its time.
import type { RunTransport } from '../contract/transport.ts'
import { Inconclusive } from '../contract/outcome.ts'
import type { Exchange, Headers, SentRequest } from '../../harness/http/exchange.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { Sending } from '../../harness/http/transport.ts'
import { KeyCommandError, type KeyMaker } from '../../harness/keys/key-command.ts'
import type { ExchangeLine, KeyLine, Line } from './lines.ts'
import { createLineReader } from './lines.ts'
import { askedToCreate } from './recording-transport.ts'
import { type StandIns, createStandIns } from './stand-ins.ts'
import { createVirtualClock } from './virtual-clock.ts'

/** A request that is not in the bundle. */
export interface NotRecorded {
  /** The check that sent it; undefined for one of the run itself. */
  readonly check: string | undefined
  /** The first difference from what the check sent instead, or that it sent no more. */
  readonly difference: string
}

interface Recorded {
  readonly line: ExchangeLine
  readonly request: SentRequest
  readonly response: Exchange['response'] | undefined
}

/** `startMs` is when the recorded run began, in milliseconds since 1970. */
export function replayingTransport(lines: Iterable<Line>, startMs: number) {
  const clock = createVirtualClock(startMs)
  const standIns = createStandIns()
  const { exchanges, keys } = indexed(lines, standIns)
  const missing: NotRecorded[] = []

  function notRecorded(check: string | undefined, difference: string): Inconclusive {
    missing.push({ check, difference })
    return new Inconclusive(`not in the bundle: ${difference}`)
  }

  function take(request: SentRequest, check: string | undefined): Recorded {
    const own = exchanges.get(check)
    const form = formOf(standIns.apply({ ...NO_ANSWER, request }).request, standIns)
    const next = own?.byForm.get(form)?.shift()
    if (next !== undefined && own !== undefined) {
      own.open.delete(next)
      return next
    }
    const [instead] = own?.open ?? []
    const difference =
      own === undefined
        ? 'the bundle has no request of this check'
        : instead === undefined
          ? `the bundle has no further request, but this version sends ${request.method} ${request.path}`
          : firstDifference(formOf(instead.request, standIns), form)
    throw notRecorded(check, difference)
  }

  async function exchange(request: SentRequest, sending: Sending): Promise<Exchange> {
    const { signal, listener } = sending
    await listener?.prepared?.()
    signal.throwIfAborted()
    const { line, response } = take(request, sending.by)
    const startedAtMs = startMs + line.atMs
    const endMs = line.atMs + line.timings.totalMs
    await new Promise<void>((resolve, reject) => {
      const cancels: (() => void)[] = []
      const abort = (): void => {
        for (const cancel of cancels) cancel()
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      const isRefused = line.error !== undefined
      if (listener !== undefined && response !== undefined && !isRefused) {
        cancels.push(clock.at(line.atMs + line.timings.firstByteMs, () => listener.head(response.status, response.headers)))
        let from = 0
        for (const { atMs, size } of response.chunks) {
          const piece = response.body.subarray(from, (from += size))
          cancels.push(clock.at(line.atMs + atMs, () => listener.chunk(piece)))
        }
      }
      // An answer that the judge left has no end: it is left again.
      const ended = (): void => {
        signal.removeEventListener('abort', abort)
        if (line.left !== true) return resolve()
        reject(notRecorded(sending.by, 'the recorded run left this answer, and this version reads it to its end'))
      }
      cancels.push(line.left === true ? clock.at(endMs + LEFT_MS, ended) : clock.at(endMs, ended))
    })
    const { timings, error } = line
    const answered = (answer: Exchange['response']): Exchange => ({
      startedAtMs,
      request,
      response: answer,
      timings,
      ...(line.reconnected === true ? { reconnected: true } : {}),
    })
    if (error !== undefined || response === undefined) {
      const { message = 'no answer came', isLate = false, isSilence = false, received } = error ?? {}
      const answer = received === true && response !== undefined ? answered(response) : undefined
      throw new TransportError(message, request, { isLate, isSilence, received: answer })
    }
    return answered(response)
  }

  async function replayKey(asked: string): Promise<KeyLine> {
    const line = keys.get(asked)?.shift()
    if (line === undefined) throw notRecorded(undefined, `the key command was not asked: ${asked}`)
    await new Promise<void>((resolve) => void clock.at(line.atMs + line.totalMs, resolve))
    if (line.error !== undefined) throw new KeyCommandError(line.error)
    return line
  }

  const keyMaker: KeyMaker = {
    async create(options) {
      const { made } = await replayKey(askedToCreate(options))
      if (made === undefined) throw new KeyCommandError('the bundle has no key')
      return made
    },
    revoke: async (id) => void (await replayKey(`revoke ${id}`)),
    revokeAll: async () => {},
  }

  const transport: RunTransport = {
    clock,
    connect: () => ({ exchange, close() {} }),
    keys: () => (keys.size === 0 ? undefined : keyMaker),
  }
  return { transport, missing: (): readonly NotRecorded[] => missing }
}

/** How long after its recorded end an answer that was left waits to be left again, in milliseconds. */
const LEFT_MS = 60_000

const NO_ANSWER = { startedAtMs: 0, response: null, timings: { firstByteMs: 0, totalMs: 0 } }

interface OfCheck {
  /** The exchanges that no request was answered with yet, in their order. */
  readonly open: Set<Recorded>
  readonly byForm: Map<string, Recorded[]>
}

function indexed(lines: Iterable<Line>, standIns: StandIns) {
  const reader = createLineReader()
  const exchanges = new Map<string | undefined, OfCheck>()
  const keys = new Map<string, KeyLine[]>()
  const recorded: Recorded[] = []
  for (const line of lines) {
    if (line.kind === 'key') keys.set(line.asked, [...(keys.get(line.asked) ?? []), line])
    else {
      const request = reader.request(line.request)
      recorded.push({ line, request, response: line.response && reader.response(line.response) })
    }
  }
  // Lines stand in the order of their ends; a check sends in the order of ordinals.
  for (const one of recorded.toSorted((a, b) => a.line.ordinal - b.line.ordinal)) {
    const { check } = one.line
    const own = exchanges.get(check) ?? { open: new Set(), byForm: new Map() }
    exchanges.set(check, own)
    const form = formOf(one.request, standIns)
    own.open.add(one)
    own.byForm.set(form, [...(own.byForm.get(form) ?? []), one])
  }
  return { exchanges, keys }
}

/** Headers that say which machine and version sent a request, or with which credential. */
const OF_THE_SENDER =
  /^(?:host|user-agent|x-stainless-.*|cookie|(?:proxy-)?authorization|.*api[-_]?key|.*(?:auth|access|session|csrf|xsrf)[-_]?token|.*secret.*|content-length)$/i

/** What must be the same in a request that gets a recorded answer. */
function formOf({ method, path, headers, body }: SentRequest, { blank }: StandIns): string {
  const kept = (list: Headers): readonly string[] =>
    list.filter(([name]) => !OF_THE_SENDER.test(name)).map(([name, value]) => `${name}: ${blank(value)}`)
  const text = Buffer.from(body ?? []).toString('latin1')
  return [`${method} ${blank(path)}`, ...kept(headers), '', blank(text)].join('\n')
}

/** The characters that are shown around a difference. */
const SHOWN = 60

function firstDifference(recorded: string, sent: string): string {
  let place = 0
  while (place < recorded.length && recorded[place] === sent[place]) place += 1
  const from = Math.max(0, place - SHOWN / 3)
  const part = (text: string): string => JSON.stringify(text.slice(from, from + SHOWN))
  return `recorded ${part(recorded)}, this version sends ${part(sent)}`
}
