// The kill table of docs/mutants.json holds: a sample of the mutants is judged again, and each check of servers has a fault
// that it catches. `npx touchstone mutants` judges all of them by the whole
// catalogue, and the gate a sample of each table.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { requirements } from '../../../spec/catalogue/requirements.ts'
import { inTurns } from '../../../harness/waiting.ts'
import { createPen } from '../../../harness/cli/pen.ts'
import { ECHO_TOKEN } from '../../facts/known-token.ts'
import type { Case } from '../../subjects/server/case.ts'
import { judgeFault } from '../../subjects/server/cases/scripted/judge-fault.fixture.ts'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { readOptions } from '../../cli/judge-options.ts'
import { clientRows } from '../../subjects/client/catalogue.ts'
import { gatewayRows } from '../../subjects/gateway/catalogue.ts'
import { faultyGateways } from './gateway-pool.ts'
import { judgeMutants, type MutantKind } from './judge-mutants.ts'
import { killTable } from './kill-table.ts'
import { listAllMutants, type Mutant } from './mutant.ts'
import { isRight } from './mutant-verdict.ts'
import { renderPage, renderVerdict } from './mutants-page.ts'
import { sampleOf } from './sample.ts'
import { faultyServers } from './server-pool.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const SEED = 20_261_121

const readFlags = (words: readonly string[]) => readOptions(['mutants', ...words], {})

/** A bound for a judge that hangs: some minutes are enough on two cores that do nothing else. */
const TIMEOUT_MS = 1_800_000

let lists: Awaited<ReturnType<typeof listAllMutants>>
beforeAll(async () => {
  lists = await listAllMutants()
})

/** Judges mutants by the rows of the kill table, or by the whole catalogue, and expects the judge to be right. */
async function expectRight(
  kind: MutantKind,
  mutants: readonly Mutant[],
  brief: boolean,
  signal: AbortSignal,
) {
  const options = { ...readOptions(['mutants'], {}), runs: 3 }
  const verdicts = await judgeMutants(kind, { mutants, seed: SEED, options, readFlags, signal, brief })
  const pen = createPen({ color: false, columns: 110 })
  const wrong = verdicts.filter((verdict) => !isRight(verdict))
  expect(wrong.map((verdict) => renderVerdict(verdict, pen))).toEqual([])
  expect(verdicts).toHaveLength(mutants.length)
}

const pinnedServers = () => [...lists.servers, ...lists.derived].filter(({ id }) => id in killTable.servers)

test(
  'a sample of the servers is judged as the kill table says',
  { timeout: TIMEOUT_MS },
  async ({ signal }) => {
    await expectRight(faultyServers, sampleOf(pinnedServers(), 2, SEED), true, signal)
  },
)

test(
  'a larger sample of the servers is judged as the kill table says',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  async ({ signal }) => {
    await expectRight(faultyServers, sampleOf(pinnedServers(), 20, SEED + 1), true, signal)
  },
)

/** The pinned checks of a fault that the scripted service can show at once, without waits and without its limits. */
function shownAtOnce({ id }: Mutant): readonly Case[] {
  const pinned = killTable.servers[id] ?? []
  const { cases } = fullCatalogue()
  return cases.filter((one) => pinned.includes(one.id) && one.waits !== true && one.exclusive !== true)
}

/** Faults that show only on the reference server, by the form of its texts, answers and keys. */
const ELSEWHERE = new Set(
  `keys-forgets-revocations wire-streams-for-null stream-stays-open-with-tools tools-escapes-cut-letters-twice
  tools-drops-empty-members wire-drops-empty-members chat-loses-emoji-of-results wire-refuses-loose-schemas`.split(
    /\s+/,
  ),
)

/** Judges servers by two of their checks each on the scripted service, and expects one of them to fail. */
async function expectCaught(servers: readonly Mutant[]): Promise<void> {
  const passed = await inTurns(servers, 2, async (fault) => {
    const verdicts = await judgeFault(fault.id, shownAtOnce(fault).slice(0, 2), {
      runs: 3,
      token: ECHO_TOKEN,
    })
    return verdicts.some(({ outcome }) => outcome === 'fail') ? [] : [fault.id]
  })
  expect(passed.flat()).toEqual([])
}

const shown = () =>
  lists.servers.filter((one) => one.kind === 'fault' && !ELSEWHERE.has(one.id) && shownAtOnce(one).length > 0)

