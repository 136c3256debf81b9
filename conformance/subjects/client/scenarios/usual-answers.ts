// The usual scenarios, with which others are compared: how a program prints an answer, and whether it reads one at all.
import { TOOL_CALLS, answer, toolAnswer } from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Scenario, type Requested, scenario } from '../scenario.ts'
import { sendsPrompt } from '../verify/request-rules.ts'
import { printedCalls, printedText, readsStreams, tookAnswer } from '../verify/program-output.ts'

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
  scenario('call.prompt', 'CALL-4', 'the program sends the given text')
    .with({ name: PLAIN, script: [answer] })
    .verify((observed) => sendsPrompt(observed, observed)),
  scenario('read.streamed', 'READ-5', 'a stream with a record in each piece')
    .with({ name: STREAMED, beside: [PLAIN], requested: { stream: true }, script: [answer] })
    .verify((observed, beside) => printedText(observed, beside(PLAIN))),
  scenario('read.null-content-with-calls', 'READ-2', 'null content beside tool calls')
    .with({ name: TOOLS, beside: [PLAIN], requested: { tools: true, stream: false }, script: [toolAnswer] })
    .verify((observed, beside) => void tookAnswer(observed, beside(PLAIN))),
  scenario('read.streamed-calls', 'READ-9', 'two calls, one after the other')
    .with({
      name: STREAMED_TOOLS,
      beside: [TOOLS, STREAMED, PLAIN],
      requested: { tools: true, stream: true },
      script: [toolAnswer],
    })
    .verify((observed, beside) => {
      readsStreams(beside(STREAMED), beside(PLAIN))
      printedCalls(observed, beside(TOOLS), TOOL_CALLS)
    }),
]
