// The one line of a request: begun when it arrives, written when its answer ends: for a stream, long after its status
// was sent.

/** How an answer ended: whole, because its client left, or with an error, in a stream after its 200. */
export type Ended = 'complete' | 'client_left' | 'failed'

/** The facts about an answer; the generation fills them in. All members exist from the start, for one object shape. */
export class AnswerFacts {
  status = 0
  model: string | undefined
  stream = false
  ended: Ended | undefined
  /** The code of the error that ended it. */
  error: string | undefined
  /** Members of the request that were ignored (LENIENT=on). */
  ignored: readonly string[] | undefined
  /** Tokens of prompt and answer. */
  tokens: number | undefined
  /** Time from the arrival of the request. */
  firstTokenMs: number | undefined
}

/** The trace that a request belongs to. */
export interface Trace {
  /** The header as its client sent it. */
  readonly traceparent: string
  readonly traceId: string
}

/** Milliseconds with two decimal places. */
export function millisecondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 100) / 100
}

/** Version 00 of W3C Trace Context, whose ids are not all zeros; other values are ignored, as the standard demands. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace of the header `traceparent`; undefined if it is absent or not valid. */
export function readTraceparent(header: string | undefined): Trace | undefined {
  if (header === undefined) return undefined
  const [traceparent, traceId] = TRACEPARENT.exec(header) ?? []
  return traceparent === undefined || traceId === undefined ? undefined : { traceparent, traceId }
}
