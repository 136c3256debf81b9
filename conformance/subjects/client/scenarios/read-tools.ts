// Streamed tool calls: interleaved fragments (READ-9), and null members of later ones (READ-2).
import {
  type Members,
  CALL_IDS,
  TOOL_CALLS,
  argumentsOf,
  openCall,
  toolAnswer,
  toolStream,
  turnsOf,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { at } from '../../../../harness/json-value.ts'
import type { Asked } from '../../../../harness/scripted-service/scripted-reply.ts'
import { type Observed, type Scenario, scenario } from '../scenario.ts'
import { printedCalls, printedIds, readsStreams } from '../verify/program-output.ts'
import { PLAIN, STREAMED, STREAMED_TOOLS, TOOLS } from './usual-answers.ts'

type Fragments = readonly (readonly Members[])[]

/** The request of a scenario, and its answer in these fragments. */
const streaming = (fragments: () => Fragments) => ({
  requested: { tools: true, stream: true },
  script: [
    (asked: Asked) => (asked.tools && asked.stream ? toolStream(asked, fragments()) : toolAnswer(asked)),
  ],
})

export function readsCalls(observed: Observed, beside: (name: string) => Observed): void {
  readsStreams(beside(STREAMED), beside(PLAIN))
  printedCalls(observed, beside(TOOLS), TOOL_CALLS)
}

function joins(name: string, title: string, fragments: () => Fragments): Scenario {
  return scenario(`read.${name}`, 'READ-9', title)
    .with({ beside: [TOOLS, STREAMED, PLAIN], ...streaming(fragments) })
    .verify(readsCalls)
}

/** Null for each member that only the first fragment of a call has. */
const withNulls = (fragment: Members): Members => ({
  ...fragment,
  id: null,
  type: null,
  function: { name: null, ...Object(fragment['function']) },
})

/** A fragment with these arguments, or none, and its type. */
export function withArguments(fragment: Members | undefined, text: string | undefined): Members {
  return { ...fragment, type: 'function', function: { ...Object(fragment?.['function']), arguments: text } }
}

export const wholeCalls = (): Fragments =>
  TOOL_CALLS.map((call, index) => [withArguments(openCall(index)[0], JSON.stringify(call.arguments))])

/** The first fragment has no arguments, and the later ones repeat the type. */
function withRepeatedTypes(index: number): Fragments {
  const later = argumentsOf(index, 9).flat()
  return [
    [withArguments(openCall(index)[0], undefined)],
    ...later.map((fragment) => [withArguments(fragment, String(at(fragment, 'function', 'arguments')))]),
  ]
}

function withLaterNulls(index: number): Fragments {
  const later = argumentsOf(index, 7).map((fragments) => fragments.map(withNulls))
  return [openCall(index), ...later]
}

const nulls = scenario('read.null-in-fragments', 'READ-2', 'null `id`, `type` and `name` in later fragments')
  .with({
    beside: [TOOLS, STREAMED, STREAMED_TOOLS, PLAIN],
    ...streaming(() => [0, 1].flatMap(withLaterNulls)),
  })
  .verify((observed, beside) => {
    readsCalls(observed, beside)
    printedIds(observed, beside(STREAMED_TOOLS), CALL_IDS)
  })

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
  joins('whole-calls', 'each call in one fragment', wholeCalls),
  joins('repeated-types', 'no arguments in the first fragment of a call, and its type in each', () =>
    [0, 1].flatMap(withRepeatedTypes),
  ),
  nulls,
]
