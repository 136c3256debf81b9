// Refusals of the upstream, which keep their meaning (GATE-5), and requests that are not repeated after them (GATE-10).
import { type Exchange, header, json } from '../../../../harness/http/exchange.ts'
import { at, show } from '../../../../harness/json-value.ts'
import { type Mismatch, refused } from '../../../../harness/verify/verify.ts'
import { answer, refuse } from '../../../../harness/scripted-service/scripted-answers.ts'
import { encoded } from '../../../../harness/scripted-service/scripted-reply.ts'
import { fail } from '../../../contract/outcome.ts'
import { type Crossing, type GatewayScenario, check, scenario } from '../crossing.ts'
import { bodyAt, reached, requireEncoded, said } from '../crossing-sides.ts'

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

/** The wait of a date, in milliseconds, and the precision of dates in HTTP. */
const DATE_MS = 4_000
const PRECISION_MS = 1_000

/** The status, an error object with a message, and `Retry-After`. */
export function keepsMeaning(crossing: Crossing, status: number): void {
  reached(crossing)
  const { answer: client } = crossing
  if (client === undefined) return fail(`status ${status}`, said(crossing))
  const mismatch: Mismatch | undefined = refused(status)(client, { baseUrl: '', profile: 'wire', model: '' })
  if (mismatch !== undefined) fail(mismatch.expected, mismatch.actual)
  keepsWait(crossing, client)
}

/** The wait of the latest refusal: the same number of seconds, or no less than a fraction and a date request. */
function keepsWait(crossing: Crossing, client: Exchange): void {
  const { reply } = reached(crossing)
  const wanted = reply?.headers.find(([name]) => name === 'retry-after')?.[1]
  if (reply === undefined || wanted === undefined) return
  const got = header(client, 'retry-after')
  const [due, came] = [Number(wanted), Number(got)]
  // Both clocks are those of this machine; a wait counts from the arrival of its header.
  const epochMs = crossing.sentAtMs - crossing.sentMs
  const ends = (value: string, sinceMs: number): number =>
    Number.isNaN(Number(value)) ? Date.parse(value) : epochMs + sinceMs + Number(value) * 1000
  const isKept =
    got !== undefined &&
    (Number.isNaN(due) || Number.isNaN(came)
      ? ends(got, crossing.sentMs + client.timings.firstByteMs) >=
        ends(wanted, reply.firstByteMs) - PRECISION_MS
      : came >= due && came <= Math.ceil(due))
  const isWhole = Number.isInteger(due)
  if (!isKept) fail(`Retry-After: ${wanted}${isWhole ? '' : ', or a longer wait by rounding up'}`, show(got))
}

interface RefusalMembers {
  readonly isStreamed?: boolean
  /** A suffix of the id, and the value of `Retry-After`. */
  readonly wait?: readonly [name: string, value: () => string]
}

function refusal(status: number, { isStreamed = false, wait }: RefusalMembers): GatewayScenario {
  return scenario(
    `gate.refused-${status}${wait ? `-${wait[0]}` : ''}${isStreamed ? '-streamed' : ''}`,
    'GATE-5',
    `a ${status}${wait ? ` that waits for a ${wait[0]}` : ''}${isStreamed ? ' to a streamed request' : ''} arrives as a ${status}`,
  )
    .with({
      phase: 'failures',
      request: isStreamed ? { stream: true } : {},
      steps: [(asked) => refuse(status, wait ? { 'retry-after': wait[1]() } : REFUSALS[status])(asked)],
    })
    .verify((crossing) => keepsMeaning(crossing, status))
}

/** The other refusals of a request; a 401 is not among them: it may speak of the key of the gateway. */
const OTHERS = [402, 403, 405, 406, 408, 409, 410, 413, 415, 418, 422, 424, 431, 451] as const

/** Another 4xx, which a client must not take for a failure of the service. */
function otherRefusal(status: number, isStreamed: boolean): GatewayScenario {
  return scenario(
    `gate.refused-${status}${isStreamed ? '-streamed' : ''}`,
    'GATE-5',
    `a ${status}${isStreamed ? ' to a streamed request' : ''} arrives as a 4xx`,
  )
    .with({
      phase: 'failures',
      request: isStreamed ? { stream: true } : {},
      steps: [refuse(status)],
    })
    .verify((crossing) => {
      reached(crossing)
      const came = crossing.answer?.response.status ?? 0
      if (came < 400 || came > 499)
        fail(`a status from 400 to 499, since the upstream refused with ${status}`, said(crossing))
      if (typeof at(crossing.answer && json(crossing.answer), 'error', 'message') !== 'string')
        fail('an error object with a message', said(crossing))
    })
}

const FRACTION = ['fraction', () => '1.5'] as const
const DATE = ['date', () => new Date(Date.now() + DATE_MS).toUTCString()] as const

/** A refusal that the upstream compressed, because the gateway requested it. */
const compressed = scenario('gate.refused-400-compressed', 'GATE-5', 'a compressed 400 arrives as a 400')
  .with({
    phase: 'failures',
    steps: [encoded(refuse(400, {}, `The request is ${'not '.repeat(500)}valid.`), 'gzip', 'deflate', 'br')],
  })
  .verify((crossing) => {
    requireEncoded(crossing)
    keepsMeaning(crossing, 400)
  })

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
    refusal(Number(status), {}),
    refusal(Number(status), { isStreamed: true }),
  ]),
  ...OTHERS.flatMap((status) => [otherRefusal(status, false), otherRefusal(status, true)]),
  refusal(429, { wait: FRACTION }),
  refusal(429, { wait: DATE, isStreamed: true }),
  refusal(503, { wait: FRACTION, isStreamed: true }),
  refusal(503, { wait: DATE }),
  compressed,
  ...finals,
  repeated,
  recovered,
]
