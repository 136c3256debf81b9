// The kill table of docs/mutants.json holds: a sample of the mutants is judged again, and each check of servers has a fault
// that it catches, or a test of its own. `npm run conformance -- mutants` judges all of them by the whole
// catalogue, and the gate a sample of each table.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createPen } from '../../../harness/cli/pen.ts'
import { bodyChecks } from '../../subjects/server/cases/edges/random-bodies.ts'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { readOptions } from '../../cli/judge-options.ts'
import { clientRows } from '../../subjects/client/catalogue.ts'
import { gatewayRows } from '../../subjects/gateway/catalogue.ts'
import { faultyGateways } from './gateway-pool.ts'
import { judgeMutants, type MutantKind } from './judge-mutants.ts'
import { NOT_ALWAYS, killTable } from './kill-table.ts'
import { listAllMutants, type Mutant } from './mutant.ts'
import { isRight } from './mutant-verdict.ts'
import { renderPage, renderVerdict } from './mutants-page.ts'
import { sampleOf } from './sample.ts'
import { faultyServers } from './server-pool.ts'
import { UNCAUGHT } from './uncaught-checks.fixture.ts'

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
  expect(missing.map(({ id }) => id).toSorted()).toEqual(NOT_ALWAYS)
})

test('every check of servers is caught by a fault of the kill table, has a test of its own, or is on the list', () => {
  const faults = [...lists.servers, ...lists.derived].filter(({ kind }) => kind === 'fault')
  const caught = new Set(faults.flatMap(({ id }) => killTable.servers[id] ?? []))
  const tests = globSync('conformance/**/*.test.ts', { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('')
  const { cases, observers } = fullCatalogue()
  // One test shows that each of these sends bodies that break its row.
  const random = new Set(bodyChecks.map(({ slug }) => `invalid-bodies.${slug}`))
  const open = [...cases, ...observers].filter(
    ({ id }) => !caught.has(id) && !random.has(id) && !tests.includes(`'${id}'`),
  )
  expect(open.map(({ id }) => id).toSorted()).toEqual([...UNCAUGHT].toSorted())
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
  expect(page, 'npm run conformance -- mutants --markdown docs/mutants.md').toBe(renderPage(lists))
})
