// Clients that disconnect, which ends the request at the upstream (GATE-9), and requests at the same time (GATE-11).
import { readStream } from '../../../../harness/http/event-stream.ts'
import { json } from '../../../../harness/http/exchange.ts'
import { at, show } from '../../../../harness/json-value.ts'
import { begun, completion, streamReply } from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Step, silent, whole } from '../../../../harness/scripted-service/scripted-reply.ts'
import { Inconclusive, fail } from '../../../contract/outcome.ts'
import { ANY_WORDS, LEAVE_MS } from '../cross.ts'
import {
  type GatewayCheck,
  type GatewayScenario,
  type RequestBody,
  type ScenarioMembers,
  scenario,
} from '../crossing.ts'
import { reached, requireRoom, succeeded } from '../crossing-sides.ts'

/** The request at the upstream ends in time. */
const ends: GatewayCheck['verify'] = (crossing) => {
  reached(crossing)
  const { calls, leftMs } = crossing
  if (leftMs === undefined) throw new Inconclusive('the answer ended before the client could disconnect')
  const latest = Math.max(...calls.map(({ hungUpMs = Infinity }) => hungUpMs))
  if (latest - leftMs > LEAVE_MS)
    fail(
      `the request at the upstream to end within ${LEAVE_MS / 1000} s`,
      latest === Infinity ? 'it did not' : `it ended after ${Math.round(latest - leftMs)} ms`,
    )
}

function disconnect(
  name: string,
  when: string,
  leaves: GatewayScenario['leaves'] & {},
  step: Step,
  request: RequestBody = {},
  more: Partial<ScenarioMembers> = {},
): GatewayScenario {
  return scenario(`gate.leaves-${name}`, 'GATE-9', `a client that disconnects ${when}`)
    .with({ phase: 'failures', isSlow: true, request, steps: [step], leaves, ...more })
    .verify(ends)
}

/** Requests that are answered together. */
const TOGETHER = 12

function together(name: string, title: string, request: RequestBody): GatewayScenario {
  return scenario(`gate.together-${name}`, 'GATE-11', title)
    .with({ phase: 'together', request, together: TOGETHER })
    .verify((crossing) => {
      requireRoom(crossing)
      const { client } = succeeded(crossing)
      const content =
        request['stream'] === true
          ? readStream(client).choices[0]?.content
          : at(json(client), 'choices', 0, 'message', 'content')
      const strange = String(content)
        .match(ANY_WORDS)
        ?.find((found) => found !== crossing.words)
      if (strange !== undefined) fail(`the answer ${show(crossing.words)}`, show(content))
    })
}

/** The beginning of a plain answer, and white space that goes on until the gateway leaves. */
const slowAnswer: Step = (asked) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  pieces: [...whole(JSON.stringify(completion(asked)).slice(0, -1)), ...whole(' ')],
  end: 'endless',
})

export const scenarios: readonly GatewayScenario[] = [
  together('plain', `${TOGETHER} plain requests at the same time get their own answers`, {}),
  together('streamed', `${TOGETHER} streamed requests at the same time get their own answers`, {
    stream: true,
  }),
  disconnect('before-the-answer', 'before a plain answer', 'before the answer', silent),
  disconnect('before-the-stream', 'before a stream begins', 'before the answer', silent, { stream: true }),
  disconnect('the-stream', 'in a stream', 'in the answer', (asked) => streamReply(begun(asked), 'endless'), {
    stream: true,
  }),
  // No time limit for a silent upstream ends it, because bytes keep coming.
  disconnect('the-answer', 'in a plain answer that is not whole', 'in the answer', slowAnswer, {}),
  disconnect(
    'the-waiting-stream',
    'before the first text of a stream that has begun',
    'in the answer',
    () => streamReply(whole(': waiting\n\n'), 'endless'),
    { stream: true },
  ),
  disconnect(
    'the-stalled-stream',
    'in a stream of which nothing comes for a while',
    'in the answer',
    (asked) => streamReply(begun(asked), 'stalled'),
    { stream: true },
  ),
]
