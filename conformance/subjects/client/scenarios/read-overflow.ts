// A prompt that is longer than the context: a program shows that to its user, who can shorten it (READ-14).
import { refuse } from '../../../../harness/scripted-service/scripted-answers.ts'
import { fail } from '../../../contract/outcome.ts'
import { type Observed, type Scenario, scenario } from '../scenario.ts'
import { ENDLESS_MS } from '../verify/call-course.ts'
import { endOfProgram } from '../verify/program-output.ts'
import { notRetried } from '../verify/request-rules.ts'
import { quote } from '../../../../harness/judged-program.ts'

const CODE = 'context_length_exceeded'
const MESSAGE = "This model's context has 8192 tokens. Your messages have 9731 tokens."

/** A program may wrap lines, and write quotes as JSON or HTML does. */
const words = (text: string): string =>
  text.toLowerCase().replaceAll(/\\u\w{4}|&\S{1,6};|[^\p{L}\p{N}]+/gu, ' ')

/** The output of the program has the code or the message of the service. */
function showsOverflow(observed: Observed): void {
  const { stdout, stderr } = endOfProgram(observed)
  const printed = stdout + stderr
  const isShown = printed.includes(CODE) || words(printed).includes(words(MESSAGE).trim())
  if (!isShown) fail(`${CODE}, or the message ${quote(MESSAGE)}, in the output`, quote(printed))
}

const overflow = (stream: boolean): Scenario => {
  const [suffix, what] = stream ? ['-streamed', ', to a streamed request'] : ['', '']
  return scenario(
    `read.context-overflow${suffix}`,
    'READ-14',
    `a prompt that is longer than the context${what}`,
  )
    .with({
      requested: { stream },
      script: [refuse(400, {}, MESSAGE, { code: CODE })],
      boundMs: ENDLESS_MS,
    })
    .verify((observed) => {
      notRetried(observed)
      showsOverflow(observed)
    })
}

export const scenarios: readonly Scenario[] = [overflow(false), overflow(true)]
