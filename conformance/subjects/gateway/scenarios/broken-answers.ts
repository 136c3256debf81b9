// Answers that break, end early or carry an error record: they must not look whole (GATE-6), and are not begun again
// behind the first byte (GATE-10).
import { readStream } from '../../../../harness/http/event-stream.ts'
import { FINISH_REASONS } from '../../../../harness/verify/verify-completion.ts'
import {
  ERROR_AND_DONE,
  ERROR_RECORD,
  answer,
  begun,
  completion,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import {
  type Asked,
  type Piece,
  type Reply,
  type Step,
  whole,
} from '../../../../harness/scripted-service/scripted-reply.ts'
import { fail } from '../../../contract/outcome.ts'
import { type Crossing, type GatewayCheck, type GatewayScenario, check, scenario } from '../crossing.ts'
import { reached, requireStream, said } from '../crossing-sides.ts'

/** GATE-6 for a stream that failed: an error, or an end without `[DONE]` and without a finish reason. */
function doesNotEndCleanly(crossing: Crossing): void {
  requireStream(crossing)
  const { answer: client } = crossing
  if (client === undefined || client.response.status !== 200) return
  const { errors, doneCount, choices } = readStream(client)
  const reasons = choices.flatMap(({ finishReasons }) => finishReasons)
  // A reason that the format does not have, such as `error`, does not make a clean end.
  const reason = reasons.find((one) => FINISH_REASONS.includes(one))
  if (reason !== undefined)
    fail('no finish reason, since the upstream sent none', `\`finish_reason: ${JSON.stringify(reason)}\``)
  const before =
    reasons.length === 0 ? 'a part of the answer' : `\`finish_reason: ${JSON.stringify(reasons[0])}\``
  if (errors.length === 0 && doneCount > 0)
    fail('an error record, or an end without `[DONE]`', `\`[DONE]\` behind ${before}`)
}

/** GATE-10 behind the first byte: one attempt. */
const oneAttempt: GatewayCheck['verify'] = (crossing) => {
  reached(crossing)
  const { answer: client, calls } = crossing
  const [, second] = calls
  if (second === undefined || client === undefined) return
  const firstByteMs = crossing.sentMs + client.timings.firstByteMs
  if (firstByteMs < second.arrivedMs)
    fail(
      'no second request behind the first byte of the answer',
      `one ${Math.round(second.arrivedMs - firstByteMs)} ms behind it`,
    )
}

function brokenStream(
  name: string,
  title: string,
  pieces: (asked: Asked) => readonly Piece[],
  end: Reply['end'] = 'complete',
  checks: readonly GatewayCheck[] = [],
): GatewayScenario {
  return scenario(`gate.broken-${name}`, 'GATE-6', `${title} does not end cleanly at the client`)
    .with({
      phase: 'failures',
      request: { stream: true },
      steps: [(asked) => (asked.stream ? streamReply(pieces(asked), end) : answer(asked))],
      checks,
    })
    .verify(doesNotEndCleanly)
}

/** An error, or a connection that breaks, for a plain answer of which a part came. */
const noSuccess: GatewayCheck['verify'] = (crossing) => {
  reached(crossing)
  const { answer: client } = crossing
  if (client === undefined || client.response.status !== 200 || client.response.end === 'broken') return
  fail('an error, since the answer of the upstream broke', said(crossing))
}

function brokenPlain(name: string, when: string, step: Step): GatewayScenario {
  return scenario(`gate.broken-${name}`, 'GATE-6', `a plain answer that breaks ${when} is an error`)
    .with({ phase: 'failures', steps: [step] })
    .verify(noSuccess)
}

const cutAt =
  (share: number): Step =>
  (asked) => {
    const bytes = Buffer.from(JSON.stringify(completion(asked)))
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      pieces: whole(bytes.subarray(0, Math.floor(bytes.length * share))),
      end: 'cut',
    }
  }

export const scenarios: readonly GatewayScenario[] = [
  brokenStream('stream-cut', 'a stream whose connection breaks', begun, 'cut', [
    check(
      'gate.not-repeated-behind-the-first-byte',
      'GATE-10',
      'a stream is not begun again behind its first byte',
      oneAttempt,
    ),
  ]),
  brokenStream(
    'stream-in-a-record',
    'a stream that breaks within a record',
    (asked) => [...begun(asked), ...whole('data: {"id":"x","choices":[{"index":0,"del')],
    'cut',
  ),
  brokenStream('stream-ends-early', 'a stream that ends without `[DONE]` and finish reason', begun),
  brokenStream('error-record', 'a stream with an error record', (asked) => [
    ...begun(asked),
    ...ERROR_RECORD,
  ]),
  brokenStream('error-record-and-done', 'a stream with an error record and `[DONE]`', (asked) => [
    ...begun(asked),
    ...ERROR_AND_DONE,
  ]),
  brokenStream('error-record-first', 'a stream whose first record is an error', () => ERROR_AND_DONE),
  brokenPlain('answer-cut', 'in its middle', cutAt(0.5)),
  brokenPlain('answer-cut-at-its-end', 'before its last byte', cutAt(0.99)),
]
