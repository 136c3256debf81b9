// Streamed tool calls with interleaved fragments (READ-9).
import {
  type Members,
  TOOL_CALLS,
  argumentsOf,
  openCall,
  toolAnswer,
  toolStream,
  turnsOf,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { printedCalls, readsStreams } from '../verify/program-output.ts'
import { PLAIN, STREAMED, TOOLS } from './usual-answers.ts'

type Fragments = readonly (readonly Members[])[]

function joins(name: string, title: string, fragments: () => Fragments): Scenario {
  return scenario(`read.${name}`, 'READ-9', title)
    .with({
      beside: [TOOLS, STREAMED, PLAIN],
      requested: { tools: true, stream: true },
      script: [(asked) => (asked.tools && asked.stream ? toolStream(asked, fragments()) : toolAnswer(asked))],
    })
    .verify((observed, beside) => {
      readsStreams(beside(STREAMED), beside(PLAIN))
      printedCalls(observed, beside(TOOLS), TOOL_CALLS)
    })
}

/** The arguments of both calls, in fragments of `size` characters: the fragments of each turn. */
const inTurns = (size: number): readonly Fragments[] => turnsOf([argumentsOf(0, size), argumentsOf(1, size)])

export const scenarios: readonly Scenario[] = [
  joins('interleaved-calls', 'fragments of two calls in turn', () => [
    openCall(0),
    openCall(1),
    ...inTurns(5).flat(),
  ]),
  joins('calls-in-one-delta', 'fragments of two calls in one delta', () => [
    [...openCall(0), ...openCall(1)],
    ...inTurns(8).map((turn) => turn.flat()),
  ]),
  joins('later-call-first', 'the second call before the first', () => [
    openCall(1),
    ...argumentsOf(1, 6),
    openCall(0),
    ...argumentsOf(0, 6),
  ]),
]
