// Records every exchange, key and wait of a live run, with its time.
import type { ConformanceOptions } from '../contract/settings.ts'
import { type RunTransport, live } from '../contract/transport.ts'
import type { Exchange, SentRequest } from '../../harness/http/exchange.ts'
import type { AnswerListener } from '../../harness/http/send-once.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { Sending } from '../../harness/http/transport.ts'
import type { KeyMaker } from '../../harness/keys/key-command.ts'
import { rounded } from '../exchanges/line-codec.ts'
import type { RecordedExchange } from '../exchanges/recorded-exchange.ts'
import type { KeyLine } from '../exchanges/recording-line.ts'
import { type RunRecorder, createRunRecorder } from './record-run.ts'

/** Records a run of a server through its transport. */
export function createServerRecorder(options: ConformanceOptions) {
  const recorder = createRunRecorder('server', options)
  return { transport: recordingTransport(live, recorder), bundle: recorder.bundle }
}

type Recorder = Pick<RunRecorder, 'standIns' | 'record' | 'exchange'>

/** The recorder gets each line when what it says has ended. */
function recordingTransport(live: RunTransport, recorder: Recorder): RunTransport {
  const { clock } = live
  const { standIns } = recorder
  const [beganMs, beganAtMs] = [clock.now(), clock.date()]
  const ordinals = new Map<string | undefined, number>()

  function nextOrdinal(check: string | undefined): number {
    const ordinal = ordinals.get(check) ?? 0
    ordinals.set(check, ordinal + 1)
    return ordinal
  }

  type End = Partial<
    Pick<
      RecordedExchange,
      'response' | 'timings' | 'reconnected' | 'left' | 'error' | 'isLate' | 'isSilence' | 'received'
    >
  >
  function write(
    request: SentRequest,
    { check, ordinal, atMs }: { check: string | undefined; ordinal: number; atMs: number },
    { response = null, timings, ...end }: End,
  ) {
    recorder.exchange({
      ...(check === undefined ? {} : { by: check }),
      ordinal,
      atMs: rounded(atMs),
      startedAtMs: beganAtMs + atMs,
      request,
      response,
      timings: timings ?? { firstByteMs: 0, totalMs: clock.now() - beganMs - atMs },
      ...end,
    })
  }

  /** A timer may be late, and what happens meanwhile may decide what a check does next. */
  async function sleep(ms: number, signal?: AbortSignal, check?: string): Promise<void> {
    const atMs = clock.now() - beganMs
    await clock.sleep(ms, signal)
    const times = { atMs: rounded(atMs), ms: rounded(ms), totalMs: rounded(clock.now() - beganMs - atMs) }
    recorder.record({ kind: 'wait', ...(check === undefined ? {} : { by: check }), ...times })
  }

  return {
    ...live,
    clock: { ...clock, sleep },
    connect(options) {
      const transport = live.connect(options)
      return {
        async exchange(request, sending) {
          const sent = { check: sending.by, ordinal: nextOrdinal(sending.by), atMs: clock.now() - beganMs }
          const partial = keeping(sending, clock.now)
          try {
            const exchange = await transport.exchange(request, partial.sending)
            const { response, timings, reconnected } = exchange
            write(request, sent, { response, timings, ...(reconnected && { reconnected }) })
            return exchange
          } catch (error) {
            if (error instanceof TransportError) write(request, sent, brokenBy(error))
            else write(request, sent, { ...partial.kept(), left: true })
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
      made: (result: Result) => Partial<KeyLine>,
    ): Promise<Result> {
      const atMs = clock.now() - beganMs
      const write = (more: object): void =>
        recorder.record({
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

function brokenBy({ message: error, isLate, isSilence, received }: TransportError) {
  const why = { error, ...(isLate && { isLate }), ...(isSilence && { isSilence }) }
  if (received === undefined) return why
  return { ...why, response: received.response, timings: received.timings, received: true as const }
}

/** Keeps what comes of an answer that the judge may leave. */
function keeping(sending: Sending, now: () => number) {
  const { listener } = sending
  if (listener === undefined) return { sending, kept: () => ({}) }
  let head: Pick<Exchange['response'], 'status' | 'headers'> | undefined
  let sentMs = now()
  let firstByteMs = 0
  const pieces: { readonly atMs: number; readonly bytes: Uint8Array }[] = []
  const keeper: AnswerListener = {
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
    sending: { ...sending, listener: keeper },
    kept() {
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
