// `npm run conformance` on a fresh clone: the reference server is started, judged, holds up, and leaves nothing behind.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { select } from '../subjects/server/selection.ts'
import { fullCatalogue } from '../subjects/server/catalogue.ts'
import { estimate } from '../subjects/server/cost-estimate.ts'
import { PROGRESS_ALONE, startCli } from './cli.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

/** Starts the judge without a target and with a folder of its own for temporary files. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  return { folder, ...startCli(args, { CONFORMANCE_API_KEY: '', TMPDIR: folder, ...env }) }
}

/** The address that the judge says it judges. */
const addressIn = (stdout: string): string =>
  /Touchstone judges (http:\/\/127\.0\.0\.1:\d+)/.exec(stdout)?.[1] ?? ''

async function isGone(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  )
}

test('the reference server passes every covered MUST', { tags: 'slow', timeout: 180_000 }, async () => {
  const json = join(temporaryFolder(), 'report.json')
  const judge = start(['--json', json])
  const { code, stdout, stderr } = await judge.ended
  const report = readReport(json)
  const open = report.checks.filter(({ outcome }) => !['pass', 'not-applicable'].includes(outcome))
  expect(open.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([])
  expect([code, stderr]).toEqual([0, expect.stringMatching(PROGRESS_ALONE)])
  expect(await isGone(addressIn(stdout))).toBe(true)
  expect(readdirSync(judge.folder)).toEqual([])
  // The cost that `list` prints, within a fifth.
  const promised = estimate(select(fullCatalogue(), { profile: 'service' }), report.runs).total.requests
  expect(Math.abs(report.requests / promised - 1)).toBeLessThan(0.2)
  const covered = new Set(report.requirements.map(({ id }) => id))
  expect(report.coverage.judged).toBe(
    report.requirements.filter(({ level, outcome }) => level === 'MUST' && outcome === 'pass').length,
  )
  expect(report.coverage.notCovered.filter((id) => covered.has(id))).toEqual([])
})

test('an interrupted run stops the server and clears its folder', async () => {
  const judge = start([])
  await expect.poll(() => addressIn(judge.printed())).not.toBe('')
  judge.interrupt('SIGINT')
  const { code, stdout } = await judge.ended
  expect(code).toBe(130)
  expect(await isGone(addressIn(stdout))).toBe(true)
  expect(readdirSync(judge.folder)).toEqual([])
})

test('a model that cannot be loaded ends the run with the reason', { tags: 'slow' }, async () => {
  const whole = join(import.meta.dirname, '..', '..', 'fixtures', 'tiny-model', 'svc-0.1-tiny.gguf')
  const model = join(temporaryFolder(), 'cut.gguf')
  writeFileSync(model, readFileSync(whole).subarray(0, 100_000))
  const judge = start([], { LLAMA_MODELS: `cut=${model}` })
  const { code, stdout, stderr } = await judge.ended
  const reason = /conformance: the reference server ended with exit 2\nthe model 'cut' cannot be loaded: /
  expect([code, stderr]).toEqual([2, expect.stringMatching(reason)])
  expect(await isGone(addressIn(stdout))).toBe(true)
  expect(readdirSync(judge.folder)).toEqual([])
})