test(
  'a sample of the faults fails checks of the kill table on the scripted service',
  { timeout: 120_000 },
  () => expectCaught(sampleOf(shown(), 24, SEED)),
)

test(
  'each fault fails checks of the kill table on the scripted service',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  () => expectCaught(shown()),
)

test(
  'one fault of each row of gateways is caught alone',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  async ({ signal }) => {
    const faults = lists.gateways.filter((one) => one.kind === 'fault')
    const rows = Map.groupBy(faults, ({ requirement }) => requirement)
    await expectRight(
      faultyGateways,
      [...rows.values()].flatMap((own) => own.slice(0, 1)),
      false,
      signal,
    )
  },
)

async function expectGatewaysCaught(ids: readonly string[], signal: AbortSignal): Promise<void> {
  const chosen = lists.gateways.filter(({ id }) => ids.includes(id))
  expect(chosen).toHaveLength(ids.length)
  await expectRight(faultyGateways, chosen, false, signal)
}

test(
  'a faulty gateway is caught, and no other row blamed',
  { timeout: TIMEOUT_MS },
  async ({ signal }) => await expectGatewaysCaught(['text-behind-done'], signal),
)

test(
  'two more faulty gateways, which no other test catches',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  async ({ signal }) =>
    await expectGatewaysCaught(['shows-where-it-failed', 'stays-after-disconnect'], signal),
)

test('the kill table has an entry for each hand-written faulty server, and none without a server', () => {
  const known = new Set([...lists.servers, ...lists.derived].map(({ id }) => id))
  expect(Object.keys(killTable.servers).filter((id) => !known.has(id))).toEqual([])
  const missing = lists.servers.filter(({ id, kind }) => kind === 'fault' && !(id in killTable.servers))
  expect(missing.map(({ id }) => id)).toEqual([])
})

/** The checks that no faulty server turns red, with the reason. Those of a MAY row cannot be red: they report what is offered. */
const NEVER_RED: Readonly<Record<string, string>> = {
  'keys.given-prefix':
    'no answer shows the key that the judge was given: `keys.test.ts` gives it another one',
  'keys.made-prefix': 'as for `keys.given-prefix`: the key command prints the key',
  'sdk.bad-request-error':
    'the library derives the class of an error from its status: another status is not applicable',
  'sdk.authentication-error': 'as for `sdk.bad-request-error`',
  'sdk.not-found-error': 'as for `sdk.bad-request-error`',
  'sdk.rate-limit-error': 'as for `sdk.bad-request-error`',
  'wire.logit-bias-acts':
    'the model behind every faulty server echoes: `logprobs.test.ts` has one that does not',
}

test('every check of servers is caught by a fault of the kill table, or has a reason why none can do that', () => {
  const faults = [...lists.servers, ...lists.derived].filter(({ kind }) => kind === 'fault')
  const caught = new Set(faults.flatMap(({ id }) => killTable.servers[id] ?? []))
  const optional = new Set(requirements.filter(({ level }) => level === 'MAY').map(({ id }) => id))
  const { cases, observers } = fullCatalogue()
  // The rows of section PARSE need a model whose texts are known: `parse.test.ts` has an engine with faults.
  const open = [...cases, ...observers].filter(
    ({ id, requirement }) =>
      !caught.has(id) && !optional.has(requirement) && !requirement.startsWith('PARSE-'),
  )
  expect(open.map(({ id }) => id).toSorted()).toEqual(Object.keys(NEVER_RED).toSorted())
})

test.each([
  ['clients', 60, 16, clientRows],
  ['gateways', 60, 15, gatewayRows],
] as const)(
  'of the %s at least %i break a rule, %i are odd, and each row is broken by one',
  (part, faults, odd, rows) => {
    const broken = lists[part].flatMap((one) => (one.kind === 'fault' ? [one.requirement] : []))
    expect(broken.length).toBeGreaterThanOrEqual(faults)
    expect(lists[part].length - broken.length).toBeGreaterThanOrEqual(odd)
    expect(rows.filter(({ id }) => !broken.includes(id))).toEqual([])
    expect(new Set(lists[part].map(({ id }) => id)).size).toBe(lists[part].length)
  },
)

test('docs/mutants.md shows the servers, clients and gateways as they are', () => {
  const page = readFileSync(join(ROOT, 'docs', 'mutants.md'), 'utf8')
  expect(page, 'npx touchstone mutants --markdown docs/mutants.md').toBe(renderPage(lists))
})
