// Reads an event stream from raw bytes: its records in order, and each choice folded to that of a plain answer. It
// accepts every stream that the standard allows, and records without a blank line, so that one fault of framing does
// not look like many. It judges nothing.
import { type ServerSentEvent, createEventStreamParser } from '../../spec/protocol/sse.ts'
import { memoizePer } from '../memoize.ts'
import { type Exchange, text } from './exchange.ts'
import { at, isRecord, listAt, parseJson } from '../json-value.ts'

/** A choice of a streamed answer, folded. */
export type FoldedChoice = ReturnType<typeof foldChoices>[number]

export interface StreamReading {
  /** The body is well-formed UTF-8. */
  readonly wellFormed: boolean
  /** Every event with data, `[DONE]` included, and a last one that was never ended. */
  readonly events: readonly ServerSentEvent[]
  /** The parsed data of each event before the first `[DONE]`, in order; undefined if it is not JSON. */
  readonly records: readonly unknown[]
  /** The records that are objects and no error. A chunk with `error: null` is still a chunk (STREAM-9). */
  readonly chunks: readonly unknown[]
  /** The records with an `error` (ERR-6). */
  readonly errors: readonly unknown[]
  /** The number of `[DONE]` events. */
  readonly doneCount: number
  /** The number of events after the first `[DONE]`. */
  readonly afterDone: number
  /** The text after the last blank line: not empty if the last record has no end. */
  readonly rest: string
  readonly choices: readonly FoldedChoice[]
  /** The `usage` of the last chunk that carried one. */
  readonly usage: unknown
}

const DONE_DATA = '[DONE]'

/** Reads the body of an exchange as an event stream, once for all who look at it. */
export const readStream = memoizePer((exchange: Exchange): StreamReading => {
  const decoded = text(exchange)
  const parser = createEventStreamParser()
  const body = decoded ?? new TextDecoder().decode(exchange.response.body)
  // A CR at the very end is a whole line end: the parser would wait for the LF that may follow.
  const ended = parser.push(body.endsWith('\r') ? `${body}\n` : body)
  const rest = parser.rest()
  const events = [...ended, ...parser.push('\n\n')].flatMap(separate)
  const firstDone = events.findIndex(({ data }) => data === DONE_DATA)
  // Events after the first `[DONE]` do not belong to the answer (STREAM-2).
  const answer = firstDone === -1 ? events : events.slice(0, firstDone)
  const records = answer.map(({ data }) => parseJson(data))
  const isError = (record: unknown): boolean => (at(record, 'error') ?? null) !== null
  const chunks = records.filter((record) => isRecord(record) && !isError(record))
  return {
    wellFormed: decoded !== undefined,
    events,
    records,
    chunks,
    errors: records.filter(isError),
    doneCount: events.filter(({ data }) => data === DONE_DATA).length,
    afterDone: firstDone === -1 ? 0 : events.length - 1 - firstDone,
    rest,
    choices: foldChoices(chunks),
    usage: chunks
      .map((chunk) => at(chunk, 'usage'))
      .findLast((usage) => usage !== undefined && usage !== null),
  }
})

function foldChoices(chunks: readonly unknown[]) {
  return byIndex(chunks.flatMap((chunk) => listAt(chunk, 'choices')))
    .toSorted(([a], [b]) => a - b)
    .map(([index, own]) => {
      const deltas = own.map((piece) => at(piece, 'delta'))
      return {
        index,
        /** Joined `delta.content`; null if no delta has text. */
        content: joined(deltas, 'content'),
        refusal: joined(deltas, 'refusal'),
        /** Every `finish_reason` that was not null, in order. */
        finishReasons: own
          .map((piece) => at(piece, 'finish_reason'))
          .filter((reason) => reason !== null && reason !== undefined),
        toolCalls: foldToolCalls(deltas),
        deltas,
      }
    })
}

/** Groups the pieces by `index`, in the order of first occurrence; pieces without a numeric index are left out. */
function byIndex(pieces: readonly unknown[]): readonly (readonly [index: number, own: readonly unknown[]])[] {
  return [...Map.groupBy(pieces, (piece) => at(piece, 'index'))].flatMap(([index, own]) =>
    typeof index === 'number' ? [[index, own] as const] : [],
  )
}

function joined(deltas: readonly unknown[], name: string): string | null {
  const texts = deltas.map((delta) => at(delta, name)).filter((value) => typeof value === 'string')
  return texts.length === 0 ? null : texts.join('')
}

function foldToolCalls(deltas: readonly unknown[]) {
  return byIndex(deltas.flatMap((delta) => listAt(delta, 'tool_calls'))).map(([index, own]) => {
    const first = <Name extends string>(...path: Name[]): unknown =>
      own.map((fragment) => at(fragment, ...path)).find((value) => value !== undefined && value !== null)
    return {
      index,
      id: first('id'),
      name: first('function', 'name'),
      arguments: own.map((fragment) => at(fragment, 'function', 'arguments') ?? '').join(''),
    }
  })
}

/** Separates records on adjacent lines without a blank line: they are one event of the standard, and several to a reader. */
function separate(event: ServerSentEvent): readonly ServerSentEvent[] {
  const lines = event.data.split('\n')
  if (lines.length === 1) return [event]
  const whole = lines.every((line) => line === DONE_DATA || parseJson(line) !== undefined)
  return whole ? lines.map((data) => ({ data })) : [event]
}
