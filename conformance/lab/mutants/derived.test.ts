// The judge is right about a sample of the derived servers: it catches each fault, and blames nothing that rows allow.
import { expect, test } from 'vitest'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { readOptions } from '../../cli/options.ts'
import { renderWrong } from './derived-figures.ts'
import { sampleOf } from './derived-run.ts'
import { judgeFaultyServers } from './judge-servers.ts'
import { listFaultyServers } from './mutant.ts'
import { isRight } from './verdict.ts'

const SEED = 20_261_122
const SAMPLE = 4
/** A bound for a judge that hangs: a minute or two are enough on two cores that do nothing else. */
const TIMEOUT_MS = 900_000

test(
  'the judge is right about a sample of the derived servers',
  { tags: 'slow', timeout: TIMEOUT_MS },
  async ({ signal }) => {
    const drawn = sampleOf(await listFaultyServers({ derived: true }), SAMPLE, SEED)
    expect(drawn).toHaveLength(SAMPLE)
    const verdicts = await judgeFaultyServers({
      mutants: drawn,
      options: readOptions(['mutants'], {}),
      catalogue: fullCatalogue(),
      seed: SEED,
      signal,
    })
    expect(renderWrong(verdicts.filter((verdict) => !isRight(verdict)))).toBe('')
  },
)

test('a seed draws the same servers, whatever stands beside them', async () => {
  const all = await listFaultyServers({ derived: true })
  const drawn = sampleOf(all, SAMPLE, SEED)
  const again = sampleOf(all.toReversed(), SAMPLE, SEED)
  expect(again.map(({ id }) => id).toSorted()).toEqual(drawn.map(({ id }) => id).toSorted())
  expect(sampleOf(all, SAMPLE, SEED + 1)).not.toEqual(drawn)
})
