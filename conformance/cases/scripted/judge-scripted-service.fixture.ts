// For tests of cases: the judge's own runner on the scripted service, as on a target of which all is known.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Case, Observer } from '../../runner/case.ts'
import { watch } from '../../runner/observe.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import { runCases } from '../../runner/runner.ts'
import { createSender } from '../../runner/sender.ts'
import { madeTarget } from '../../target/target.fixture.ts'
import type { Target } from '../../target/target.ts'
import type { RequestLimit } from '../../../harness/target-facts.ts'
import { type Fault, MODELS, type Service, startService } from './scripted-service.fixture.ts'
import { type Verdict, verdictsOf } from './scripted-verdicts.fixture.ts'

/** The limit of the limited key: soon exhausted, and soon renewed. */
export const TEST_LIMIT: RequestLimit = { requests: 3, windowSeconds: 0.3 }

/** The facts that a key command and the list of models would reveal about the service. */
function targetOf({ baseUrl, keys }: Service): Target {
  const main = keys.create()
  const limited = keys.create({ limit: TEST_LIMIT })
  const [model = '', other = ''] = MODELS
  return madeTarget({
    baseUrl,
    model,
    key: main.secret,
    models: async () => MODELS,
    secondKey: async () => keys.create().secret,
    async revokedKey() {
      const key = keys.create()
      key.revoked = true
      return key.secret
    },
    restricted: async () => ({ key: keys.create({ models: [model] }).secret, model: other }),
    limited: async () => ({ key: limited.secret, limit: TEST_LIMIT }),
    createKey: async (options) => keys.create(options),
    async revokeKey(id) {
      for (const key of keys.all) if (key.id === id) key.revoked = true
    },
  })
}

export interface JudgeOptions {
  readonly observers?: readonly Observer[]
  /** Changes what is known of the target. */
  readonly target?: Partial<Target>
  /** Cases at the same time. */
  readonly concurrency?: number
}

/** Runs cases against the service with the judge's runner. SHOULD rows fail as MUST rows do. */
export async function judge(
  service: Service,
  cases: readonly Case[],
  { observers = [], target: more = {}, concurrency = 4 }: JudgeOptions = {},
): Promise<readonly Verdict[]> {
  const target = { ...targetOf(service), ...more }
  const probe = createProbe({ baseUrl: service.baseUrl, key: target.key, timeoutMs: 5000 })
  const watched = watch(observers, () => target, { strict: true })
  const sender = createSender({
    probe,
    maxRequests: 10_000,
    onExchange: (exchange) => watched.see(exchange),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    patienceMs: 90_000,
    now: () => performance.now(),
    random: () => 0,
  })
  const results = await runCases(cases, {
    target,
    sender,
    seed: 1,
    runs: 20,
    concurrency,
    strict: true,
    require: [],
    signal: AbortSignal.timeout(60_000),
  })
  probe.close()
  return verdictsOf([...results, ...watched.results()])
}

/** Judges the service with one fault, by these cases. */
export async function judgeFault(
  fault: Fault,
  cases: readonly Case[],
  options: JudgeOptions = {},
): Promise<readonly Verdict[]> {
  await using service = await startService(fault)
  return await judge(service, cases, options)
}
