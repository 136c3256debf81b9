// The judge judged, on some servers, clients and gateways: every fault is caught by the row that it breaks, no other row is blamed,
// and no odd one is red. `npm run conformance -- mutants` judges all servers, and with `--clients` or
// `--gateways` all clients or gateways.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { clientRows } from '../../subjects/client/catalogue.ts'
import { readOptions } from '../../cli/options.ts'
import { createPen } from '../../../harness/cli/pen.ts'
import { figuresIn } from './derived-figures.ts'
import { judgeFaultyClients } from './judge-clients.ts'
import { gatewayRows } from '../../subjects/gateway/catalogue.ts'
import { judgeFaultyGateways } from './judge-gateways.ts'
import { judgeFaultyServers } from './judge-servers.ts'
import { type Mutant, listFaultyClients, listFaultyGateways, listFaultyServers } from './mutant.ts'
import { renderPage, renderVerdict } from './render.ts'
import { isRight } from './verdict.ts'

/** A bound for a judge that hangs: some minutes are enough on two cores that do nothing else. */
const TIMEOUT_MS = 1_800_000

let servers: readonly Mutant[]
let clients: readonly Mutant[]
let gateways: readonly Mutant[]
beforeAll(async () => {
  ;[servers, clients, gateways] = await Promise.all([
    listFaultyServers(),
    listFaultyClients(),
    listFaultyGateways(),
  ])
})

// About as many as `sample` are judged; the seed says which.
test.each([
  {
    of: 'servers',
    seed: 20_261_121,
    sample: 3,
    judge: (run: Parameters<typeof judgeFaultyClients>[0]) =>
      judgeFaultyServers({ ...run, options: readOptions(['mutants'], {}), catalogue: fullCatalogue() }),
  },
  { of: 'clients', seed: 20_261_122, sample: 4, judge: judgeFaultyClients },
  {
    of: 'gateways',
    seed: 20_261_123,
    sample: 12,
    judge: (run: Parameters<typeof judgeFaultyClients>[0]) => judgeFaultyGateways({ ...run, runs: 3 }),
  },
])(
  'the judge is right about some $of of each kind',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  async ({ of, seed, sample, judge }) => {
    const all = of === 'servers' ? servers : of === 'clients' ? clients : gateways
    // In the order of the list, so that every section has its share.
    const step = Math.ceil(all.length / sample)
    const chosen = all.filter((_, index) => index % step === seed % step)
    const verdicts = await judge({ mutants: chosen, seed, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const wrong = verdicts.filter((verdict) => !isRight(verdict))
    const pen = createPen({ color: false, columns: 110 })
    expect(wrong.map((verdict) => renderVerdict(verdict, pen))).toEqual([])
    expect(verdicts).toHaveLength(chosen.length)
  },
)

test('at least 60 clients break one rule, more than 15 odd ones none, and every row of clients is broken by one', () => {
  const faults = clients.filter((client) => client.kind === 'fault')
  expect(faults.length).toBeGreaterThanOrEqual(60)
  expect(clients.length - faults.length).toBeGreaterThan(15)
  const broken = new Set(faults.map(({ requirement }) => requirement))
  expect(clientRows.filter(({ id }) => !broken.has(id))).toEqual([])
  expect(new Set(clients.map(({ id }) => id)).size).toBe(clients.length)
})

/** No other test in `npm test` catches these faults. */
const NAMED = new Set(['text-behind-done', 'shows-where-it-failed', 'stays-after-disconnect'])

/** The wrong verdicts on these gateways. */
async function wrongOn(chosen: typeof gateways) {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const verdicts = await judgeFaultyGateways({ mutants: chosen, seed: 20_261_124, signal, runs: 1 })
  expect(verdicts).toHaveLength(chosen.length)
  return verdicts.filter((verdict) => !isRight(verdict))
}

test('three faulty gateways are caught, and no other row blamed', { timeout: TIMEOUT_MS }, async () => {
  const chosen = gateways.filter(({ id }) => NAMED.has(id))
  expect(chosen).toHaveLength(NAMED.size)
  expect(await wrongOn(chosen)).toEqual([])
})

test('one fault of each row of gateways is caught alone', { timeout: TIMEOUT_MS, tags: 'slow' }, async () => {
  const faults = gateways.filter((one) => one.kind === 'fault')
  const rows = Map.groupBy(faults, ({ requirement }) => requirement)
  expect(rows.size).toBe(gatewayRows.length)
  expect(await wrongOn([...rows.values()].flatMap((own) => own.slice(0, 1)))).toEqual([])
})

test('at least 60 gateways break one rule, at least 15 odd ones none, and every row of gateways is broken by one', () => {
  const faults = gateways.filter((gateway) => gateway.kind === 'fault')
  expect(faults.length).toBeGreaterThanOrEqual(60)
  expect(gateways.length - faults.length).toBeGreaterThanOrEqual(15)
  const broken = new Set(faults.map(({ requirement }) => requirement))
  expect(gatewayRows.filter(({ id }) => !broken.has(id))).toEqual([])
  expect(new Set(gateways.map(({ id }) => id)).size).toBe(gateways.length)
})

test('docs/mutants.md shows the servers, clients and gateways as they are', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'mutants.md'), 'utf8')
  expect(page, 'npm run conformance -- mutants --markdown docs/mutants.md').toBe(
    renderPage({ servers, clients, gateways }, figuresIn(page)),
  )
})
