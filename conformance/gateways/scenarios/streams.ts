// Streams whose text, calls and log probabilities must reach the client once and in order (GATE-3), as they arrive (GATE-4),
// with the usage that the client requested (GATE-7) and members that the format does not know (GATE-13).
import { readStream } from '../../../harness/http/event-stream.ts'
import { show } from '../../../harness/verify/json-value.ts'
import {
  chunk,
  chunkHead,
  dataOf,
  deltasOf,
  recordsOf,
  streamReply,
} from '../../clients/scripted-service/answers.ts'
import { type Piece, type Step, inPieces, whole } from '../../clients/scripted-service/reply.ts'
import { tools } from '../../clients/prompts.ts'
import { fail } from '../../runner/outcomes.ts'
import { usageDifference } from '../compare/answers.ts'
import { streamDifference, vendorStreamDifference } from '../compare/streams.ts'
import {
  type Crossing,
  type GatewayCheck,
  type GatewayScenario,
  type RequestBody,
  defineScenario,
} from '../crossing.ts'
import { type Sides, arrived, requireStream, same, succeeded } from '../verify.ts'
import { calls, streamOf, textChunks, twoChoices, withLogprobs } from './stream-chunks.ts'

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

function framed(
  text: string,
  frame: (data: string, index: number) => string,
  cut: (bytes: Buffer) => readonly Piece[] = whole,
): Step {
  return (asked) => {
    return streamReply(cut(Buffer.from(dataOf(textChunks(asked, text)).map(frame).join(''))))
  }
}

function stream(name: string, title: string, step: Step, request: RequestBody = {}): GatewayScenario {
  return defineScenario({
    id: `gate.stream-${name}`,
    requirement: 'GATE-3',
    title: `${title} reaches the client once and in order`,
    verify: streamsUnchanged,
    phase: 'answers',
    request: { stream: true, ...request },
    steps: [step],
  })
}

const plain = (data: string): string => `data: ${data}\n\n`

/** The usage in a stream. */
function usage(
  name: string,
  title: string,
  request: RequestBody,
  verify: GatewayCheck['verify'],
): GatewayScenario {
  return defineScenario({
    id: `gate.usage-${name}`,
    requirement: 'GATE-7',
    title,
    verify,
    phase: 'answers',
    request: { stream: true, ...request },
    steps: [streamOf((asked) => textChunks(asked, asked.text))],
  })
}

const usageArrives: GatewayCheck['verify'] = (crossing) => {
  const { upstream, client } = streamed(crossing)
  same(usageDifference(readStream(upstream).usage ?? undefined, readStream(client).usage), 'at the client')
}

const noUsage: GatewayCheck['verify'] = (crossing) => {
  const counted = readStream(streamed(crossing).client).usage
  if (counted !== undefined) fail('no usage, since the client did not request it', show(counted))
}

/** Waits with each delta until the client has received the one before it. */
const asTheyArrive = defineScenario({
  id: 'gate.stream-as-it-arrives',
  requirement: 'GATE-4',
  title: 'each delta reaches the client before the next one is sent',
  verify(crossing) {
    streamed(crossing)
    const [held] = crossing.held
    if (held !== undefined)
      fail('each delta before the next one', `"${held}" not before the next one was sent`)
  },
  phase: 'answers',
  request: { stream: true },
  script: ({ words, received }) => [
    (asked) => {
      const parts = ['one', 'two', 'three'].map((part) => `${part} of ${words}`)
      const head = chunkHead(asked)
      const records = recordsOf([
        chunk(head, { role: 'assistant', content: '' }),
        ...parts.map((content) => chunk(head, { content })),
        chunk(head, {}, 'stop'),
      ])
      return streamReply(
        records.map(({ bytes }, place): Piece => {
          const before = parts[place - 2]
          return { bytes, afterMs: 0, when: async () => before && received(before) }
        }),
      )
    },
  ],
})

const vendor = defineScenario({
  id: 'gate.vendor-stream',
  name: 'stream-vendor',
  requirement: 'GATE-13',
  title: 'members of deltas that the format does not know reach the client',
  verify(crossing) {
    const { upstream, client } = streamed(crossing)
    same(vendorStreamDifference(upstream, client), 'at the client')
  },
  phase: 'answers',
  request: { stream: true },
  steps: [
    streamOf((asked) => {
      const head = chunkHead(asked)
      return [
        chunk(head, { role: 'assistant', content: '' }),
        ...deltasOf('First I think.').map((reasoning_content) => chunk(head, { reasoning_content })),
        ...deltasOf('Then I say.').map((content) => chunk(head, { content })),
        chunk(head, {}, 'stop'),
      ]
    }),
  ],
})

export const scenarios: readonly GatewayScenario[] = [
  stream(
    'text',
    'a text',
    streamOf((asked) => textChunks(asked, TEXT)),
  ),
  stream(
    'with-usage',
    'a text with usage behind it',
    streamOf((asked) => textChunks(asked, TEXT)),
    {
      stream_options: { include_usage: true },
    },
  ),
  stream(
    'same-delta',
    'the same delta many times',
    streamOf((asked) => {
      const head = chunkHead(asked)
      return [
        chunk(head, { role: 'assistant', content: '' }),
        ...Array.from({ length: 24 }, () => chunk(head, { content: 'ha ' })),
        chunk(head, {}, 'stop'),
      ]
    }),
  ),
  stream(
    'long',
    'a long text',
    streamOf((asked) => textChunks(asked, 'All work and no play. '.repeat(400))),
  ),
  stream(
    'ends-with-length',
    'the finish reason `length`',
    streamOf((asked) => textChunks(asked, asked.text, 'length')),
  ),
  stream(
    'refusal',
    'a refusal',
    streamOf((asked) => {
      const head = chunkHead(asked)
      return [
        chunk(head, { role: 'assistant', content: null, refusal: '' }),
        ...deltasOf('I cannot do that.').map((refusal) => chunk(head, { refusal })),
        chunk(head, {}, 'stop'),
      ]
    }),
  ),
  stream('choices', 'each of two choices', streamOf(twoChoices), { n: 2 }),
  stream('calls', 'the fragments of several calls', streamOf(calls), { tools }),
  stream('logprobs', 'log probabilities', streamOf(withLogprobs), { logprobs: true, top_logprobs: 2 }),
  stream(
    'comments',
    'a text between comments',
    framed(TEXT, (data, index) => `: keep-alive ${index}\n\n:{"choices":[]}\n\ndata: ${data}\n: within\n\n`),
  ),
  stream(
    'crlf',
    'a text with CRLF at the ends of lines',
    framed(TEXT, (data) => `data: ${data}\r\n\r\n`),
  ),
  stream(
    'no-space',
    'a text without a space after the colon',
    framed(TEXT, (data) => `data:${data}\n\n`),
  ),
  stream(
    'fields',
    'a text in records with `event` and `id`',
    framed(TEXT, (data, index) => `event: message\nid: ${index}\ndata: ${data}\n\n`),
  ),
  stream('one-piece', 'a text in one piece', framed(TEXT, plain)),
  stream(
    'split',
    'a text in pieces that end anywhere',
    framed(TEXT, plain, (bytes) => inPieces(bytes, 7, 0)),
  ),
  usage(
    'requested',
    'the usage of a stream, if the client requested it',
    { stream_options: { include_usage: true } },
    usageArrives,
  ),
  usage('not-requested', 'no usage in a stream, if the client did not request it', {}, noUsage),
  usage(
    'declined',
    'no usage in a stream, if the client declined it',
    { stream_options: { include_usage: false } },
    noUsage,
  ),
  asTheyArrive,
  vendor,
]
