// The lines of `touchstone.bundle/1`, which the bundles of the public record have, as lines of this version: calls and crossings
// were forms of their own. The schema refuses what becomes of a line that is not as it should be.
import { isRecord, listAt } from '../../harness/json-value.ts'
import { CAPTURE_SCHEMA } from './recording-line.ts'

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => (isRecord(value) ? value : {})

/** A request or an answer with the members of its body. */
function withBody(value: unknown): Members {
  const { body, bodyBytes, ...message } = membersOf(value)
  const { text, base64, same, start, bytes = bodyBytes, sha256 } = membersOf(body)
  const own = { body: text ?? start, bodyBase64: base64, bodySame: same }
  return { ...message, ...own, bodyCutFromBytes: bytes, bodySha256: sha256 }
}

/** Returns a function that makes the lines of one. `startedAt` is the beginning of the run. */
export function createLifter(startedAt: string): (line: unknown) => readonly unknown[] {
  const dateAt = (atMs: unknown): string => new Date(Date.parse(startedAt) + Number(atMs)).toISOString()
  const run = { kind: 'run', schema: CAPTURE_SCHEMA, baseUrl: '', startedAt }

  function exchange({ check: by, request, response, error, ...line }: Members): Members {
    const { message, isLate, isSilence, received } = membersOf(error)
    return {
      startedAt: dateAt(line['atMs']),
      timings: { firstByteMs: 0, totalMs: 0 },
      ...(by === undefined ? {} : { by }),
      ...line,
      kind: 'exchange',
      request: withBody(request),
      response: response === undefined ? null : withBody(response),
      ...(error === undefined ? {} : { error: message, received }),
      ...(isLate === true ? { isLate } : {}),
      ...(isSilence === true ? { isSilence } : {}),
    }
  }

  function call(value: unknown, about: Members): Members {
    const { kind, arrivedMs: atMs, request, reply, hungUpMs } = membersOf(value)
    const { pieces, end, firstByteMs, lastByteMs, ...response } = membersOf(reply)
    const after = (ms: unknown): number => Number(ms) - Number(atMs)
    const isWhole = end === 'complete' && hungUpMs === undefined
    const ending = isWhole ? end : end === 'cut' ? 'broken' : 'hung-up'
    const totalMs = after(lastByteMs ?? hungUpMs ?? firstByteMs)
    const last = lastByteMs === undefined ? {} : { lastByteMs: after(lastByteMs) }
    const answered = reply !== undefined && {
      response: { ...response, pieces: [], end: ending },
      timings: { firstByteMs: after(firstByteMs), totalMs },
    }
    const own = { kind, written: answered ? { end, pieces, ...last } : undefined }
    const hungUp = hungUpMs === undefined ? {} : { hungUpMs: after(hungUpMs) }
    return exchange({ hop: 'upstream', ...about, atMs, request, ...answered, call: { ...own, ...hungUp } })
  }

  function crossing(line: Members, name: string): readonly Members[] {
    const { scenario: by, words, sent: body, sentMs: atMs, leftMs, busyMs, held } = line
    const { request, response, timings, error, sentAtMs } = line
    // A client that left before the answer has no request beside its body.
    const left = { method: 'POST', url: '', path: '/v1/chat/completions', headers: [] }
    const about = { name, by }
    const own = {
      hop: 'client',
      ...about,
      atMs,
      startedAt: new Date(Number(sentAtMs)).toISOString(),
      request: { ...left, ...membersOf(request), body },
      response,
      error,
      ...(timings === undefined ? {} : { timings }),
      crossing: { words, held, leftMs, busyMs },
    }
    const calls = [...listAt(line, 'calls'), ...listAt(line, 'strays')]
    return [exchange(own), ...calls.map((one) => call(one, about))]
  }

  let crossings = 0
  return (value) => {
    const { kind, check: by, calls, ...line } = membersOf(value)
    if (kind === 'gateway') return [{ ...run, gateway: line }]
    if (kind === 'delays') return [{ ...run, ...line }]
    if (kind === 'wait') return [{ kind, by, ...line }]
    if (kind === 'exchange') return [exchange({ by, ...line })]
    if (kind === 'crossing') return crossing({ calls, ...line }, String((crossings += 1)))
    if (kind !== 'client') return [value]
    const own = listAt({ calls }, 'calls').map((one) => call(one, { by: line['scenario'] }))
    return [...own, { kind: 'program', ...line }]
  }
}
