// One request of the plan: prepared, sent at its time, read as its bytes arrive, and written down.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Probe } from '../../harness/http/probe.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { at } from '../../harness/json-value.ts'
import type { LatencyPlan, Turn } from './stream-plan.ts'
import type { StreamRecord } from './stream-record.ts'
import type { AnswerReader, ReadAnswer } from './read-stream.ts'
import type { Saturation } from './saturation.ts'

type Measured = Omit<StreamRecord, 'type' | 'conversation' | 'turn'>

export interface StreamRequest {
  readonly plan: LatencyPlan
  readonly probe: Probe
  readonly turn: Turn
  /** The planned time on the clock of `performance.now`: every figure counts from it. */
  readonly dueMs: number
  readonly signal: AbortSignal
  readonly saturation: Saturation
  readonly createReader: (status: number) => AnswerReader
}

/** Timers fire up to a millisecond late, so the last part of a wait is spent in turns of the event loop. */
const TURNS_MS = 1.5

/**
 * Prepares a request, and sends it at its planned time, or at once if that is past. Resolves at any end of its stream,
 * to the measurement and the visible text.
 */
export async function measureStream(request: StreamRequest): Promise<{ record: Measured; text: string }> {
  const { plan, probe, turn, dueMs, signal, saturation, createReader } = request
  const plannedAt = toMicroseconds(performance.timeOrigin + dueMs)
  const body = JSON.stringify({
    model: plan.model,
    messages: turn.messages,
    max_tokens: turn.maxTokens,
    stream: true,
    ...plan.parameters,
    ...(plan.usage ? { stream_options: { include_usage: true } } : {}),
  })
  const since = (): number => toMicroseconds(performance.now() - dueMs)
  const seen = saturation.begin(dueMs)
  let dispatchMs = 0
  let status = 0
  let reader = createReader(status)
  let record: Measured
  let read: ReadAnswer | undefined
  try {
    const listener = {
      async prepared(): Promise<void> {
        await until(dueMs, signal)
        dispatchMs = since()
      },
      head(answered: number): void {
        status = answered
        reader = createReader(answered)
      },
      chunk: (bytes: Uint8Array): void => {
        reader.chunk(bytes, since())
        seen.first()
      },
    }
    const { response } = await probe.send({ path: '/v1/chat/completions', body }, signal, listener)
    read = reader.end()
    const isLate = response.end === 'timeout'
    record = { plannedAt, dispatchMs, status, endMs: since(), ...asRecord(read, isLate) }
  } catch (error) {
    const outputMs = reader.end().outputMs
    const failed = failureOf(error, signal)
    record = { plannedAt, dispatchMs, status, endMs: since(), outputMs, ...failed }
  } finally {
    seen.end()
  }
  return { record, text: read?.text ?? '' }
}

/** Waits until this time of `performance.now`, or until the signal is aborted. */
async function until(dueMs: number, signal: AbortSignal): Promise<void> {
  const wait = dueMs - performance.now() - TURNS_MS
  if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined)
  while (performance.now() < dueMs && !signal.aborted) await turn()
}

function asRecord(
  { outputMs, ttfvMs, failure, detail, usage }: ReadAnswer,
  isLate: boolean,
): Pick<StreamRecord, 'outputMs'> & Partial<StreamRecord> {
  const count = (...path: string[]) => {
    const value = at(usage, ...path)
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  return {
    outputMs,
    ttfvMs,
    // After a timeout the stream is cut by this process, not by the service.
    failure: isLate && failure === 'cut' ? 'timeout' : failure,
    detail: isLate ? undefined : detail,
    promptTokens: count('prompt_tokens'),
    completionTokens: count('completion_tokens'),
    cachedTokens: count('prompt_tokens_details', 'cached_tokens'),
  }
}

function failureOf(error: unknown, signal: AbortSignal): Pick<StreamRecord, 'failure' | 'detail'> {
  if (signal.aborted) return { failure: 'stopped' }
  if (!(error instanceof TransportError)) throw error
  return { failure: error.isLate ? 'timeout' : 'connection', detail: error.message }
}

/** Rounds milliseconds to the microsecond. */
export const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000
