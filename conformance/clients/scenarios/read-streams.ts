// Streams in every framing that the event-stream standard allows, and streams that end too early (READ-5, READ-7,
// READ-8).
import type { Level, RequirementId } from '../../../spec/catalogue/requirements.ts'
import {
  ERROR_AND_DONE,
  begun,
  chunk,
  chunkHead,
  chunksOf,
  dataOf,
  deltasOf,
  recordsOf,
  streamReply,
  streamed,
} from '../scripted-service/answers.ts'
import { type Asked, type Piece, type Reply, inPieces, whole } from '../scripted-service/reply.ts'
import { type Scenario, withOneCheck } from '../scenario.ts'
import { printedText, reportedFailure } from '../verify/program.ts'
import { STREAMED } from './plain.ts'

/** Characters of one to four bytes, and some of several code points. */
const MANY_BYTES = (words: string): string => `Grüße: ${words} – 東京 👩‍👩‍👧 𝔘, e\u0301!`

/** A stream of the good answer; a function frames the data of each record. */
function framed(asked: Asked, frame: (data: string, at: number) => string): Reply {
  return streamReply(dataOf(chunksOf(asked)).flatMap((one, at) => whole(frame(one, at))))
}

function bytesOf(asked: Asked): Buffer {
  return Buffer.concat(recordsOf(chunksOf(asked)).map(({ bytes }) => bytes))
}

/** Cuts within every character of several bytes, and within a record between them. */
function splitInCharacters(bytes: Buffer): readonly Piece[] {
  const cuts = [...bytes.keys()].filter((at) => at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80)
  return [0, ...cuts].map((from, index) => ({
    bytes: bytes.subarray(from, cuts[index] ?? bytes.length),
    afterMs: index === 0 ? 0 : 15,
  }))
}

interface Framing {
  readonly name: string
  readonly title: string
  /** Set if the row does not name it: only the standard does. */
  readonly level?: Level
  readonly stream: (asked: Asked) => Reply
}

const FRAMINGS: readonly Framing[] = [
  {
    name: 'crlf',
    title: 'CRLF at the ends of lines',
    stream: (asked) => framed(asked, (data) => `data: ${data}\r\n\r\n`),
  },
  {
    name: 'no-space',
    title: 'no space after the colon',
    stream: (asked) => framed(asked, (data) => `data:${data}\n\n`),
  },
  {
    name: 'comments',
    title: 'comments before, between and after records',
    stream: (asked) =>
      framed(asked, (data, at) => `: keep-alive ${at}\n\n:\n\ndata: ${data}\n: within {"error": 1}\n\n`),
  },
  {
    name: 'one-piece',
    title: 'all records in one piece',
    stream: (asked) => streamReply(whole(bytesOf(asked))),
  },
  {
    name: 'two-pieces',
    title: 'records split in the middle',
    stream: (asked) => streamReply(inPieces(bytesOf(asked), 97, 15)),
  },
  {
    name: 'split-characters',
    title: 'pieces that end within a character',
    stream: (asked) => streamReply(splitInCharacters(bytesOf({ ...asked, includeUsage: false }))),
  },
  {
    name: 'one-byte',
    title: 'one byte at a time',
    stream: (asked) => streamReply(inPieces(bytesOf({ ...asked, includeUsage: false }), 1, 0)),
  },
  {
    name: 'split-crlf',
    title: 'pieces that end between CR and LF',
    stream: (asked) => {
      const halves = dataOf(chunksOf(asked)).flatMap((one) => [`data: ${one}\r`, '\n\r', '\n'])
      return streamReply(halves.map((half) => ({ bytes: Buffer.from(half), afterMs: 3 })))
    },
  },
  {
    name: 'fields',
    title: 'records with `event`, `id` and `retry`',
    level: 'SHOULD',
    stream: (asked) =>
      framed(asked, (data, at) => `event: message\nid: ${at}\nretry: 1000\ndata: ${data}\n\n`),
  },
  {
    name: 'cr',
    title: 'CR alone at the ends of lines',
    level: 'SHOULD',
    stream: (asked) => framed(asked, (data) => `data: ${data}\r\r`),
  },
  {
    name: 'two-lines',
    title: 'a record on two lines of data',
    level: 'SHOULD',
    stream: (asked) => framed(asked, (data) => `data: ${data.replace(/,(?="choices")/, ',\ndata: ')}\n\n`),
  },
  {
    name: 'byte-order-mark',
    title: 'a byte order mark before the first record',
    level: 'SHOULD',
    stream: (asked) => {
      // Its first record has text: a reader that loses the record shows it.
      const [first = '', ...deltas] = deltasOf(asked.text)
      const head = chunkHead(asked)
      const records = recordsOf([
        chunk(head, { role: 'assistant', content: first }),
        ...deltas.map((content) => chunk(head, { content })),
        chunk(head, {}, 'stop'),
      ])
      return streamReply([...whole('\uFEFF'), ...records])
    },
  },
]

const framings = FRAMINGS.map(({ name, title, level, stream }) =>
  withOneCheck({
    id: `read.framed-${name}`,
    requirement: 'READ-5',
    title: `a stream with ${title}`,
    ...(level === undefined ? {} : { level }),
    beside: [STREAMED],
    verify: (observed, beside) => printedText(observed, beside(STREAMED)),
    requested: { stream: true },
    text: MANY_BYTES,
    script: [streamed(stream)],
  }),
)

function failing(
  requirement: RequirementId,
  name: string,
  title: string,
  pieces: (asked: Asked) => readonly Piece[],
  end: Reply['end'] = 'complete',
): Scenario {
  return withOneCheck({
    id: `read.${name}`,
    requirement,
    title,
    beside: [STREAMED],
    verify: (observed, beside) => reportedFailure(observed, beside(STREAMED), title),
    requested: { stream: true },
    script: [streamed((asked) => streamReply(pieces(asked), end))],
  })
}

const failures = [
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
