// The answer of a script to one request: plain data, so that the duration of a scenario can be computed from the script.
import type { Coding } from '../http/content-coding.ts'
import { at } from '../json-value.ts'

/** A piece of a body, and the time between the piece before it and this one, in milliseconds. */
export interface Piece {
  readonly bytes: Uint8Array
  readonly afterMs: number
  /** Waited for before the piece is sent, in addition. */
  readonly when?: () => Promise<unknown>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: readonly Piece[]
  /** The statuses of interim answers before it. Default: none. */
  readonly interim?: readonly (102 | 103)[]
  /** The content coding of the body, whose pieces are given without it. Default: none. */
  readonly coding?: Coding | undefined
  /**
   * `complete`: as HTTP frames it; `cut`: the connection breaks after the last piece; `endless`: the last piece is
   * repeated until the client closes the connection; `stalled`: nothing follows the last piece, and the connection stays
   * open; `silent`: no status is sent; `reset`: the connection breaks without a status.
   */
  readonly end: 'complete' | 'cut' | 'endless' | 'stalled' | 'silent' | 'reset'
}

/** The kind of request, and the contents of the answer. */
export interface Asked {
  readonly model: string
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly tools: boolean
  /** The content codings that the client accepts. */
  readonly codings: readonly Coding[]
  /** The id of the answer, and of every chunk of it. */
  readonly id: string
  /** The text of a good answer. */
  readonly text: string
  /** The address of another host, with the path of the scenario, without a slash at its end. */
  readonly elsewhere: string
}

/** The kind of a request, by its body. */
export function askedIn(body: unknown): Pick<Asked, 'stream' | 'includeUsage' | 'tools'> {
  return {
    stream: at(body, 'stream') === true,
    includeUsage: at(body, 'stream_options', 'include_usage') === true,
    tools: Array.isArray(at(body, 'tools')),
  }
}

/** The plain request by which a script is described and its duration computed. */
export const PLAIN_REQUEST: Asked = {
  model: '',
  stream: false,
  includeUsage: false,
  tools: false,
  codings: [],
  id: '',
  text: '',
  elsewhere: 'http://another-host',
}

/** The answer in the first of these codings that the client accepts, or uncoded if it accepts none. */
export function encoded(step: Step, ...preferred: readonly Coding[]): Step {
  return (asked) => ({ ...step(asked), coding: preferred.find((coding) => asked.codings.includes(coding)) })
}

/** One answer of a script; the last one answers every further request. */
export type Step = (asked: Asked) => Reply

/** No answer: the connection stays open, or breaks. */
export const silent: Step = () => ({ status: 200, headers: {}, pieces: [], end: 'silent' })
export const reset: Step = () => ({ status: 200, headers: {}, pieces: [], end: 'reset' })

/** Returns bytes as one piece. */
export function whole(bytes: Uint8Array | string): readonly Piece[] {
  return [{ bytes: Buffer.from(bytes), afterMs: 0 }]
}

/** The bytes in pieces of `size`, each `afterMs` after the one before it. */
export function inPieces(bytes: Uint8Array | string, size: number, afterMs: number): readonly Piece[] {
  const all = Buffer.from(bytes)
  const count = Math.max(1, Math.ceil(all.length / size))
  return Array.from({ length: count }, (_, at) => ({
    bytes: all.subarray(at * size, (at + 1) * size),
    afterMs: at === 0 ? 0 : afterMs,
  }))
}
