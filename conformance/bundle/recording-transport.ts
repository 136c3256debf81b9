// Records what a live run hears: every exchange and every key, with its time. Credentials are replaced before anything is
// kept.
import type { RunTransport } from '../contract/transport.ts'
import type { Exchange, SentRequest } from '../../harness/http/exchange.ts'
import type { AnswerListener } from '../../harness/http/send-once.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { Sending } from '../../harness/http/transport.ts'
import type { KeyMaker } from '../../harness/keys/key-command.ts'
import { type ExchangeLine, type Line, createLineWriter, rounded } from './lines.ts'
import type { StandIns } from './stand-ins.ts'

/** `hear` gets each line when what it says has ended. */
export function recordingTransport(
  live: RunTransport,
  standIns: StandIns,
  hear: (line: Line) => void,
): RunTransport {
  const { clock } = live
  const beganMs = clock.now()
  const ordinals = new Map<string | undefined, number>()
  const writer = createLineWriter()

  function nextOrdinal(check: string | undefined): number {
    const ordinal = ordinals.get(check) ?? 0
    ordinals.set(check, ordinal + 1)
    return ordinal
  }

  type End = Partial<Pick<Exchange, 'response' | 'timings' | 'reconnected'>> &
    Pick<ExchangeLine, 'left' | 'error'>
  function write(
    request: SentRequest,
    sent: { check: string | undefined; ordinal: number; atMs: number },
    end: End,
  ) {
    const { firstByteMs = 0, totalMs = clock.now() - beganMs - sent.atMs } = end.timings ?? {}
    const timings = { firstByteMs: rounded(firstByteMs), totalMs: rounded(totalMs) }
    const marked = standIns.apply({ startedAtMs: 0, request, response: end.response ?? null, timings })
    const { check, ordinal, atMs } = sent
    hear({
      kind: 'exchange',
      ...(check === undefined ? {} : { check }),
      ordinal,
      atMs: rounded(atMs),
      request: writer.request(marked.request, request.body),
      ...(marked.response === null ? {} : { response: writer.response(marked.response) }),
      timings,
      ...(end.reconnected === true ? { reconnected: true } : {}),
      ...(end.left === true ? { left: true } : {}),
      ...(end.error === undefined ? {} : { error: end.error }),
    })
  }

  /** A timer may be late, and what happens meanwhile may decide what a check does next. */
  async function sleep(ms: number, signal?: AbortSignal, check?: string): Promise<void> {
    const atMs = clock.now() - beganMs
    await clock.sleep(ms, signal)
    const times = { atMs: rounded(atMs), ms: rounded(ms), totalMs: rounded(clock.now() - beganMs - atMs) }
    hear({ kind: 'wait', ...(check === undefined ? {} : { check }), ...times })
  }

  return {
    ...live,
    clock: { ...clock, sleep },
    connect(options) {
      const transport = live.connect(options)
      return {
        async exchange(request, sending) {
          const sent = { check: sending.by, ordinal: nextOrdinal(sending.by), atMs: clock.now() - beganMs }
          const partial = hearing(sending, clock.now)
          try {
            const exchange = await transport.exchange(request, partial.sending)
            write(request, sent, exchange)
            return exchange
          } catch (error) {
            if (error instanceof TransportError) write(request, sent, brokenBy(error))
            else write(request, sent, { ...partial.heard(), left: true })
            throw error
          }
        },
        close: () => transport.close(),
      }
    },
    keys(command) {
      const maker = live.keys(command)
      return maker && recordingKeys(maker)
    },
  }

  function recordingKeys(maker: KeyMaker): KeyMaker {
    async function asked<Result>(
      what: string,
      run: () => Promise<Result>,
      made: (result: Result) => Partial<Line>,
    ): Promise<Result> {
      const atMs = clock.now() - beganMs
      const write = (more: object): void =>
        hear({
          kind: 'key',
          asked: what,
          atMs: rounded(atMs),
          totalMs: rounded(clock.now() - beganMs - atMs),
          ...more,
        })
      try {
        const result = await run()
        write(made(result))
        return result
      } catch (error) {
        write({ error: error instanceof Error ? standIns.text(error.message) : String(error) })
        throw error
      }
    }
    return {
      create: (options) =>
        asked(
          askedToCreate(options),
          () => maker.create(options),
          ({ id, secret }) => ({ made: { id, secret: standIns.keyFor(secret) } }),
        ),
      revoke: (id) =>
        asked(
          `revoke ${id}`,
          () => maker.revoke(id),
          () => ({}),
        ),
      revokeAll: () => maker.revokeAll(),
    }
  }
}

/** The request for a key, as a line has it. */
export const askedToCreate = (options: Parameters<KeyMaker['create']>[0]): string =>
  `create ${JSON.stringify(options ?? {})}`

function brokenBy({ message, isLate, isSilence, received }: TransportError) {
  if (received === undefined) return { error: { message, isLate, isSilence } }
  const { response, timings } = received
  return { response, timings, error: { message, isLate, isSilence, received: true as const } }
}

/** Keeps what comes of an answer that the judge may leave. */
function hearing(sending: Sending, now: () => number) {
  const { listener } = sending
  if (listener === undefined) return { sending, heard: () => ({}) }
  let head: Pick<Exchange['response'], 'status' | 'headers'> | undefined
  let sentMs = now()
  let firstByteMs = 0
  const pieces: { readonly atMs: number; readonly bytes: Uint8Array }[] = []
  const keeping: AnswerListener = {
    async prepared() {
      await listener.prepared?.()
      sentMs = now()
    },
    head(status, headers) {
      head = { status, headers }
      firstByteMs = now() - sentMs
      listener.head(status, headers)
    },
    chunk(bytes) {
      pieces.push({ atMs: now() - sentMs, bytes })
      listener.chunk(bytes)
    },
  }
  return {
    sending: { ...sending, listener: keeping },
    heard() {
      if (head === undefined) return {}
      const chunks = pieces.map(({ atMs, bytes }) => ({ atMs, size: bytes.length }))
      const body = Buffer.concat(pieces.map(({ bytes }) => bytes))
      return {
        response: { ...head, body, chunks, end: 'hung-up' as const },
        timings: { firstByteMs, totalMs: now() - sentMs },
      }
    },
  }
}
