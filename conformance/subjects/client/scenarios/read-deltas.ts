// Streams whose records hold long lines, escapes, deltas that are empty or equal, or a text that looks like the framing
// around it (READ-5); escapes in a plain answer (READ-13).
import {
  type Members,
  ROLE,
  answer,
  chunkHead,
  chunk,
  chunksOf,
  chunksWith,
  completion,
  dataOf,
  deltasOf,
  bodyReply,
  plain,
  recordsOf,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Asked, whole } from '../../../../harness/scripted-service/scripted-reply.ts'
import { everyHardText } from '../../../generate/hard-values.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { printedText } from '../verify/program-output.ts'
import { MANY_BYTES, framing } from './read-streams.ts'
import { PLAIN } from './usual-answers.ts'

/** The bytes of the texts of lines. The longest line has, with the members around its text, less than 1 MB. */
const [KIB_8, KIB_64, MB_1] = [8 * 1024, 64 * 1024, 999_000]

/** A text of this length. */
const ofLength =
  (bytes: number) =>
  (words: string): string =>
    `${words}, `.repeat(Math.ceil(bytes / words.length)).slice(0, bytes - 1) + '.'

/** The chunks of these texts. */
const withTexts = (asked: Asked, texts: readonly string[]): readonly Members[] =>
  chunksWith(asked, [ROLE, ...texts.map((content) => ({ content }))])

/** JSON in ASCII. */
const escaped = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const HARD = (words: string): string => `${words}: ${everyHardText}.`

/** The records of the frame are a text here; between the bars is what a delta has. */
const FRAMES = (words: string): string =>
  `${words}|[DONE]|data: [DONE]\n\n|data: [DONE]\r\n\r\n|\n\n|: ${words}\n|event: error\r\n|${words}`

const streams: readonly Scenario[] = [
  framing('lines-64-kib', 'lines of 8 and 64 KiB', { text: ofLength(KIB_8 + KIB_64) }).inPieces((asked) =>
    recordsOf(withTexts(asked, [asked.text.slice(0, KIB_8), asked.text.slice(KIB_8)])),
  ),
  framing('line-1-mb', 'a line of 1 MB', { text: ofLength(MB_1) }).inPieces((asked) =>
    recordsOf(withTexts(asked, [asked.text])),
  ),
  framing('escapes', '`\\u` escapes, also of surrogates').inPieces((asked) =>
    dataOf(chunksOf(asked)).flatMap((data) => whole(`data: ${escaped(data)}\n\n`)),
  ),
  framing('line-separators', 'U+2028, U+2029 and U+0085 within lines, as they are', {
    text: (words) => `${words}\u2028one\u2029two\u0085three ${words}`,
  }).inPieces((asked) => recordsOf(chunksOf(asked))),
  framing('hard-text', 'every character that programs often change', { text: HARD }).inPieces((asked) =>
    recordsOf(withTexts(asked, asked.text.match(/.{1,40}/gsu) ?? [])),
  ),
  framing('empty-deltas', 'empty deltas between the others').inPieces((asked) => {
    const head = chunkHead(asked)
    const nothing = [chunk(head, { content: '' }), chunk(head, {})]
    const [role = {}, ...rest] = chunksOf({ ...asked, includeUsage: false })
    return recordsOf([role, ...rest.flatMap((one) => nothing.concat(one))])
  }),
  framing('short', 'the role beside the first text, and the finish reason beside the last').inPieces(
    (asked) => {
      const head = chunkHead(asked)
      const [first = '', ...others] = deltasOf(asked.text)
      const last = others.pop()
      return recordsOf([
        chunk(head, { role: 'assistant', content: first }),
        ...others.map((content) => chunk(head, { content })),
        chunk(head, { content: last }, 'stop'),
      ])
    },
  ),
  framing('equal-deltas', 'equal deltas in a row', {
    text: (words) => `${words}: ha ha ha, 1000, (()), --- and\n\n\n${words}`,
  }).inPieces((asked) => recordsOf(withTexts(asked, asked.text.match(/ha |./gsu) ?? []))),
  framing('done-in-text', 'a text in which `[DONE]` and ends of records are', {
    text: FRAMES,
  }).inPieces((asked) => recordsOf(withTexts(asked, asked.text.split(/(\|)/)))),
]

const plainEscapes = scenario('read.plain-escapes', 'READ-13', 'a plain answer with `\\u` escapes')
  .with({
    beside: [PLAIN],
    requested: { stream: false },
    text: MANY_BYTES,
    script: [
      plain((asked) => bodyReply(200, 'application/json', escaped(JSON.stringify(completion(asked))))),
    ],
  })
  .verify((observed, beside) => printedText(observed, beside(PLAIN)))

const plainHard = scenario(
  'read.plain-hard-text',
  'READ-13',
  'a plain answer of characters that are often changed',
)
  .with({ beside: [PLAIN], requested: { stream: false }, text: HARD, script: [answer] })
  .verify((observed, beside) => printedText(observed, beside(PLAIN)))

export const scenarios: readonly Scenario[] = [...streams, plainEscapes, plainHard]
