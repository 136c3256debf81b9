// Answers a run from a bundle: each request gets the recorded answer to the same request of the same check, at its time.
import type { RunTransport } from '../contract/transport.ts'
import { Inconclusive } from '../contract/outcome.ts'
import type { Exchange, SentRequest } from '../../harness/http/exchange.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { Sending } from '../../harness/http/transport.ts'
import { KeyCommandError, type KeyMaker } from '../../harness/keys/key-command.ts'
import { CREDENTIAL_HEADER } from '../../spec/protocol/credential-places.ts'
import { MOST_REQUEST_BYTES, createExchangeReader, digestOf } from '../exchanges/line-codec.ts'
import type { RecordedExchange } from '../exchanges/recorded-exchange.ts'
import type { KeyLine, RecordingLine, WaitLine } from '../exchanges/recording-line.ts'
import { askedToCreate } from './recording-transport.ts'
import { type StandIns, createStandIns, latin1, quoting } from './stand-ins.ts'
import { createVirtualClock } from './virtual-clock.ts'

/** A request that is not in the bundle. */
export interface NotRecorded {
  /** The check that sent it; undefined for one of the run itself. */
  readonly check: string | undefined
  /** The first difference from what the check sent instead, or that it sent no more. */
  readonly difference: string
}

interface Recorded extends RecordedExchange {
  readonly atMs: number
  readonly form: string
}

