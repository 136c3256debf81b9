// Calls as services may send them: with any reason for their end, in the chunk that ends their choice, beside a text in one
// delta, and with arguments that readers often change (READ-5, READ-9, READ-10).
import {
  type Members,
  ROLE,
  TOOL_CALLS,
  argumentsOf,
  callsWith,
  chunk,
  chunkHead,
  deltasOf,
  openCall,
  recordsOf,
  streamReply,
  toolAnswer,
  toolStream,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply, Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { hardObjectText } from '../../../generate/hard-values.ts'
import { type Scenario, check, scenario } from '../scenario.ts'
import { printedCalls, printedTextBesideCalls, readsStreams } from '../verify/program-output.ts'
import { readsCalls, wholeCalls, withArguments } from './read-tools.ts'
import { PLAIN, STREAMED, TOOLS } from './usual-answers.ts'

/** The usual answer with calls, if none are requested in a stream. */
const streamedCalls =
  (reply: (asked: Asked) => Reply): Step =>
  (asked) =>
    asked.tools && asked.stream ? reply(asked) : toolAnswer(asked)

/** A stream of calls that a program reads as the usual one. */
const joins = (name: string, title: string, reply: (asked: Asked) => Reply): Scenario =>
  scenario(`read.${name}`, 'READ-9', title)
    .with({
      beside: [TOOLS, STREAMED, PLAIN],
      requested: { tools: true, stream: true },
      script: [streamedCalls(reply)],
    })
    .verify(readsCalls)

/** The calls with this reason for the end of their choice, plain and streamed. */
const finishedBy = (requirement: 'READ-9' | 'READ-10', name: string, title: string, finish: string) =>
  [false, true].map((stream) =>
    scenario(`read.calls-${name}${stream ? '-streamed' : ''}`, requirement, `calls ${title}`)
      .with({
        beside: [TOOLS, STREAMED, PLAIN],
        requested: { tools: true, stream },
        script: [(asked: Asked) => callsWith(asked, finish)],
      })
      .verify((observed, beside) => {
        if (stream) readsStreams(beside(STREAMED), beside(PLAIN))
        printedCalls(observed, beside(TOOLS), TOOL_CALLS)
      }),
  )

/** A stream of these deltas, of which the last one is in the chunk that ends the choice. */
function endingWith(asked: Asked, deltas: readonly Members[], last: Members): Reply {
  const head = chunkHead(asked)
  const chunks = [ROLE, ...deltas].map((delta) => chunk(head, delta))
  return streamReply(recordsOf([...chunks, chunk(head, last, 'tool_calls')]))
}

const fragmentsOf = (index: number): readonly Members[] =>
  [openCall(index), ...argumentsOf(index, 7)].map((tool_calls) => ({ tool_calls }))

const inLastChunk: readonly Scenario[] = [
  joins('calls-beside-finish', 'whole calls in the chunk that ends their choice', (asked) =>
    endingWith(asked, [], { tool_calls: wholeCalls().flat() }),
  ),
  joins('later-call-beside-finish', 'a second, whole call in the chunk that ends its choice', (asked) =>
    endingWith(asked, fragmentsOf(0), { tool_calls: wholeCalls()[1] }),
  ),
  joins(
    'fragment-beside-finish',
    'the last fragment of a call in the chunk that ends its choice',
    (asked) => {
      const fragments = [0, 1].flatMap(fragmentsOf)
      return endingWith(asked, fragments.slice(0, -1), fragments.at(-1) ?? {})
    },
  ),
]

/** The text and the fragments of the calls in the same deltas. */
function withText(asked: Asked): Reply {
  const texts = deltasOf(asked.text)
  const fragments = [0, 1].flatMap(fragmentsOf)
  const count = Math.max(texts.length, fragments.length)
  const deltas = Array.from({ length: count }, (_, at) => ({
    ...(at < texts.length && { content: texts[at] }),
    ...fragments[at],
  }))
  return endingWith(asked, deltas, {})
}

const BESIDE = { beside: [TOOLS, STREAMED, PLAIN] }

const besideText: Scenario = {
  name: 'text-and-calls',
  requested: { tools: true, stream: true },
  script: [streamedCalls(withText)],
  checks: [
    check(
      'read.calls-beside-text',
      'READ-9',
      'fragments of calls in deltas that have text',
      readsCalls,
      BESIDE,
    ),
    check(
      'read.text-beside-calls',
      'READ-5',
      'a text in deltas that have fragments of calls',
      (observed, beside) => printedTextBesideCalls(observed, beside(STREAMED)),
      BESIDE,
    ),
  ],
}

/** A call whose arguments have every value that readers often change, and fragments of it: none ends within a character. */
const HARD = { name: 'get_weather', arguments: JSON.parse(hardObjectText) as unknown }
const hardFragments = (): readonly (readonly Members[])[] => [
  [withArguments({ index: 0, id: 'call_hard', function: { name: HARD.name } }, '')],
  ...(hardObjectText.match(/.{1,13}/gsu) ?? []).map((part) => [{ index: 0, function: { arguments: part } }]),
]

/** A stream that loses such characters of a text is judged by its text alone. */
const HARD_TEXT = 'framed-hard-text'

const hard = scenario('read.hard-arguments', 'READ-9', 'arguments with values that readers often change')
  .with({
    beside: [TOOLS, HARD_TEXT, PLAIN],
    requested: { tools: true, stream: true },
    script: [streamedCalls((asked) => toolStream(asked, hardFragments()))],
  })
  .verify((observed, beside) => {
    readsStreams(beside(HARD_TEXT), beside(PLAIN))
    printedCalls(observed, beside(TOOLS), [HARD])
  })

export const scenarios: readonly Scenario[] = [
  ...finishedBy('READ-9', 'with-stop', 'that end with `stop`', 'stop'),
  ...finishedBy('READ-10', 'with-unknown-finish', 'whose `finish_reason` no schema has', 'time_limit'),
  ...inLastChunk,
  besideText,
  hard,
]
