// The judge of clients judged, on some of them: every fault is found by the row that it breaks, no other row is blamed,
// and no odd client is. `npm run conformance -- mutants --clients` judges them all.
import { beforeAll, expect, test } from 'vitest'
import { createPen } from '../../harness/cli/pen.ts'
import { clientSettings } from '../clients/client-settings.ts'
import { clientRows } from '../clients/scenarios.ts'
import type { Mutant } from '../faulty-servers/faulty-servers.ts'
import { renderVerdict } from '../faulty-servers/render.ts'
import { isRight } from '../faulty-servers/verdict.ts'
import { judgeFaultyClients, listFaultyClients } from './judge-faulty-clients.ts'

const SEED = 20_261_122
/** About how many clients are judged. */
const SAMPLE = 4
/** A bound for a judge that hangs. */
const TIMEOUT_MS = 1_800_000

let clients: readonly Mutant[]
beforeAll(async () => {
  clients = await listFaultyClients()
})

test('at least 60 clients break one rule, and 15 odd ones none; every row is broken by one', () => {
  const faults = clients.filter((client) => client.kind === 'fault')
  expect(faults.length).toBeGreaterThanOrEqual(60)
  expect(clients.length - faults.length).toBeGreaterThan(15)
  const broken = new Set(faults.map(({ requirement }) => requirement))
  expect(clientRows.filter(({ id }) => !broken.has(id))).toEqual([])
  expect(new Set(clients.map(({ id }) => id)).size).toBe(clients.length)
})

test(
  'the judge is right about some clients of each kind',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  async ({ signal }) => {
    // As they are listed, so that every section has its share.
    const step = Math.ceil(clients.length / SAMPLE)
    const chosen = clients.filter((_, at) => at % step === SEED % step)
    const verdicts = await judgeFaultyClients({
      clients: chosen,
      settings: clientSettings({ seed: SEED }),
      signal,
    })
    const pen = createPen({ color: false, columns: 110 })
    expect(
      verdicts.filter((verdict) => !isRight(verdict)).map((verdict) => renderVerdict(verdict, pen)),
    ).toEqual([])
    expect(verdicts).toHaveLength(chosen.length)
  },
)
