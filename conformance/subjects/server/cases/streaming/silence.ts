// No stream is silent for long, so that no client and no proxy takes it for broken (STREAM-14): observed in every stream, by
// the times at which its bytes came, whatever they are.
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { isAnswerable, isEventStream, isToStream } from '../requests/asked.ts'
import { isDone } from './framing.ts'

/** The longest silence, in milliseconds. */
const MOST_MS = 15_000

/** The times at which a stream was heard, from its request to its last byte; to its end if it was cut before `[DONE]`. */
function heardAt(exchange: Exchange): readonly number[] {
  const { response, timings } = exchange
  const isCut = ['timeout', 'broken', 'hung-up'].includes(response.end) && !isDone(exchange)
  return [0, ...response.chunks.map(({ atMs }) => atMs), ...(isCut ? [timings.totalMs] : [])]
}

/** A stream that took longer than a silence may, whose pieces were recorded with their times. */
function tookLong(exchange: Exchange): boolean {
  const { body, chunks } = exchange.response
  if (!isToStream(exchange) || !isEventStream(exchange)) return false
  const isTimed = chunks.length > 0 || body.length === 0
  return isTimed && Math.max(...heardAt(exchange)) > MOST_MS && isAnswerable(exchange)
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const neverSilent: Verifier = (exchange) => {
  const times = heardAt(exchange)
  const silences = times
    .slice(1)
    .map((atMs, place) => ({ fromMs: times[place] ?? 0, ms: atMs - (times[place] ?? 0) }))
  const longest = silences.toSorted((a, b) => b.ms - a.ms)[0]
  if (longest === undefined || longest.ms <= MOST_MS) return undefined
  return {
    expected: `a chunk or a comment at least each ${MOST_MS / 1000} s`,
    actual: `a silence of ${inSeconds(longest.ms)}, from ${inSeconds(longest.fromMs)} after the request`,
  }
}

export const silenceObservers: readonly Observer[] = [
  observe('stream.every-silence', 'STREAM-14', 'the silences of every stream that takes more than 15 s')
    .with({ includesCut: true })
    .on(tookLong)
    .verify(neverSilent),
]
