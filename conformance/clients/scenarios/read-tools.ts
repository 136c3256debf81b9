// Streamed tool calls with interleaved fragments (READ-9).
import {
  type Members,
  TOOL_CALLS,
  argumentsOf,
  openCall,
  toolAnswer,
  toolStream,
} from '../scripted-service/answers.ts'
import { type Scenario, withOneCheck } from '../scenario.ts'
import { printedCalls, readsStreams } from '../verify/program.ts'
import { PLAIN, STREAMED, TOOLS } from './plain.ts'

type Fragments = readonly (readonly Members[])[]

function joins(name: string, title: string, fragments: () => Fragments): Scenario {
  return withOneCheck({
    id: `read.${name}`,
    requirement: 'READ-9',
    title,
    beside: [TOOLS, STREAMED, PLAIN],
    verify(observed, beside) {
      readsStreams(beside(STREAMED), beside(PLAIN))
      printedCalls(observed, beside(TOOLS), TOOL_CALLS)
    },
    requested: { tools: true, stream: true },
    script: [(asked) => (asked.tools && asked.stream ? toolStream(asked, fragments()) : toolAnswer(asked))],
  })
}

/** One item of each list in turn, then the rest of the longer one. */
function alternate(one: Fragments, other: Fragments): Fragments {
  const length = Math.max(one.length, other.length)
  return Array.from({ length }, (_, at) => [one[at], other[at]].filter((part) => part !== undefined)).flat()
}

export const scenarios: readonly Scenario[] = [
  joins('interleaved-calls', 'fragments of two calls in turn', () => [
    openCall(0),
    openCall(1),
    ...alternate(argumentsOf(0, 5), argumentsOf(1, 5)),
  ]),
  joins('calls-in-one-delta', 'fragments of two calls in one delta', () => {
    const [first, second] = [argumentsOf(0, 8), argumentsOf(1, 8)]
    const together = Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [
      ...(first[at] ?? []),
      ...(second[at] ?? []),
    ])
    return [[...openCall(0), ...openCall(1)], ...together]
  }),
  joins('later-call-first', 'the second call before the first', () => [
    openCall(1),
    ...argumentsOf(1, 6),
    openCall(0),
    ...argumentsOf(0, 6),
  ]),
]
