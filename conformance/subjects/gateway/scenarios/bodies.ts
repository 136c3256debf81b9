// Bodies that must cross whole (GATE-14): several MB in both directions, and answers that the upstream compressed because
// the gateway requested it.
import { type Exchange, header, headerValues, isCut, json } from '../../../../harness/http/exchange.ts'
import { readStream } from '../../../../harness/http/event-stream.ts'
import { at, listAt } from '../../../../harness/json-value.ts'
import type { Coding } from '../../../../harness/http/content-coding.ts'
import {
  chunk,
  chunkHead,
  answer as good,
  streamReply,
  recordsOf,
  ROLE,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Step, encoded } from '../../../../harness/scripted-service/scripted-reply.ts'
import { Inconclusive, fail } from '../../../contract/outcome.ts'
import { type GatewayCheck, type GatewayScenario, type ScenarioMembers, scenario } from '../crossing.ts'
import { arrived, bodyAt, refuseIfNamed, requireEncoded, requireStream, said } from '../crossing-sides.ts'
import { answering } from './unchanged-answers.ts'

/** The size of a request with images, and of a long answer, in bytes. */
const SEVERAL_MB = 5 * 1024 * 1024

function body(
  name: string,
  title: string,
  members: Omit<ScenarioMembers, 'phase'>,
  verify: GatewayCheck['verify'],
): GatewayScenario {
  return scenario(`gate.body-${name}`, 'GATE-14', title)
    .with({ phase: 'bodies', ...members })
    .verify(verify)
}

/** The share of a text that arrives even if a delta of it is lost. */
const NEARLY_ALL = 0.9

const image = `data:image/png;base64,${Buffer.alloc((SEVERAL_MB / 4) * 3, '\x89PNG\r\n', 'latin1').toString('base64')}`
const longText = 'All work and no play. '.repeat(SEVERAL_MB / 22)

/** The number of deltas of a large stream. */
const DELTAS = 800

/** A large stream in lines of a usual length. */
const largeStream: Step = (asked) => {
  const head = chunkHead(asked)
  const texts = Array.from(
    { length: DELTAS },
    (_, place) => `${place} ${longText.slice(0, SEVERAL_MB / DELTAS)}`,
  )
  const deltas = texts.map((content) => chunk(head, { content }))
  return streamReply(recordsOf([chunk(head, ROLE), ...deltas, chunk(head, {}, 'stop')], 0))
}

/** Nearly the whole text of an answer: other rows judge each character of it. */
const wholeText: GatewayCheck['verify'] = (crossing) => {
  const isStreamed = crossing.sent['stream'] === true
  if (isStreamed) requireStream(crossing)
  const { upstream, client } = arrived(crossing)
  const lengthOf = (exchange: Exchange): number =>
    String(
      (isStreamed
        ? readStream(exchange).choices[0]?.content
        : at(json(exchange), 'choices', 0, 'message', 'content')) ?? '',
    ).length
  const [sent, came] = [lengthOf(upstream), lengthOf(client)]
  if (came < NEARLY_ALL * sent || isCut(client))
    fail(`the text of ${sent} characters`, `${came} characters: ${said(crossing)}`)
}

/** The whole image of a request. Whether a part arrives at all is judged by GATE-1. */
const wholeImage: GatewayCheck['verify'] = (crossing) => {
  const [call] = crossing.calls
  if (call === undefined) {
    refuseIfNamed(crossing)
    return fail('the request at the upstream', said(crossing))
  }
  const parts = listAt(bodyAt(call), 'messages').flatMap((message) => listAt(message, 'content'))
  const url = parts.map((part) => at(part, 'image_url', 'url')).find((one) => one !== undefined)
  if (url === undefined && bodyAt(call) !== undefined)
    throw new Inconclusive('no image reached the upstream, which GATE-1 judges')
  if (url !== image)
    fail(`an image of ${image.length} characters`, `${String(url ?? '').length} characters at the upstream`)
}

/** Judges an answer that the upstream has encoded. */
const encodedText: GatewayCheck['verify'] = (crossing, facts) => {
  requireEncoded(crossing)
  const { answer } = crossing
  const left = answer && header(answer, 'content-encoding')
  const accepted = answer ? headerValues(answer.request.headers, 'accept-encoding').join() : ''
  if (left !== undefined && !accepted.includes(left))
    fail(`a body without content coding, since the client accepts ${accepted}`, `Content-Encoding: ${left}`)
  wholeText(crossing, facts)
}

function compressed(
  name: string,
  what: string,
  step: Step,
  members: Omit<ScenarioMembers, 'phase'> = {},
): GatewayScenario {
  return body(`compressed-${name}`, `${what} arrives whole`, { ...members, steps: [step] }, encodedText)
}

const plain = (...codings: readonly Coding[]): Step =>
  encoded(answering({ message: { content: longText.slice(0, 20_000) } }), ...codings)

export const scenarios: readonly GatewayScenario[] = [
  body(
    'large-request',
    'a request of 5 MB, with an image, reaches the upstream',
    {
      request: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look: ' },
              { type: 'image_url', image_url: { url: image } },
            ],
          },
        ],
      },
    },
    wholeImage,
  ),
  body(
    'large-answer',
    'an answer of 5 MB reaches the client',
    { steps: [answering({ message: { content: longText } })] },
    wholeText,
  ),
  body(
    'large-stream',
    'a stream of 5 MB reaches the client',
    { request: { stream: true }, steps: [largeStream] },
    wholeText,
  ),
  compressed('answer', 'an answer in gzip', plain('gzip', 'deflate', 'br', 'zstd')),
  compressed('answer-br', 'an answer in br', plain('br', 'zstd', 'deflate', 'gzip')),
  compressed('answer-deflate', 'an answer in deflate', plain('deflate', 'gzip', 'br', 'zstd')),
  compressed('answer-accepted', 'an answer in gzip to a client that accepts gzip', plain('gzip'), {
    headers: { 'accept-encoding': 'gzip' },
  }),
  compressed('stream', 'a compressed stream', encoded(good, 'gzip', 'deflate', 'br', 'zstd'), {
    request: { stream: true },
  }),
]
