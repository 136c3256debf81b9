// For tests of cases: the judge's own runner on the scripted service, behind a fault or an oddity of the registry.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Fault, Handler, Oddity, Tools } from '../../../fixtures/faulty/behaviour.ts'
import { readBody } from '../../../fixtures/faulty/exchange.ts'
import { derived } from '../../../fixtures/faulty/derived/derived.ts'
import { faults } from '../../../fixtures/faulty/faults.ts'
import { oddities } from '../../../fixtures/faulty/oddities.ts'
import { createCallServer } from '../../../fixtures/faulty/serve.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import type { MadeKey, NewKeyOptions } from '../../../harness/keys/key-command.ts'
import type { Profile, RequestLimit } from '../../../harness/target-facts.ts'
import { readOptions } from '../../cli/options.ts'
import type { Case, Observer } from '../../runner/case.ts'
import { watch } from '../../runner/observe.ts'
import { Inconclusive, type Outcome } from '../../runner/outcomes.ts'
import { runCases } from '../../runner/runner.ts'
import { createSender } from '../../runner/sender.ts'
import { discoverTarget } from '../../target/discover-target.ts'
import type { Target } from '../../target/target.ts'
import { createService, ECHO } from './service.fixture.ts'

export interface JudgeOptions {
  readonly observers?: readonly Observer[]
  readonly profile?: Profile
  /** The longest time for one exchange, in milliseconds. */
  readonly timeoutMs?: number
  readonly runs?: number
  /** Cases in flight at the same time. */
  readonly concurrency?: number
  /** The limit of the limited key. */
  readonly limit?: RequestLimit
  /** A token whose id is known; by default none is. */
  readonly token?: { readonly id: string; readonly text: string }
  /** Replaces what the judge discovers of the target. */
  readonly target?: Partial<Target>
}

export interface Verdict {
  readonly id: string
  readonly requirement: RequirementId
  readonly outcome: Outcome
  readonly reason: string
}

/** As `createKey` of a target: no key can be made, only given ones are known. */
export async function noKeyCommand(): Promise<never> {
  throw new Inconclusive('no key command', 'CONFORMANCE_KEY_COMMAND')
}

/** A behaviour that a single test needs, of the same form as those of the registry. */
export type Start = (tools: Tools) => Handler

const registry = new Map([...faults, ...oddities, ...derived].map((entry) => [entry.id, entry]))

/** The fault or oddity with this id, written by hand or derived. */
function entryOf(id: string): Fault | Oddity {
  const entry = registry.get(id)
  if (entry === undefined) throw new RangeError(`the registry has no fault and no oddity ${id}`)
  return entry
}

/** The fault with this id. */
export function faultOf(id: string): Fault {
  const entry = entryOf(id)
  if (!('requirement' in entry)) throw new TypeError(`${id} is an oddity, not a fault`)
  return entry
}

/** Runs cases against the service behind a fault, by the judge's own runner. SHOULD rows fail as MUST rows do. */
export async function judgeFault(
  fault: string | Start,
  cases: readonly Case[],
  options: JudgeOptions = {},
): Promise<readonly Verdict[]> {
  const entry: Pick<Oddity, 'start' | 'flags' | 'keyless'> =
    typeof fault === 'string' ? entryOf(fault) : { start: fault }
  const isKeyless = entry.keyless === true
  const flags = readOptions(['mutants', ...(entry.flags ?? [])], {})
  const { observers = [], profile = flags.profile, limit = flags.limit } = options
  const { timeoutMs = 5000, runs = 10, concurrency = 4 } = options
  const clock = createClock()
  const forward = createService(clock.now)
  const makeKey = async (handler: Handler, asked: NewKeyOptions = {}): Promise<MadeKey> => {
    const body = Buffer.from(JSON.stringify(asked))
    const made = await handler({ method: 'POST', url: '/dashboard/keys', headers: [], body }, forward)
    const page = await readBody(made.body)
    const [, id = '', secret = ''] = /(key_\d+) (svc_sk_[\w-]+)/.exec(page.toString()) ?? []
    return { id, secret }
  }
  const asIs: Handler = (call, next) => next(call)
  const { secret: spare } = await makeKey(asIs)
  const handler = entry.start({ key: spare, now: clock.now })
  const key = isKeyless ? '' : (await makeKey(handler)).secret

  const server = createCallServer((call) => handler(call, forward)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const probe = createProbe({ baseUrl, key, timeoutMs })
  const facts = { baseUrl, profile, model: ECHO }
  const watched = watch(observers, () => facts, { strict: true })
  const sender = createSender({
    probe,
    maxRequests: 100_000,
    onExchange: (exchange) => watched.see(exchange),
    sleep: clock.sleep,
    patienceMs: 90_000,
    now: clock.now,
    random: () => 0,
  })
  const signal = AbortSignal.timeout(60_000)
  const discovered = discoverTarget({
    ...facts,
    key,
    learned: { key: 'given', model: 'given' },
    given: {},
    limit,
    token: options.token,
    keyMaker: isKeyless
      ? undefined
      : {
          create: (asked) => makeKey(handler, asked),
          async revoke(id) {
            const url = `/dashboard/keys/${id}/revoke`
            await handler({ method: 'POST', url, headers: [], body: new Uint8Array() }, forward)
          },
          async revokeAll() {},
        },
    ask: (request) => sender.send(request, { signal }),
    randomText: () => `random ${randomUUID()}`,
  })
  const target = { ...discovered, ...options.target }
  const common = { seed: 1, strict: true, require: [], signal }
  try {
    const results = await runCases(cases, { ...common, target, sender, runs, concurrency })
    return [...results, ...watched.results()].map(({ id, requirement: row, outcome, reason = '' }) => {
      return { id, requirement: row, outcome, reason }
    })
  } finally {
    probe.close()
    server.closeAllConnections()
    server.close()
  }
}

/** A clock on which a wait takes no time: it moves the clock forward instead. */
function createClock() {
  let skipped = 0
  return {
    now: () => performance.now() + skipped,
    sleep: async (ms: number): Promise<void> => void (skipped += ms),
  }
}

/** The verdicts that are not a pass, in the form `id: outcome, reason`, for the messages of tests. */
export function notPassed(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.flatMap(({ id, outcome, reason }) =>
    outcome === 'pass' ? [] : [`${id}: ${outcome}, ${reason}`],
  )
}

/** The ids of the checks that fail. */
export function failed(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
}

/** The rows of the checks that fail, each once, sorted. */
export function redRows(verdicts: readonly Verdict[]): readonly RequirementId[] {
  const rows = verdicts.filter(({ outcome }) => outcome === 'fail').map(({ requirement: row }) => row)
  return [...new Set(rows)].toSorted()
}
