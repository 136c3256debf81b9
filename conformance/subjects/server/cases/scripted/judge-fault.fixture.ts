// Tests of cases use this: the judge's own runner on the scripted service, behind a fault or an oddity of the registry.
import { randomUUID } from 'node:crypto'
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import type { Fault, Oddity } from '../../../../../fixtures/faulty/behaviour.ts'
import { derived } from '../../../../../fixtures/faulty/derived/derived.ts'
import { faults } from '../../../../../fixtures/faulty/fault-table.ts'
import { oddities } from '../../../../../fixtures/faulty/oddities/odd-servers.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { createProbe } from '../../../../../harness/http/probe.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import type { Profile, RequestLimit } from '../../../../../harness/target-facts.ts'
import { profile as readProfile, requestLimit } from '../../../../../harness/cli/flag-values.ts'
import type { Case } from '../../case.ts'
import { type Observer, watch } from '../../../../contract/observer.ts'
import { Inconclusive, type Outcome } from '../../../../contract/outcome.ts'
import { runCases } from '../../run/run-cases.ts'
import { createSender } from '../../run/sender.ts'
import { discoverTarget } from '../../../../facts/discover-target.ts'
import type { Target } from '../../../../contract/target.ts'
import { ECHO } from './service.fixture.ts'
import { type Start, startService } from './start-service.fixture.ts'

/** The longest time for one exchange, in milliseconds of real time. */
const TIMEOUT_MS = 5000

export interface JudgeOptions {
  readonly observers?: readonly Observer[]
  readonly profile?: Profile
  readonly runs?: number
  readonly concurrency?: number
  readonly limit?: RequestLimit
  /** The longest time for one exchange, in milliseconds of real time. Default: `TIMEOUT_MS`. */
  readonly timeoutMs?: number
  /** A token whose id is known; by default none is. */
  readonly token?: { readonly id: string; readonly text: string }
  /** Hears each exchange with the id of the check that sent it, and each request whose connection broke twice. */
  readonly onExchange?: (exchange: Exchange, by: string | undefined) => void
  readonly onBroken?: (error: TransportError) => void
  /** Replaces what the judge discovers of the target. */
  readonly target?: Partial<Target>
}

export interface Verdict {
  readonly id: string
  readonly requirement: RequirementId
  readonly outcome: Outcome
  readonly reason: string
}

/** A `createKey` of a target without a key command: no key can be made, only given ones are known. */
export async function noKeyCommand(): Promise<never> {
  throw new Inconclusive('no key command', 'CONFORMANCE_KEY_COMMAND')
}

const registry = new Map([...faults, ...oddities, ...derived].map((entry) => [entry.id, entry]))

/** The fault or oddity with this id, written by hand or derived. */
function entryOf(id: string): Fault | Oddity {
  const entry = registry.get(id)
  if (entry === undefined) throw new RangeError(`the registry has no fault and no oddity ${id}`)
  return entry
}

export function faultOf(id: string): Fault {
  const entry = entryOf(id)
  if (!('requirement' in entry)) throw new TypeError(`${id} is an oddity, not a fault`)
  return entry
}

/** Runs cases against the service behind a fault, by the judge's own runner. SHOULD rows fail as MUST rows do. */
export async function judgeFault(fault: string | Start, cases: readonly Case[], options: JudgeOptions = {}) {
  const entry: Pick<Oddity, 'start' | 'flags' | 'keyless'> =
    typeof fault === 'string' ? entryOf(fault) : { start: fault }
  const flags = flagsOf(entry.flags)
  const { observers = [], profile = flags.profile, limit = flags.limit } = options
  const { runs = 10, concurrency = 4 } = options
  const { timeoutMs = options.timeoutMs ?? TIMEOUT_MS } = flags
  await using service = await startService(entry.start)
  const { baseUrl, clock } = service
  const key = entry.keyless === true ? '' : service.key
  const probe = createProbe({ baseUrl, key, timeoutMs, now: clock.now })
  const facts = { baseUrl, profile, model: ECHO }
  const watched = watch(observers, () => facts, { strict: true })
  const sender = createSender({
    probe,
    maxRequests: 100_000,
    onExchange(exchange, by) {
      options.onExchange?.(exchange, by)
      watched.see(exchange)
    },
    onBroken(error) {
      if (error instanceof TransportError) options.onBroken?.(error)
      watched.seeBroken(error)
    },
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
    keyMaker:
      entry.keyless === true
        ? undefined
        : { create: service.createKey, revoke: service.revokeKey, async revokeAll() {} },
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

/** The outcomes of all checks or of those of one row, each once. */
export function outcomesOf(verdicts: readonly Verdict[], row?: RequirementId): readonly Outcome[] {
  const ofRow = verdicts.filter(({ requirement }) => row === undefined || requirement === row)
  return [...new Set(ofRow.map(({ outcome }) => outcome))]
}

export function outcomeOf(verdicts: readonly Verdict[], id: string): Outcome | undefined {
  return verdicts.find((verdict) => verdict.id === id)?.outcome
}

/** The rows of the checks that fail, each once, sorted. */
export function redRows(verdicts: readonly Verdict[]): readonly RequirementId[] {
  const rows = verdicts.filter(({ outcome }) => outcome === 'fail').map(({ requirement: row }) => row)
  return [...new Set(rows)].toSorted()
}

/** The values of the flags with which a server must be judged; those of a run by default. */
function flagsOf(words: readonly string[] = []) {
  const valueOf = (flag: string): string | undefined => words[words.indexOf(flag) + 1 || words.length]
  const [limit, seconds] = [valueOf('--limit'), valueOf('--timeout')]
  return {
    profile: readProfile(valueOf('--profile') ?? 'service', '--profile'),
    limit: limit === undefined ? undefined : requestLimit(limit, '--limit'),
    timeoutMs: seconds === undefined ? undefined : 1000 * Number(seconds),
  }
}
