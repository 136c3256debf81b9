// For tests of cases: the judge's own runner on the scripted chat service, which it probes like any target.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Case, Observer } from '../../runner/case.ts'
import { discoverTarget } from '../../target/discover-target.ts'
import { watch } from '../../runner/observe.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import { runCases } from '../../runner/runner.ts'
import { createSender } from '../../runner/sender.ts'
import type { Profile } from '../../../harness/target-facts.ts'
import { type Delivery, ECHO, type Fault, KEY, startChat } from './scripted-chat.fixture.ts'
import { type Verdict, verdictsOf } from './scripted-verdicts.fixture.ts'

export interface JudgeOptions {
  readonly observers?: readonly Observer[]
  readonly profile?: Profile
  /** The most that one exchange may take, in milliseconds. */
  readonly timeoutMs?: number
  readonly runs?: number
  /** Default: every answer goes out at once. */
  readonly deliver?: Delivery
  /** A token whose id is known; by default none is. */
  readonly token?: { readonly id: string; readonly text: string }
}

/** Runs cases against the service with one fault, by the judge's own runner. SHOULD rows fail as MUST rows do. */
export async function judgeChat(
  fault: Fault | undefined,
  cases: readonly Case[],
  { observers = [], profile = 'service', timeoutMs = 10_000, runs = 20, deliver, token }: JudgeOptions = {},
): Promise<readonly Verdict[]> {
  await using service = await startChat(fault, deliver)
  const { baseUrl } = service
  const probe = createProbe({ baseUrl, key: KEY, timeoutMs })
  const facts = { baseUrl, profile, model: ECHO }
  const watched = watch(observers, () => facts, { strict: true })
  const sender = createSender({
    probe,
    maxRequests: 100_000,
    onExchange: (exchange) => watched.see(exchange),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    patienceMs: 90_000,
    now: () => performance.now(),
    random: () => 0,
  })
  const signal = AbortSignal.timeout(60_000)
  const target = discoverTarget({
    ...facts,
    key: KEY,
    learned: { key: 'given', model: 'given' },
    given: {},
    token,
    ask: (request) => sender.send(request, { signal }),
    randomText: () => `random ${randomUUID()}`,
  })
  const options = { target, sender, seed: 1, runs, concurrency: 4, strict: true, require: [], signal }
  const results = await runCases(cases, options)
  probe.close()
  return verdictsOf([...results, ...watched.results()])
}
