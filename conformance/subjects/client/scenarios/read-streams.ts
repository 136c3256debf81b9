// Streams in every framing that the event-stream standard allows, and streams that end too early (READ-5, READ-7,
// READ-8).
import {
  ERROR_AND_DONE,
  ROLE,
  begun,
  chunksOf,
  chunksWith,
  dataOf,
  deltasOf,
  recordsOf,
  streamReply,
  streamed,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import {
  type Asked,
  type Piece,
  type Reply,
  inPieces,
  whole,
} from '../../../../harness/scripted-service/scripted-reply.ts'
import { type ClientCheck, type Scenario, check, scenario } from '../scenario.ts'
import { ENDLESS_MS } from '../verify/call-course.ts'
import { printedText, reportedFailure } from '../verify/program-output.ts'
import { boundsReconnects } from './retry-bounds.ts'
import { STREAMED } from './usual-answers.ts'

/** Characters of one to four bytes, and some of several code points. */
export const MANY_BYTES = (words: string): string => `Grüße: ${words} – 東京 👩‍👩‍👧 𝔘, e\u0301!`

/** The bytes of the good answer as a stream; without the usage, so that slow pieces end in time. */
function bytesOf(asked: Asked, includeUsage = asked.includeUsage): Buffer {
  return Buffer.concat(recordsOf(chunksOf({ ...asked, includeUsage })).map(({ bytes }) => bytes))
}

/** Cuts within every character of several bytes, and within a record between them. */
function splitInCharacters(bytes: Buffer): readonly Piece[] {
  const cuts = [...bytes.keys()].filter((at) => at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80)
  return [0, ...cuts].map((from, index) => ({
    bytes: bytes.subarray(from, cuts[index] ?? bytes.length),
    afterMs: index === 0 ? 0 : 15,
  }))
}

/** Differences from the usual framing: the level is lower if only the standard names it. */
type More = Pick<ClientCheck, 'level'> & Pick<Scenario, 'text'>

/** A stream that a program reads as the usual one. */
export function framing(name: string, title: string, more: More = {}) {
  const inPiecesOf = (pieces: (asked: Asked) => readonly Piece[]): Scenario =>
    scenario(`read.framed-${name}`, 'READ-5', `a stream with ${title}`)
      .with({
        beside: [STREAMED],
        requested: { stream: true },
        text: MANY_BYTES,
        ...more,
        script: [streamed((asked) => streamReply(pieces(asked)))],
      })
      .verify((observed, beside) => printedText(observed, beside(STREAMED)))
  return {
    inPieces: inPiecesOf,
    /** A piece for each record, with this text for its data. */
    by: (frame: (data: string, at: number) => string) =>
      inPiecesOf((asked) => dataOf(chunksOf(asked)).flatMap((data, at) => whole(frame(data, at)))),
  }
}

const SHOULD = { level: 'SHOULD' } as const

const framings: readonly Scenario[] = [
  framing('crlf', 'CRLF at the ends of lines').by((data) => `data: ${data}\r\n\r\n`),
  framing('no-space', 'no space after the colon').by((data) => `data:${data}\n\n`),
  framing('comments', 'comments before, between and after records').by(
    (data, at) => `: keep-alive ${at}\n\n:\n\ndata: ${data}\n: within {"error": 1}\n\n`,
  ),
  framing('one-piece', 'all records in one piece').inPieces((asked) => whole(bytesOf(asked))),
  framing('two-pieces', 'records split in the middle').inPieces((asked) => inPieces(bytesOf(asked), 97, 15)),
  framing('split-characters', 'pieces that end within a character').inPieces((asked) =>
    splitInCharacters(bytesOf(asked, false)),
  ),
  framing('one-byte', 'one byte at a time').inPieces((asked) => inPieces(bytesOf(asked, false), 1, 0)),
  framing('split-crlf', 'pieces that end between CR and LF').inPieces((asked) => {
    const halves = dataOf(chunksOf(asked)).flatMap((one) => [`data: ${one}\r`, '\n\r', '\n'])
    return halves.map((half) => ({ bytes: Buffer.from(half), afterMs: 3 }))
  }),
  framing('fields', 'records with `event`, `id` and `retry`', SHOULD).by(
    (data, at) => `event: message\nid: ${at}\nretry: 1000\ndata: ${data}\n\n`,
  ),
  framing('cr', 'CR alone at the ends of lines', SHOULD).by((data) => `data: ${data}\r\r`),
  framing('two-lines', 'a record on two lines of data', SHOULD).by(
    (data) => `data: ${data.replace(/,(?="choices")/, ',\ndata: ')}\n\n`,
  ),
  framing('byte-order-mark', 'a byte order mark before the first record', SHOULD).inPieces((asked) => {
    // Its first record has text: a reader that loses the record shows it.
    const [first = '', ...deltas] = deltasOf(asked.text)
    const texts = deltas.map((content) => ({ content }))
    const chunks = chunksWith(asked, [{ ...ROLE, content: first }, ...texts])
    return [...whole('\uFEFF'), ...recordsOf(chunks)]
  }),
]

/** A stream that fails, which a program reports. */
function failing(
  row: 'READ-7' | 'READ-8',
  name: string,
  title: string,
  pieces: (asked: Asked) => readonly Piece[],
  end: Reply['end'] = 'complete',
): Scenario {
  return {
    name,
    requested: { stream: true },
    script: [streamed((asked) => streamReply(pieces(asked), end))],
    boundMs: ENDLESS_MS,
    checks: [
      check(
        `read.${name}`,
        row,
        title,
        (observed, beside) => reportedFailure(observed, beside(STREAMED), title),
        { beside: [STREAMED] },
      ),
      boundsReconnects(name, title),
    ],
  }
}

const failures: readonly Scenario[] = [
  failing('READ-7', 'error-record', 'an error record in the middle of the text, then `[DONE]`', (asked) => [
    ...begun(asked),
    ...ERROR_AND_DONE,
  ]),
  failing(
    'READ-7',
    'error-record-first',
    'an error record as the first, then `[DONE]`',
    () => ERROR_AND_DONE,
  ),
  failing(
    'READ-7',
    'error-record-behind-text',
    'an error record behind the whole text, then `[DONE]`',
    (asked) => [...recordsOf(chunksOf({ ...asked, includeUsage: false })).slice(0, -2), ...ERROR_AND_DONE],
  ),
  failing('READ-8', 'stream-without-end', 'a stream that ends in the middle of the text', begun),
  failing('READ-8', 'stream-cut', 'a stream whose connection breaks in the middle of the text', begun, 'cut'),
  failing('READ-8', 'stream-empty', 'a stream that ends before its first record', () =>
    whole(': nothing\n\n'),
  ),
]

export const scenarios: readonly Scenario[] = [...framings, ...failures]
