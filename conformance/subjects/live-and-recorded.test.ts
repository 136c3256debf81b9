// Every observer of a live run ends the same in the recording of that run.
import { describe, expect, test } from 'vitest'
import { faults } from '../../fixtures/faulty/fault-table.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { judgeFault } from './server/cases/scripted/judge-fault.fixture.ts'
import { select } from './server/selection.ts'
import { fullCatalogue } from './server/catalogue.ts'
import { runConformance } from '../run-conformance.ts'
import { createCaptureFile } from '../exchanges/capture-file.ts'
import { judgeFile } from './recording/recording.fixture.ts'
import { brokenNow, recordedNow } from '../exchanges/recorded-exchange.ts'

const { cases, observers } = select(fullCatalogue(), { profile: 'service', only: undefined, quick: true })

/** Rows that observers of this suite judge: faults of these change what a recording shows. */
const observed = new Set(observers.map(({ requirement }) => requirement))
const eligible = faults.filter(({ requirement, flags }) => observed.has(requirement) && flags === undefined)

/** The outcome of each observer, by its id. */
async function recorded(file: string): Promise<ReadonlyMap<string, string>> {
  const report = await judgeFile(file, { profile: 'service', subject: 'server' })
  return new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
}

const isObserver = ({ id }: { readonly id: string }): boolean =>
  observers.some((observer) => observer.id === id)

async function sameOutcomes(fault: string): Promise<void> {
  const file = `${temporaryFolder()}/run.jsonl`
  const capture = createCaptureFile(file, 'http://service.test', { flag: '--capture' })
  const live = await judgeFault(fault, cases, {
    observers,
    runs: 1,
    onExchange: (exchange) => capture.write(recordedNow(exchange)),
    onBroken: (error) => capture.write(brokenNow(error)),
  })
  capture.close()
  const outcomes = await recorded(file)
  const seen = live.filter(isObserver)
  expect(seen.length).toBeGreaterThan(40)
  expect(seen.map(({ id }) => [id, outcomes.get(id)])).toEqual(seen.map(({ id, outcome }) => [id, outcome]))
}

describe('the recording of a faulty server ends as the live run', () => {
  const SAMPLE = 16
  const step = Math.floor(eligible.length / SAMPLE)
  const sample = eligible.filter((_, at) => at % step === 0).slice(0, SAMPLE)
  test.each(sample.slice(0, 1))('$id', async ({ id }) => sameOutcomes(id))
  test.each(sample.slice(1))('$id', { tags: 'slow' }, async ({ id }) => sameOutcomes(id))
})

test.each(['svc-0.1-echo', 'svc-0.1-tiny'])('%s', { tags: ['llama', 'slow'] }, async (model) => {
  const capture = `${temporaryFolder()}/run.jsonl`
  const live = await runConformance({ model, quick: true, strict: true, capture })
  const outcomes = await recorded(capture)
  const seen = live.checks.filter(isObserver)
  expect(seen.map(({ id }) => [id, outcomes.get(id)])).toEqual(seen.map(({ id, outcome }) => [id, outcome]))
})
