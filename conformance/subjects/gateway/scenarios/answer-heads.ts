// The members around the choices, in every plain answer (GATE-2) and every chunk (GATE-3): those of the upstream, or the
// gateway's own. Judged here alone, so that a member that the gateway never sends is one failure.
import { type Exchange, header, json } from '../../../../harness/http/exchange.ts'
import { readStream } from '../../../../harness/http/event-stream.ts'
import { at, isRecord, listAt, show } from '../../../../harness/json-value.ts'
import { fail } from '../../../contract/outcome.ts'
import { type Crossing, type GatewayCheck, check } from '../crossing.ts'
import { bothAnswers } from '../crossing-sides.ts'

const HEAD = ['id', 'object', 'created', 'model'] as const

/** The members that an answer or a chunk has not, of those that the one of the upstream has. */
function missingIn(body: unknown, sent: unknown): readonly string[] {
  return HEAD.filter((name) => isPresent(at(sent, name)) && !isPresent(at(body, name)))
}

/** An empty text and a time of 0 say nothing. */
const isPresent = (value: unknown): boolean => Boolean(value)

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

function headOfAnswer(crossing: Crossing): void {
  const { upstream, client } = bothAnswers(crossing) ?? {}
  const [sent, arrived] = [upstream && json(upstream), client && json(client)]
  if (!isRecord(sent) || !isRecord(arrived) || at(sent, 'object') !== 'chat.completion') return
  const missing = missingIn(arrived, sent)
  if (missing.length > 0) fail(`${listed(HEAD)} of a plain answer`, `an answer without ${listed(missing)}`)
  if (at(arrived, 'object') !== at(sent, 'object'))
    fail('object "chat.completion"', `${show(at(arrived, 'object'))} at the client`)
}

function headOfChunks(crossing: Crossing): void {
  const sides = bothAnswers(crossing)
  if (sides === undefined) return
  const [sent, arrived] = [readStream(sides.upstream).chunks, readStream(sides.client).chunks]
  const [first] = sent
  // A stream of another interface has no such members.
  if (!isPresent(at(first, 'object'))) return
  for (const [place, chunk] of arrived.entries()) {
    const missing = missingIn(chunk, first)
    if (missing.length > 0)
      fail(`${listed(HEAD)} on every chunk`, `chunk ${place} without ${listed(missing)}: ${show(chunk)}`)
    if (at(chunk, 'object') !== at(first, 'object'))
      fail(
        `object ${show(at(first, 'object'))} on every chunk`,
        `${show(at(chunk, 'object'))} on chunk ${place}`,
      )
    const changed = ['id', 'created', 'model'].find((name) => at(chunk, name) !== at(arrived[0], name))
    if (changed !== undefined)
      fail(
        `\`${changed}\`, the same on every chunk`,
        `${show(at(arrived[0], changed))}, then ${show(at(chunk, changed))} on chunk ${place}`,
      )
  }
  const [sentAlone, counted] = [sent.some(countsAlone), arrived.find(counts)]
  if (sentAlone && counted !== undefined && !arrived.some(countsAlone))
    fail('the usage in a chunk without choices, as the upstream sent it', show(counted))
}

const counts = (chunk: unknown): boolean => isRecord(at(chunk, 'usage'))
const countsAlone = (chunk: unknown): boolean => counts(chunk) && listAt(chunk, 'choices').length === 0

/** A stream stays an event stream: clients look at its content type before they read it. */
function typeOfStream(crossing: Crossing): void {
  const { upstream, client } = bothAnswers(crossing) ?? {}
  if (upstream === undefined || client === undefined || !isEventStream(upstream)) return
  if (crossing.sent['stream'] === true && !isEventStream(client))
    fail('Content-Type: text/event-stream', show(header(client, 'content-type')))
}

const isEventStream = (answer: Exchange): boolean =>
  /^text\/event-stream\s*(?:;|$)/i.test(header(answer, 'content-type') ?? '')

/** The checks of every crossing. */
export const everywhere: readonly GatewayCheck[] = [
  check(
    'gate.answer-head',
    'GATE-2',
    '`id`, `object`, `created` and `model` of every plain answer',
    headOfAnswer,
  ),
  check('gate.stream-head', 'GATE-3', '`id`, `object`, `created` and `model` of every chunk', headOfChunks),
  check('gate.stream-type', 'GATE-3', 'the content type of every stream', typeOfStream),
]
