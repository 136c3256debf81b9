// The keys and the address of the upstream, which no side may see of the other (GATE-8).
import type { Exchange, Headers } from '../../../../harness/http/exchange.ts'
import {
  ROLE,
  answer,
  chunksWith,
  recordsOf,
  refuse,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Step, whole } from '../../../../harness/scripted-service/scripted-reply.ts'
import { NotApplicable, fail } from '../../../contract/outcome.ts'
import {
  type Crossing,
  type GatewayCheck,
  type GatewayScenario,
  type ScriptContext,
  type RunFacts,
  check,
  scenario,
} from '../crossing.ts'
import { reached } from '../crossing-sides.ts'

/** The place of a text in the head or the body of a message. */
function placeOf(
  secret: string,
  headers: Headers,
  body: Uint8Array | undefined,
  url = '',
): string | undefined {
  if (url.includes(secret)) return 'the address'
  const [name] = headers.find(([, value]) => value.includes(secret)) ?? []
  if (name !== undefined) return `the header \`${name.toLowerCase()}\``
  return Buffer.from(body ?? []).includes(secret) ? 'the body' : undefined
}

function hides(secret: string, what: string, answer: Exchange | undefined): void {
  const place = answer && placeOf(secret, answer.response.headers, answer.response.body)
  if (place !== undefined) fail(`an answer without ${what}`, `it is in ${place}`)
}

/** The checks of every crossing of a run. */
export const everywhere: readonly GatewayCheck[] = [
  check(
    'gate.client-key',
    'GATE-8',
    "no request at the upstream has the client's key",
    ({ calls, strays }, { clientKey }) => {
      if (clientKey === '') throw new NotApplicable('the client has no key (CONFORMANCE_API_KEY)')
      for (const { request } of [...calls, ...strays]) {
        const place = placeOf(clientKey, request.headers, request.body, request.path)
        if (place !== undefined) fail("a request without the client's key", `it is in ${place}`)
      }
    },
  ),
  check('gate.upstream-key', 'GATE-8', "no answer has the upstream's key", ({ answer }, { upstreamKey }) =>
    hides(upstreamKey, "the upstream's key", answer),
  ),
  check(
    'gate.upstream-address',
    'GATE-8',
    "no answer has the upstream's address",
    ({ answer }, { upstreamHost }) => hides(upstreamHost, "the upstream's address", answer),
  ),
]

/** An error of the upstream that quotes its key and its address. */
const quoting =
  (status: number) =>
  ({ upstreamKey, upstreamAddress }: ScriptContext): readonly Step[] => [
    refuse(
      status,
      {},
      `Incorrect API key provided: ${upstreamKey}, at ${upstreamAddress}/v1/chat/completions.`,
    ),
  ]

const hidesBoth = (crossing: Crossing, facts: RunFacts): void => {
  reached(crossing)
  for (const check of everywhere.slice(1)) check.verify(crossing, facts)
}

export const scenarios: readonly GatewayScenario[] = [
  ...[400, 401, 403, 500].map((status) =>
    scenario(
      `gate.quotes-key-${status}`,
      'GATE-8',
      `a ${status} of the upstream that quotes its key and address does not show them`,
    )
      .with({ phase: 'failures', script: quoting(status) })
      .verify(hidesBoth),
  ),
  scenario(
    'gate.quotes-key-in-a-stream',
    'GATE-8',
    'an error record of the upstream that quotes its key and address does not show them',
  )
    .with({
      phase: 'failures',
      request: { stream: true },
      script: ({ upstreamKey, upstreamAddress }) => [
        (asked) => {
          if (!asked.stream) return answer(asked)
          const record = {
            error: { message: `${upstreamKey} at ${upstreamAddress} failed`, type: 'api_error', code: 'x' },
          }
          const text = recordsOf(chunksWith(asked, [{ ...ROLE, content: 'Well' }])).slice(0, 1)
          return streamReply([...text, ...whole(`data: ${JSON.stringify(record)}\n\n`)])
        },
      ],
    })
    .verify(hidesBoth),
]
