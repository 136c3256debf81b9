// The judge judged: every fault is found by the row that it breaks, no other row is blamed, and no odd server is.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { readOptions } from '../cli/options.ts'
import { createPen } from '../../harness/cli/pen.ts'
import { listMutants, type Mutant } from './faulty-servers.ts'
import { judgeMutants } from './judge-mutants.ts'
import { renderPage, renderVerdict } from './render.ts'
import { isRight } from './verdict.ts'

const SEED = 20_261_121
/** A bound for a judge that hangs: some minutes are enough on two cores that do nothing else. */
const TIMEOUT_MS = 1_800_000

let mutants: readonly Mutant[]
beforeAll(async () => {
  mutants = await listMutants()
})

test('the judge is right about every faulty and odd server', { timeout: TIMEOUT_MS }, async ({ signal }) => {
  const verdicts = await judgeMutants({
    mutants,
    options: readOptions(['mutants'], {}),
    catalogue: fullCatalogue(),
    seed: SEED,
    signal,
  })
  const wrong = verdicts.filter((verdict) => !isRight(verdict))
  const pen = createPen({ color: false, columns: 110 })
  expect(wrong.map((verdict) => renderVerdict(verdict, pen))).toEqual([])
  expect(verdicts).toHaveLength(mutants.length)
})

test('docs/mutants.md shows the servers as they are', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'mutants.md'), 'utf8')
  expect(page, 'npm run conformance -- mutants --markdown docs/mutants.md').toBe(renderPage(mutants))
})
