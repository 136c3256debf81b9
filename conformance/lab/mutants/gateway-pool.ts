// Faulty and odd gateways in one process, each before an upstream of its own in this process.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { killGroup, startGroup } from '../../../harness/process-group.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { isRequirementId } from '../../../spec/catalogue/requirements.ts'
import { loadGateway } from '../../subjects/index.ts'
import type { JudgedMutant, MutantKind, MutantPool, MutantRun } from './judge-mutants.ts'
import { GATEWAYS, type Mutant } from './mutant.ts'

/** The time limit for an answer, in milliseconds: that of the gateways is shorter. */
const TIMEOUT_MS = 7_000

/** The duration of the long stream, in milliseconds: longer than the time limit of the gateway that has one. */
const LONG_STREAM_MS = 2_500

/** How long connections are idle, in milliseconds: with the time to notice their end, longer than faulty gateways keep them. */
const IDLE_MS = 1_200

const CLIENT_KEY = 'svc_sk_the-key-of-the-client'
const UPSTREAM_KEY = 'svc_sk_the-key-of-the-upstream'

export const faultyGateways: MutantKind = {
  noun: 'gateway',
  together: Infinity,
  // Each sends a dozen requests at a time, some of several MB.
  atATime: 4,
  start: startGateways,
}

async function startGateways(
  _: readonly Mutant[],
  { seed, signal, options }: MutantRun,
): Promise<MutantPool> {
  const subject = await loadGateway()
  const child = startGroup([process.execPath, GATEWAYS, '--port', '0'], {
    env: { ...process.env, GATEWAY_UPSTREAM_KEY: UPSTREAM_KEY, GATEWAY_CLIENT_KEY: CLIENT_KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { stdout } = child
  if (stdout === null) throw new TypeError('stdout is a pipe')
  const [origin] = (await once(createInterface({ input: stdout }), 'line')) as [string]

  async function judge(gateway: Mutant): Promise<JudgedMutant> {
    const upstream = await subject.startUpstream(0)
    const { checks } = await subject.judge(
      {
        baseUrl: `${origin}/${gateway.id}/${new URL(upstream.origin).port}`,
        upstream,
        credentials: { CONFORMANCE_API_KEY: CLIENT_KEY, CONFORMANCE_UPSTREAM_KEY: UPSTREAM_KEY },
        timeoutMs: TIMEOUT_MS,
        longStreamMs: LONG_STREAM_MS,
        idleMs: IDLE_MS,
        seed,
        runs: options.runs,
        signal,
      },
      createRedactor(),
    )
    return {
      checks: checks.flatMap(({ requirement, ...check }) =>
        isRequirementId(requirement) ? [{ ...check, requirement }] : [],
      ),
    }
  }

  return {
    covered: new Set(subject.rows('service').map(({ id }) => id)),
    judge,
    [Symbol.asyncDispose]: async () => killGroup(child),
  }
}
