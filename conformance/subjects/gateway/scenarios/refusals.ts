// Refusals of the upstream, which keep their meaning (GATE-5), and requests that are not repeated after them (GATE-10).
import { header, json } from '../../../../harness/http/exchange.ts'
import { at, show } from '../../../../harness/json-value.ts'
import { type Mismatch, refused } from '../../../../harness/verify/verify.ts'
import { answer, refuse } from '../../../../harness/scripted-service/scripted-answers.ts'
import { fail } from '../../../contract/outcome.ts'
import { type Crossing, type GatewayScenario, check, scenario } from '../crossing.ts'
import { bodyAt, reached, said } from '../crossing-sides.ts'

/** The wait of a refusal, in seconds: a gateway that obeys it still ends a run in time. */
const RETRY_AFTER = '2'

/** The refusals of the upstream, with the headers that a client needs. */
const REFUSALS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  400: {},
  404: {},
  429: { 'retry-after': RETRY_AFTER },
  500: {},
  503: { 'retry-after': RETRY_AFTER },
}

/** The status, an error object with a message, and `Retry-After`. */
function keepsMeaning(crossing: Crossing, status: number): void {
  reached(crossing)
  const { answer: client } = crossing
  if (client === undefined) return fail(`status ${status}`, said(crossing))
  const mismatch: Mismatch | undefined = refused(status)(client, { baseUrl: '', profile: 'wire', model: '' })
  if (mismatch !== undefined) fail(mismatch.expected, mismatch.actual)
  const wanted = REFUSALS[status]?.['retry-after']
  const got = header(client, 'retry-after')
  if (wanted !== undefined && Number(got) !== Number(wanted)) fail(`Retry-After: ${wanted}`, show(got))
}

function refusal(status: number, isStreamed: boolean): GatewayScenario {
  return scenario(
    `gate.refused-${status}${isStreamed ? '-streamed' : ''}`,
    'GATE-5',
    `a ${status}${isStreamed ? ' to a streamed request' : ''} arrives as a ${status}`,
  )
    .with({
      phase: 'failures',
      request: isStreamed ? { stream: true } : {},
      steps: [refuse(status, REFUSALS[status])],
    })
    .verify((crossing) => keepsMeaning(crossing, status))
}

/** Other failures of a request, which it would meet again. */
const FINAL = [400, 401, 404, 409, 422] as const

/** GATE-10 for requests that fail finally: one attempt. */
const finals = FINAL.map((status) =>
  scenario(`gate.not-repeated-${status}`, 'GATE-10', `a request is not repeated after a ${status}`)
    .with({ phase: 'failures', steps: [refuse(status), answer] })
    .verify((crossing) => {
      reached(crossing)
      const { length } = crossing.calls
      if (length > 1) fail('one request at the upstream', `${length}, after a ${status}`)
    }),
)

/** The most attempts of GATE-10. */
const MOST_ATTEMPTS = 5

const repeated = scenario('gate.at-most-five', 'GATE-10', 'a request is sent at most five times')
  .with({
    name: 'repeated-with-the-same-body',
    phase: 'failures',
    request: { temperature: 0.25, seed: 7 },
    steps: [refuse(503)],
    checks: [
      check('gate.same-body', 'GATE-10', 'a repeated request has the same body', (crossing) => {
        const last = bodyAt(reached(crossing))
        const other = crossing.calls.map(bodyAt).find((body) => JSON.stringify(body) !== JSON.stringify(last))
        if (other !== undefined) fail(`the body ${show(last)} each time`, show(other))
      }),
    ],
  })
  .verify((crossing) => {
    reached(crossing)
    const { length } = crossing.calls
    if (length > MOST_ATTEMPTS) fail(`at most ${MOST_ATTEMPTS} requests at the upstream`, String(length))
  })

/** The upstream recovers: what was repeated arrives. */
const recovered = scenario(
  'gate.recovers',
  'GATE-5',
  'after a 503 the client gets the 503, or the answer to the repeated request',
)
  .with({ phase: 'failures', steps: [refuse(503), answer] })
  .verify((crossing) => {
    reached(crossing)
    const { answer: client, calls } = crossing
    const status = calls.length > 1 ? 200 : 503
    if (client?.response.status !== status) fail(`status ${status}`, said(crossing))
    if (status === 503 && typeof at(json(client), 'error', 'message') !== 'string')
      fail('an error object with a message', said(crossing))
  })

export const scenarios: readonly GatewayScenario[] = [
  ...Object.keys(REFUSALS).flatMap((status) => [
    refusal(Number(status), false),
    refusal(Number(status), true),
  ]),
  ...finals,
  repeated,
  recovered,
]