/** `startMs` is when the recorded run began, in milliseconds since 1970. */
export function replayingTransport(
  lines: readonly RecordingLine[],
  startMs: number,
  given: readonly string[],
) {
  const clock = createVirtualClock(startMs)
  const made = lines.flatMap((line) =>
    line.kind === 'key' && line.made !== undefined ? [line.made.secret] : [],
  )
  const standIns = createStandIns([...given, ...made])
  const { exchanges, keys, waits } = indexed(lines, standIns)
  const missing: NotRecorded[] = []

  /** When the first request of a check was sent that no request was answered with yet, in milliseconds. */
  function beginOf(check: string): number {
    const [first] = exchanges.get(check)?.open ?? []
    return first?.atMs ?? Infinity
  }

  function notRecorded(check: string | undefined, difference: string): Inconclusive {
    missing.push({ check, difference })
    return new Inconclusive(`not in the bundle: ${difference}`)
  }

  function take(request: SentRequest, check: string | undefined): Recorded {
    const own = exchanges.get(check)
    // Later requests are compared without the credentials of this one.
    standIns.headers(request.headers)
    let form = formOf(request, standIns)
    // The search for credentials in codings takes long, and few requests have one.
    if (own?.byForm.get(form)?.[0] === undefined) form = formOf(standIns.blankRequest(request), standIns)
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
          : firstDifference(instead.form, form)
    throw notRecorded(check, difference)
  }

  async function exchange(request: SentRequest, sending: Sending): Promise<Exchange> {
    const { signal, listener } = sending
    await listener?.prepared?.()
    signal.throwIfAborted()
    const recorded = take(request, sending.by)
    const { atMs: sentMs, timings, left, error, reconnected } = recorded
    const response =
      recorded.response && quoting(recorded.response, recorded.request.headers, request.headers)
    const startedAtMs = startMs + sentMs
    const endMs = sentMs + timings.totalMs
    await new Promise<void>((resolve, reject) => {
      const cancels: (() => void)[] = []
      const abort = (): void => {
        for (const cancel of cancels) cancel()
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      if (listener !== undefined && response !== null && error === undefined) {
        cancels.push(
          clock.at(sentMs + timings.firstByteMs, () => listener.head(response.status, response.headers)),
        )
        let from = 0
        for (const { atMs, size } of response.chunks) {
          const piece = response.body.subarray(from, (from += size))
          cancels.push(clock.at(sentMs + atMs, () => listener.chunk(piece)))
        }
      }
      // An answer that the judge left has no end: it is left again.
      const ended = (): void => {
        signal.removeEventListener('abort', abort)
        if (left !== true) return resolve()
        reject(
          notRecorded(sending.by, 'the recorded run left this answer, and this version reads it to its end'),
        )
      }
      cancels.push(left === true ? clock.at(endMs + LEFT_MS, ended) : clock.at(endMs, ended))
    })
    const answered = (answer: Exchange['response']): Exchange => ({
      startedAtMs,
      request,
      response: answer,
      timings,
      ...(reconnected === true ? { reconnected } : {}),
    })
    if (error !== undefined || response === null) {
      const { isLate = false, isSilence = false } = recorded
      const received = recorded.received === true && response !== null ? answered(response) : undefined
      throw new TransportError(error ?? 'no answer came', request, { isLate, isSilence, received })
    }
    return answered(response)
  }

  async function replayKey(asked: string, older = asked): Promise<KeyLine> {
    const line = (keys.get(asked) ?? keys.get(older))?.shift()
    if (line === undefined) throw notRecorded(undefined, `the key command was not asked: ${asked}`)
    await new Promise<void>((resolve) => void clock.at(line.atMs + line.totalMs, resolve))
    if (line.error !== undefined) throw new KeyCommandError(line.error)
    return line
  }

  const keyMaker: KeyMaker = {
    async create(options) {
      // Bundles of earlier versions do not have the purpose of a key.
      const { by: _, ...others } = options ?? {}
      const { made } = await replayKey(askedToCreate(options), askedToCreate(others))
      if (made === undefined) throw new KeyCommandError('the bundle has no key')
      return made
    },
    revoke: async (id) => void (await replayKey(`revoke ${id}`)),
    revokeAll: async () => {},
  }

  /** A recorded wait ends when it ended then: a timer may have been late. */
  function sleep(ms: number, signal?: AbortSignal, check?: string): Promise<void> {
    const own = waits.get(check)
    const next = own?.[0]
    if (next === undefined || Math.abs(next.ms - ms) > Math.max(next.ms, ms) / 2)
      return clock.sleep(ms, signal)
    own?.shift()
    return clock.sleep(next.atMs + next.totalMs - clock.now(), signal)
  }

  const transport: RunTransport = {
    clock: { ...clock, sleep },
    connect: () => ({ exchange, close() {} }),
    keys: () => (keys.size === 0 ? undefined : keyMaker),
    // Answers come at their recorded times: a check that began earlier than then would wait for them within its own time.
    ordered: (checks) => checks.toSorted((a, b) => beginOf(a.id) - beginOf(b.id) || 0),
  }
  return { transport, missing: (): readonly NotRecorded[] => missing }
}

/** How long after its recorded end an answer that was left waits to be left again, in milliseconds. */
const LEFT_MS = 60_000

interface OfCheck {
  /** The exchanges that no request was answered with yet, in their order. */
  readonly open: Set<Recorded>
  readonly byForm: Map<string, Recorded[]>
}

function indexed(lines: readonly RecordingLine[], standIns: StandIns) {
  const read = createExchangeReader()
  const exchanges = new Map<string | undefined, OfCheck>()
  const keys = new Map<string, KeyLine[]>()
  const waits = new Map<string | undefined, WaitLine[]>()
  const recorded: Recorded[] = []
  const ofWaits = lines.filter((line) => line.kind === 'wait')
  for (const line of ofWaits.toSorted((one, other) => one.atMs - other.atMs))
    waits.set(line.by, [...(waits.get(line.by) ?? []), line])
  for (const line of lines) {
    if (line.kind === 'key') keys.set(line.asked, [...(keys.get(line.asked) ?? []), line])
    if (line.kind === 'exchange') {
      const { atMs = 0, ...exchange } = read(line)
      recorded.push({ ...exchange, atMs, form: formOf(exchange.request, standIns, line.request.bodySha256) })
    }
  }
  // The lines are in the order of their ends; a check sends in the order of ordinals.
  for (const one of recorded.toSorted((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0))) {
    const { by: check } = one
    const own = exchanges.get(check) ?? { open: new Set(), byForm: new Map() }
    exchanges.set(check, own)
    own.open.add(one)
    own.byForm.set(one.form, [...(own.byForm.get(one.form) ?? []), one])
  }
  return { exchanges, keys, waits }
}

/** Headers that say which machine and version sent a request. */
const OF_THE_SENDER = /^(?:host|user-agent|x-stainless-.*|cookie|content-length)$/i

/** The part of a request that must be the same to get a recorded answer. `digest` is that of a body that was not kept. */
function formOf(
  { method, path, headers, body = Buffer.of() }: SentRequest,
  standIns: StandIns,
  digest?: string,
): string {
  const { blank, whose } = standIns
  const kept = headers
    .filter(([name]) => !OF_THE_SENDER.test(name))
    .map(([name, value]) => `${name}: ${CREDENTIAL_HEADER.test(name) ? whose(value) : blank(value)}`)
  const isLarge = digest !== undefined || body.length > MOST_REQUEST_BYTES
  const shown = isLarge ? `sha256 ${digest ?? digestOf(body)}` : blank(latin1(body))
  return [`${method} ${blank(path)}`, ...kept, '', shown].join('\n')
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
