// The judge judged, on some servers: every fault is found by the row that it breaks, no other row is blamed, and no odd
// server is. `npm run conformance -- mutants` judges them all.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { listFaultyClients } from '../faulty-clients/judge-faulty-clients.ts'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { readOptions } from '../cli/options.ts'
import { figuresIn } from './derived-figures.ts'
import { createPen } from '../../harness/cli/pen.ts'
import { listMutants, type Mutant } from './faulty-servers.ts'
import { judgeMutants } from './judge-mutants.ts'
import { renderPage, renderVerdict } from './render.ts'
import { isRight } from './verdict.ts'

const SEED = 20_261_121
/** About how many servers are judged; the seed says which. */
const SAMPLE = 3
/** A bound for a judge that hangs: some minutes are enough on two cores that do nothing else. */
const TIMEOUT_MS = 1_800_000

let mutants: readonly Mutant[]
beforeAll(async () => {
  mutants = await listMutants()
})

test(
  'the judge is right about some servers of each kind',
  { timeout: TIMEOUT_MS, tags: 'slow' },
  async ({ signal }) => {
    // As they are listed, so that every section has its share.
    const step = Math.ceil(mutants.length / SAMPLE)
    const judged = mutants.filter((_, index) => index % step === SEED % step)
    const verdicts = await judgeMutants({
      mutants: judged,
      options: readOptions(['mutants'], {}),
      catalogue: fullCatalogue(),
      seed: SEED,
      signal,
    })
    const wrong = verdicts.filter((verdict) => !isRight(verdict))
    const pen = createPen({ color: false, columns: 110 })
    expect(wrong.map((verdict) => renderVerdict(verdict, pen))).toEqual([])
    expect(verdicts).toHaveLength(judged.length)
  },
)

test('docs/mutants.md shows the servers and clients as they are', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'mutants.md'), 'utf8')
  expect(page, 'npm run conformance -- mutants --markdown docs/mutants.md').toBe(
    renderPage(mutants, figuresIn(page), await listFaultyClients()),
  )
})
