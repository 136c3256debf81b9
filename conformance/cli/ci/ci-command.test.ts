// The command `ci` as a process: its first run, a new failure, a repaired one, and its bounds.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults } from '../../../fixtures/faulty/fault-table.ts'
import { chain } from '../../../fixtures/faulty/edits.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { DEFAULT_TIMEOUT_SECONDS } from '../../contract/settings.ts'
import { type Start, startService } from '../../subjects/server/cases/scripted/start-service.fixture.ts'
import { refusal, runCli } from '../cli.fixture.ts'
import { sendJson, startTestServer } from '../../../harness/http-server.fixture.ts'
import { CI_FLAGS } from '../ci-flags.ts'

const faulty = (id: string): Start => faults.find((fault) => fault.id === id)?.start ?? missing(id)
const missing = (id: string): never => {
  throw new Error(`unknown fault ${id}`)
}

/** Runs `ci` in this folder on a service with these faults, as a job of GitHub Actions does. */
async function ci(folder: string, starts: readonly Start[], ...more: readonly string[]) {
  await using service = await startService((tools) => chain(...starts.map((start) => start(tools))))
  const summary = join(folder, 'summary.md')
  writeFileSync(summary, '')
  const [baseline, out] = [join(folder, 'baseline.json'), join(folder, 'out')]
  const args = ['ci', service.baseUrl, '--baseline', baseline, '--out', out, '--only', 'WIRE-1,WIRE-2,WIRE-4']
  const ran = await runCli([...args, ...more], {
    CONFORMANCE_API_KEY: service.key,
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: summary,
  })
  const commands = ran.stdout.replace(/^::stop-commands::(\S{36})\n.*?\n::\1::\n/gms, '').trim()
  return { ...ran, commands, summary: readFileSync(summary, 'utf8'), baseline, out }
}

const milliseconds = faulty('wire-counts-milliseconds')
const repeatsIds = faulty('wire-repeats-ids')

test('the first run writes the baseline and passes; then a new failure alone fails', async () => {
  const folder = temporaryFolder()
  const first = await ci(folder, [milliseconds])
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.stdout).toContain('seed 1, the same each time')
  expect(first.stdout).toMatch(
    /There was no baseline: \S+baseline.json now lists \d+ known failures?, .*Commit/,
  )
  expect(first.commands).toMatch(/^::warning title=touchstone::There was no baseline/)
  expect(first.summary).toMatch(/^# Touchstone: .* passes\n/)
  const files = [
    'badge.json',
    'baseline.json',
    'report.html',
    'report.json',
    'report.md',
    'report.xml',
    'run.zip',
  ]
  expect(readdirSync(first.out).toSorted()).toEqual(files)
  for (const file of files) expect(first.stdout).toContain(file)
  expect(JSON.parse(readFileSync(join(first.out, 'badge.json'), 'utf8'))).toMatchObject({ schemaVersion: 1 })
  expect(readFileSync(join(first.out, 'report.xml'), 'utf8')).toMatch(
    / failures="0"[^]*known failure: as found on /,
  )
  const entries = JSON.parse(readFileSync(first.baseline, 'utf8')) as { check: string; reason: string }[]
  expect(entries.map(({ check }) => check)).toContain('wire.created')
  for (const { reason } of entries) expect(reason).toMatch(/^as found on \d{4}-\d\d-\d\d: \S/)

  expect(await ci(folder, [milliseconds])).toMatchObject({ code: 0, commands: '' })
  const worse = await ci(folder, [milliseconds, repeatsIds])
  expect(worse.code).toBe(1)
  const rows = worse.commands.split('\n').map((line) => /^::error title=(\S+)/.exec(line)?.[1])
  expect(new Set(rows)).toEqual(new Set(['WIRE-4']))
  expect(JSON.parse(readFileSync(first.baseline, 'utf8'))).toEqual(entries)
})

test('a repaired failure names the line that can be struck, and does not fail', async () => {
  const folder = temporaryFolder()
  const { baseline } = await ci(folder, [milliseconds, repeatsIds])
  const repaired = await ci(folder, [milliseconds])
  expect(repaired.code).toBe(0)
  const lines = readFileSync(baseline, 'utf8').split('\n')
  const struck = [...repaired.commands.matchAll(/^::notice .*,line=(\d+)::.*: (\S+) passes now: strike/gm)]
  expect(struck.length).toBeGreaterThan(0)
  for (const [, line, id] of struck) expect(lines[Number(line) - 1]).toContain(`{"check":"${id}"`)
  const next = JSON.parse(readFileSync(join(repaired.out, 'baseline.json'), 'utf8')) as { check: string }[]
  expect(next.map(({ check }) => check)).toEqual(
    lines
      .flatMap((line) => /"check":"([^"]+)"/.exec(line)?.[1] ?? [])
      .filter((id) => struck.every(([, , own]) => own !== id)),
  )
})

test('a run that is out of time passes, says what it left out, and does not call it new later', async () => {
  const folder = temporaryFolder()
  const first = await ci(folder, [milliseconds], '--max-requests', '4')
  expect(first.stdout).toMatch(/Could not be judged\n[^]*--max-requests/)
  const second = await ci(folder, [milliseconds])
  expect(second.code).toBe(0)
})

test('a service that is not there is an annotation and a summary too, and writes no baseline', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'summary.md')
  const flags = ['--baseline', join(folder, 'b.json'), '--out', join(folder, 'out')]
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
  const { code, stdout } = await runCli(['ci', 'http://127.0.0.1:9', ...flags], env)
  expect([code, stdout]).toEqual([2, expect.stringMatching(/^::error title=touchstone::.*cannot be judged/)])
  expect(readFileSync(file, 'utf8')).toMatch(/^# Touchstone: no verdict\n\nhttp.*cannot be judged/)
  expect(existsSync(join(folder, 'b.json'))).toBe(false)
})

test('a pull request of a fork, which has no key, says why', async () => {
  await using service = await startTestServer((_, response) => sendJson(response, 401, { error: {} }))
  const folder = temporaryFolder()
  const flags = ['--baseline', join(folder, 'b.json'), '--out', join(folder, 'out')]
  const env = { CONFORMANCE_API_KEY: '', GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'pull_request' }
  const { code, stdout } = await runCli(['ci', service.baseUrl, ...flags], env)
  expect([code, stdout]).toEqual([2, expect.stringContaining('no secrets to pull requests of forks')])
})

test('--wait: a service that still starts is waited for', async () => {
  let asked = 0
  await using service = await startTestServer((request, response) => {
    asked += 1
    if (asked <= 6) return sendJson(response, 503, { status: 'loading' })
    if (request.headers.authorization === undefined)
      return sendJson(response, 401, refusal('missing_api_key'))
    return sendJson(response, 200, { object: 'list', data: [{ id: 'm-1' }] })
  })
  const args = ['check', service.baseUrl, '--only', 'auth.missing-header-models']
  const { code, stderr } = await runCli([...args, '--wait', '60'])
  expect([code, stderr]).toEqual([0, ''])
})

test('the bounds of the preset end a run within three minutes', () => {
  expect(Number(CI_FLAGS['max-minutes']) * 60 + DEFAULT_TIMEOUT_SECONDS).toBeLessThanOrEqual(180)
})
