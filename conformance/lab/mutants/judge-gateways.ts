// Judges every faulty and odd gateway by the whole catalogue of gateways, several at a time. All of them are one process,
// each before an upstream of its own in this process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createRedactor } from '../../../harness/redact.ts'
import { judgeGateway } from '../../subjects/gateway/judge.ts'
import { startUpstream } from '../../subjects/gateway/upstream.ts'
import { gatewayRows } from '../../subjects/gateway/catalogue.ts'
import { isRequirementId } from '../../../spec/catalogue/requirements.ts'
import { GATEWAYS, type Mutant } from './mutant.ts'
import { type MutantRun, type MutantVerdict, judgeAll, verdictOn } from './verdict.ts'

/** The time for an answer, in milliseconds: that of the gateways is shorter. */
const TIMEOUT_MS = 3_000

const CLIENT_KEY = 'svc_sk_the-key-of-the-client'
const UPSTREAM_KEY = 'svc_sk_the-key-of-the-upstream'

/** Judges these gateways by so many cases of each property, and returns the verdicts in their order. */
export async function judgeFaultyGateways(run: MutantRun & { readonly runs: number }) {
  const { seed, signal, runs } = run
  const covered = new Set<string>(gatewayRows.map(({ id }) => id))
  using pool = await startGateways()

  async function judge(gateway: Mutant): Promise<MutantVerdict> {
    const upstream = await startUpstream(0)
    const { requirements } = await judgeGateway(
      {
        baseUrl: `${pool.baseUrl}/${gateway.id}/${new URL(upstream.origin).port}`,
        upstream,
        credentials: { CONFORMANCE_API_KEY: CLIENT_KEY, CONFORMANCE_UPSTREAM_KEY: UPSTREAM_KEY },
        timeoutMs: TIMEOUT_MS,
        seed,
        runs,
        signal,
      },
      createRedactor(),
    )
    signal.throwIfAborted()
    const rows = requirements.flatMap(({ id, ...row }) => (isRequirementId(id) ? [{ id, ...row }] : []))
    return verdictOn(gateway, rows, covered)
  }

  return await judgeAll(run, judge)
}

async function startGateways() {
  const child = spawn(process.execPath, [GATEWAYS, '--port', '0'], {
    env: { ...process.env, GATEWAY_UPSTREAM_KEY: UPSTREAM_KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = (): void => void child.kill('SIGKILL')
  process.once('exit', stop)
  const [baseUrl] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    baseUrl,
    [Symbol.dispose]() {
      stop()
      process.off('exit', stop)
    },
  }
}
