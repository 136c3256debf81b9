// Connections to the upstream that the upstream ends while they are idle, which costs no request (GATE-16).
import { Inconclusive, fail } from '../../../contract/outcome.ts'
import { type GatewayCheck, type GatewayScenario, type IdleEnd, check, scenario } from '../crossing.ts'
import { said, succeeded } from '../crossing-sides.ts'

/** A plain and a streamed request, so that each has a connection. */
const BOTH = [{}, { stream: true }] as const

/** The request after the connections have ended is answered. */
const isAnswered =
  (end: IdleEnd): GatewayCheck['verify'] =>
  (crossing) => {
    if (crossing.idle !== end) return
    const { answer, calls } = crossing
    if (answer?.response.status === 200) return
    // It was sent over a new connection, and failed for another reason.
    if (calls.some(({ reply }) => reply?.status === 200)) return void succeeded(crossing)
    if (answer?.response.status === 429)
      throw new Inconclusive(`the gateway refused the request: ${said(crossing)}`)
    fail('an answer over a new connection, since the idle one had ended', said(crossing))
  }

const TITLE = 'the request after idle connections that the upstream'

export const scenarios: readonly GatewayScenario[] = [
  scenario('gate.idle-closed', 'GATE-16', `${TITLE} closed is answered`)
    .with({
      name: 'idle',
      phase: 'idle',
      isSlow: true,
      turns: [{ requests: BOTH }, { requests: BOTH, idle: 'closed' }, { requests: BOTH, idle: 'reset' }],
      checks: [check('gate.idle-reset', 'GATE-16', `${TITLE} reset is answered`, isAnswered('reset'))],
    })
    .verify(isAnswered('closed')),
]
