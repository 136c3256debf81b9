// The gateway's own refusals (GATE-15): requests with a wrong key, without a key, and for a model that it does not have.
import { isOrdinary } from '../../../../../harness/secrets/redact.ts'
import { refused } from '../../../../../harness/verify/verify.ts'
import { NotApplicable, fail } from '../../../../contract/outcome.ts'
import {
  type Crossing,
  type GatewayScenario,
  type RunFacts,
  type ScenarioMembers,
  scenario,
} from '../../crossing.ts'
import { said } from '../../crossing-sides.ts'
import { UPSTREAM_MODEL } from '../../scripted-upstream.ts'

/** One of the statuses, in an error object with a message. */
function refusedWith(crossing: Crossing, ...statuses: readonly number[]): void {
  const { answer } = crossing
  const due = `status ${statuses.join(' or ')}`
  const status = statuses.find((one) => one === answer?.response.status)
  if (answer === undefined || status === undefined) return fail(due, said(crossing))
  const mismatch = refused(status)(answer, { baseUrl: '', profile: 'wire', model: '' })
  if (mismatch !== undefined) fail(mismatch.expected, mismatch.actual)
}

/** No request reaches the upstream. */
function staysAtGateway({ calls, strays }: Crossing): void {
  const count = calls.length + strays.length
  if (count > 0) fail('a refusal of the gateway, and no request at the upstream', `${count} at the upstream`)
}

/** Keys of clients that a gateway without keys is called with are ordinary words, or none. */
function requireKeys({ clientKey }: RunFacts): void {
  if (clientKey === '' || isOrdinary(clientKey))
    throw new NotApplicable('the gateway has no keys of its own: CONFORMANCE_API_KEY names none')
}

/** A gateway has unknown models if it lists its own; one with a pattern, or that of the upstream, forwards any name. */
function requireModels({ listed }: RunFacts): void {
  if (listed === undefined || listed.length === 0)
    throw new NotApplicable('the gateway lists no models, so any name may be one')
  const open = listed.find((id) => id.includes('*') || id === UPSTREAM_MODEL)
  if (open !== undefined) throw new NotApplicable(`the gateway forwards any model: it lists \`${open}\``)
}

const FORMS: readonly (readonly [name: string, request: ScenarioMembers['request'] & {}])[] = [
  ['', {}],
  ['-streamed', { stream: true }],
]

function ofKey(name: string, what: string, authorization: (key: string) => string | null) {
  return FORMS.map(([form, request]) =>
    scenario(`gate.own-${name}${form}`, 'GATE-15', `${what}${form && ', streamed'}, is refused with a 401`)
      .with({ phase: 'failures', request, authorization })
      .verify((crossing, facts) => {
        requireKeys(facts)
        const status = crossing.answer?.response.status
        if (status === 200)
          fail(
            'status 401 (a gateway without keys of its own is judged without CONFORMANCE_API_KEY)',
            said(crossing),
          )
        refusedWith(crossing, 401)
        staysAtGateway(crossing)
      }),
  )
}

/** The key with another last letter, which a comparison of the beginning would accept. */
const changed = (key: string): string => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')

export const scenarios: readonly GatewayScenario[] = [
  ...ofKey('missing-key', 'a request without a key', () => null),
  ...ofKey('wrong-key', 'a request with a wrong key', () => 'Bearer touchstone-wrong-key-0123456789'),
  ...ofKey(
    'changed-key',
    "a request with the client's key but for its last letter",
    (key) => `Bearer ${changed(key)}`,
  ),
  ...ofKey('longer-key', "a request with the client's key and more letters", (key) => `Bearer ${key}x`),
  ...FORMS.map(([form, request]) =>
    scenario(
      `gate.own-unknown-model${form}`,
      'GATE-15',
      `an unknown model${form && ', streamed'}, is refused with a 404 or 400`,
    )
      .with({ phase: 'failures', request, model: 'touchstone-no-such-model' })
      .verify((crossing, facts) => {
        requireKeys(facts)
        requireModels(facts)
        refusedWith(crossing, 404, 400)
        staysAtGateway(crossing)
      }),
  ),
]
