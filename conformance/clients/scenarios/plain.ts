// The usual scenarios, with which others are compared: how a program prints an answer, and whether it reads one at all.
import { TOOL_CALLS, answer, toolAnswer } from '../scripted-service/answers.ts'
import { type Scenario, type Requested, withOneCheck } from '../scenario.ts'
import { sendsPrompt } from '../verify/requests.ts'
import { printedCalls, printedText, readsStreams, tookAnswer } from '../verify/program.ts'

export const PLAIN = 'plain'
export const STREAMED = 'streamed'
export const TOOLS = 'tools'
export const STREAMED_TOOLS = 'streamed-tools'

/** The usual scenario for this kind of request. */
export function usualFor({ stream = false, tools = false }: Requested = {}): string {
  if (tools) return stream ? STREAMED_TOOLS : TOOLS
  return stream ? STREAMED : PLAIN
}

export const scenarios: readonly Scenario[] = [
  withOneCheck({
    id: 'call.prompt',
    name: PLAIN,
    requirement: 'CALL-4',
    title: 'the program sends the given text',
    verify: (observed) => sendsPrompt(observed, observed),
    script: [answer],
  }),
  withOneCheck({
    id: 'read.streamed',
    name: STREAMED,
    requirement: 'READ-5',
    title: 'a stream with a record in each piece',
    beside: [PLAIN],
    verify: (observed, beside) => printedText(observed, beside(PLAIN)),
    requested: { stream: true },
    script: [answer],
  }),
  withOneCheck({
    id: 'read.null-content-with-calls',
    name: TOOLS,
    requirement: 'READ-2',
    title: 'null content beside tool calls',
    beside: [PLAIN],
    verify: (observed, beside) => void tookAnswer(observed, beside(PLAIN)),
    requested: { tools: true, stream: false },
    script: [toolAnswer],
  }),
  withOneCheck({
    id: 'read.streamed-calls',
    name: STREAMED_TOOLS,
    requirement: 'READ-9',
    title: 'two calls, one after the other',
    beside: [TOOLS, STREAMED, PLAIN],
    verify(observed, beside) {
      readsStreams(beside(STREAMED), beside(PLAIN))
      printedCalls(observed, beside(TOOLS), TOOL_CALLS)
    },
    requested: { tools: true, stream: true },
    script: [toolAnswer],
  }),
]
