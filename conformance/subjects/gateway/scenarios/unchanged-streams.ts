// Streams whose text, calls and log probabilities must reach the client once and in order (GATE-3), as they arrive (GATE-4),
// with the usage that the client requested (GATE-7).
import { readStream } from '../../../../harness/http/event-stream.ts'
import { type Exchange, isCut } from '../../../../harness/http/exchange.ts'
import { show } from '../../../../harness/json-value.ts'
import {
  type Members,
  ROLE,
  chunksWith,
  dataOf,
  deltasOf,
  recordsOf,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import {
  type Asked,
  type Piece,
  type Step,
  inPieces,
  whole,
} from '../../../../harness/scripted-service/scripted-reply.ts'
import { tools } from '../../../../harness/scripted-service/prompt-words.ts'
import { Inconclusive, fail } from '../../../contract/outcome.ts'
import { usageDifference } from '../compare/answer-difference.ts'
import { streamDifference } from '../compare/stream-difference.ts'
import {
  type Crossing,
  type GatewayCheck,
  type GatewayScenario,
  type RequestBody,
  type ScenarioMembers,
  scenario,
} from '../crossing.ts'
import { createReceivedText } from '../received-text.ts'
import { type Sides, arrived, requireStream, same, succeeded } from '../crossing-sides.ts'
import { calls, wholeCall, streamOf, textChunks, twoChoices, withLogprobs } from './stream-chunks.ts'

/** The pause between segments, in milliseconds, and how many bytes within characters there are for each cut. */
const SEGMENT_MS = 15
const CUT_EACH = 3

/** The deltas of a long stream: one a second in the usual one. */
const LONG_DELTAS = 90

const TEXT = 'Zoë, 東京 👩‍👩‍👧 𝔘 \r\n\t "q" \\n <b>&amp;</b> data: [DONE] \u2028 e\u0301 '

/** GATE-3 for one crossing. */
export function streamsUnchanged(crossing: Crossing): void {
  requireStream(crossing)
  const { upstream, client } = arrived(crossing)
  same(streamDifference(upstream, client), 'at the client')
}

/** Both sides of a stream, for the other rows. */
function streamed(crossing: Crossing): Sides {
  requireStream(crossing)
  return succeeded(crossing)
}

/** A scenario of a stream. */
export function stream(name: string, title: string, request: RequestBody = {}) {
  const scenarioWith = (members: Omit<ScenarioMembers, 'phase'>): GatewayScenario =>
    scenario(`gate.stream-${name}`, 'GATE-3', `${title} reaches the client once and in order`)
      .with({
        phase: 'answers',
        request: { stream: true, ...request },
        ...members,
      })
      .verify(streamsUnchanged)
  const answered = (step: Step): GatewayScenario => scenarioWith({ steps: [step] })
  return {
    with: scenarioWith,
    by: answered,
    of: (chunks: (asked: Asked) => readonly Members[]) => answered(streamOf(chunks)),
    /** `TEXT` with this text for each record, cut into pieces. */
    framed: (
      frame: (data: string, index: number) => string,
      cut: (bytes: Buffer) => readonly Piece[] = whole,
    ) =>
      answered((asked) => {
        const records = dataOf(textChunks(asked, TEXT)).map(frame)
        return streamReply(cut(Buffer.from(records.join(''))))
      }),
  }
}

const REQUESTED = { stream_options: { include_usage: true } } as const
const DECLINED = { stream_options: { include_usage: false } } as const

const plain = (data: string): string => `data: ${data}\n\n`

/** The usage in a stream. */
function usage(
  name: string,
  title: string,
  request: RequestBody,
  verify: GatewayCheck['verify'],
): GatewayScenario {
  return scenario(`gate.usage-${name}`, 'GATE-7', title)
    .with({
      phase: 'answers',
      request: { stream: true, ...request },
      steps: [streamOf((asked) => textChunks(asked, asked.text))],
    })
    .verify(verify)
}

const usageArrives: GatewayCheck['verify'] = (crossing) => {
  const { upstream, client } = streamed(crossing)
  same(usageDifference(readStream(upstream).usage ?? undefined, readStream(client).usage), 'at the client')
}

const noUsage: GatewayCheck['verify'] = (crossing) => {
  const counted = readStream(streamed(crossing).client).usage
  if (counted !== undefined) fail('no usage, since the client did not request it', show(counted))
}

/** A text as long as `size`, in deltas of one line each. */
function longLine(asked: Asked, size: number): readonly Members[] {
  return chunksWith(asked, [ROLE, { content: 'All work, 東京. '.repeat(size / 18) }, { content: 'The end.' }])
}

/** Cuts the bytes within characters. The pause lets each piece leave in a segment of its own. */
function withinCharacters(bytes: Buffer): readonly Piece[] {
  const inside = [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80)
  const cuts = inside.filter((_, place) => place % CUT_EACH === 0)
  return [0, ...cuts].map((from, place) => ({
    bytes: bytes.subarray(from, cuts[place]),
    afterMs: place === 0 ? 0 : SEGMENT_MS,
  }))
}

/** A slow text that outlasts time limits of whole answers. */
const long = stream('of-minutes', 'a text that takes long', {}).with({
  isSlow: true,
  isLong: true,
  script: ({ longStreamMs }) => [
    (asked) => {
      const deltas = Array.from({ length: LONG_DELTAS }, (_, place) => ({ content: `Delta ${place}. ` }))
      return streamReply(recordsOf(chunksWith(asked, [ROLE, ...deltas]), longStreamMs / LONG_DELTAS))
    },
  ],
})

/**
 * Waits with each delta until the client has received the one before it; `deltaOf` makes a delta of a part. Whether such a
 * delta arrives at all may be judged by another row (`arrivalIsJudgedElsewhere`).
 */
function asItArrives(
  [id, title]: readonly [id: string, title: string],
  request: RequestBody,
  first: readonly Members[],
  deltaOf: (part: string) => Members,
  arrivalIsJudgedElsewhere = false,
): GatewayScenario {
  return scenario(id, 'GATE-4', title)
    .with({
      phase: 'answers',
      request: { stream: true, ...request },
      script: ({ words, received }) => [
        (asked) => {
          const parts = ['one', 'two', 'three'].map((part) => `${part} of ${words}`)
          const chunks = chunksWith(
            asked,
            [...first, ...parts.map(deltaOf)],
            'tools' in request ? 'tool_calls' : 'stop',
          )
          return streamReply(
            recordsOf(chunks).map(({ bytes }, place): Piece => {
              const before = parts[place - first.length - 1]
              return { bytes, afterMs: 0, when: async () => before && received(before) }
            }),
          )
        },
      ],
    })
    .verify((crossing) => {
      const { client } = streamed(crossing)
      const [held] = crossing.held
      if (held === undefined) return
      if (arrivalIsJudgedElsewhere && !isCut(client) && !arrivesAtLast(client, held))
        throw new Inconclusive(`"${held}" did not arrive at all, which another row judges`)
      fail('each delta before the next one', `"${held}" not before the next one was sent`)
    })
}

/** Whether a stream has a text when it has ended, however its deltas are split. */
function arrivesAtLast({ response }: Exchange, wanted: string): boolean {
  const received = createReceivedText()
  received.add(response.body)
  return received.text().includes(wanted)
}

const asTheyArrive = [
  asItArrives(
    ['gate.stream-as-it-arrives', 'each delta reaches the client before the next one is sent'],
    {},
    [ROLE],
    (content) => ({ content }),
  ),
  asItArrives(
    ['gate.calls-as-they-arrive', 'each fragment of a call reaches the client before the next one is sent'],
    { tools },
    wholeCall(''),
    (part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
    true,
  ),
  asItArrives(
    ['gate.thoughts-as-they-arrive', 'each delta of thoughts reaches the client before the next one is sent'],
    {},
    [ROLE],
    (reasoning_content) => ({ reasoning_content }),
    true,
  ),
]

export const scenarios: readonly GatewayScenario[] = [
  stream('text', 'a text').of((asked) => textChunks(asked, TEXT)),
  stream('with-usage', 'a text with usage behind it', REQUESTED).of((asked) => textChunks(asked, TEXT)),
  stream('same-delta', 'the same delta many times').of((asked) =>
    chunksWith(asked, [ROLE, ...Array.from({ length: 24 }, () => ({ content: 'ha ' }))]),
  ),
  stream('long', 'a long text').of((asked) => textChunks(asked, 'All work and no play. '.repeat(400))),
  stream('ends-with-length', 'the finish reason `length`').of((asked) =>
    textChunks(asked, asked.text, 'length'),
  ),
  stream('refusal', 'a refusal').of((asked) =>
    chunksWith(asked, [
      { ...ROLE, content: null, refusal: '' },
      ...deltasOf('I cannot do that.').map((refusal) => ({ refusal })),
    ]),
  ),
  stream('choices', 'each of two choices', { n: 2 }).of(twoChoices),
  stream('calls', 'the fragments of several calls', { tools }).of((asked) => calls(asked)),
  stream('logprobs', 'log probabilities', { logprobs: true, top_logprobs: 2 }).of(withLogprobs),
  stream('comments', 'a text between comments').framed(
    (data, index) => `: keep-alive ${index}\n\n:{"choices":[]}\n\ndata: ${data}\n: within\n\n`,
  ),
  stream('crlf', 'a text with CRLF at the ends of lines').framed((data) => `data: ${data}\r\n\r\n`),
  stream('no-space', 'a text without a space after the colon').framed((data) => `data:${data}\n\n`),
  stream('fields', 'a text in records with `event` and `id`').framed(
    (data, index) => `event: message\nid: ${index}\ndata: ${data}\n\n`,
  ),
  stream('one-piece', 'a text in one piece').framed(plain),
  stream('split', 'a text in pieces that end anywhere').framed(plain, (bytes) => inPieces(bytes, 7, 0)),
  usage('requested', 'the usage of a stream, if the client requested it', REQUESTED, usageArrives),
  usage('not-requested', 'no usage in a stream, if the client did not request it', {}, noUsage),
  usage('declined', 'no usage in a stream, if the client declined it', DECLINED, noUsage),
  ...asTheyArrive,
  stream('line-of-70-kb', 'a line of 70 KB', {}).of((asked) => longLine(asked, 70_000)),
  stream('line-of-1-mb', 'a line of 1 MB', {}).of((asked) => longLine(asked, 1_000_000)),
  stream('long-fragment', 'a fragment of 200 KB of a call', { tools }).of((asked) =>
    chunksWith(asked, wholeCall(`{"city":"${'Tromsø '.repeat(25_000)}"}`), 'tool_calls'),
  ),
  stream('within-characters', 'a text whose segments end within characters', {}).framed(
    plain,
    withinCharacters,
  ),
  stream('call-within-characters', 'a call whose segments end within characters', { tools }).by((asked) =>
    streamReply(
      withinCharacters(
        Buffer.from(
          dataOf(chunksWith(asked, wholeCall(`{"city":${JSON.stringify(TEXT)}}`), 'tool_calls'))
            .map(plain)
            .join(''),
        ),
      ),
    ),
  ),
  stream('cut-calls', 'calls that end with `length`', { tools }).of((asked) => calls(asked, 'length')),
  stream('cut-call-by-filter', 'calls that end with `content_filter`', { tools }).of((asked) =>
    calls(asked, 'content_filter'),
  ),
  long,
]
