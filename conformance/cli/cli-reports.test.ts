// The reports of a run: with several models, after an interruption and in a job of GitHub Actions.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refusal, runCli, startCli, startService } from './cli.fixture.ts'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

const missingHeader = ['--only', 'auth.missing-header-models']

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s: every report is written, and what was not judged is inconclusive',
  { tags: 'slow' },
  async (signal, exit) => {
    const folder = temporaryFolder()
    let chats = 0
    await using service = await startService('missing_api_key', () => {
      chats += 1
      return 'silent'
    })
    const reports = ['json', 'junit', 'html', 'markdown', 'badge'].flatMap((format) => [
      `--${format}`,
      join(folder, `report.${format}`),
    ])
    const only = ['--only', 'auth.missing-header-models,CHAT-7', '--allow-incomplete']
    // One check at a time, and few of them: the check without a chat has its outcome before the first chat arrives.
    const judge = startCli(['--base-url', service.baseUrl, ...only, ...reports, '--concurrency', '1'])
    await expect.poll(() => chats, { timeout: 60_000 }).toBeGreaterThan(0)
    judge.interrupt(signal)
    const { code, stdout, stderr } = await judge.ended
    expect([code, stderr]).toEqual([exit, expect.stringContaining('interrupted')])
    expect(stdout).toMatch(/INCOMPLETE/)
    expect(readdirSync(folder)).toHaveLength(5)

    const report = readReport(join(folder, 'report.json'))
    expect(report).toMatchObject({ interrupted: true, exitCode: 3 })
    const outcomes = Map.groupBy(report.checks, ({ outcome }) => outcome)
    expect(outcomes.get('pass')?.map(({ id }) => id)).toEqual(['auth.missing-header-models'])
    const open = outcomes.get('inconclusive') ?? []
    expect(open.length + 1).toBe(report.checks.length)
    expect(new Set(open.map(({ reason }) => reason))).toEqual(new Set(['interrupted']))
    expect(report.totals).toMatchObject({ pass: 1, inconclusive: open.length, fail: 0, error: 0 })
    // The report has every check of a whole run.
    const list = await runCli(['list', ...only])
    expect(list.stdout).toContain(`${report.checks.length} checks of`)
  },
)

test('several models: each has its own reports, and the worst decides', { tags: 'slow' }, async () => {
  const folder = temporaryFolder()
  await using service = await startTestServer((request, response) => {
    const data = [{ id: 'vendor/good' }, { id: 'bad' }]
    if (request.url === '/v1/models') return sendJson(response, 200, { data })
    const isGood = request.text.includes('vendor/good')
    return sendJson(response, isGood ? 400 : 200, refusal('invalid_json', 'invalid_request_error'))
  })
  const args = ['--base-url', service.baseUrl, '--only', 'chat.no-messages', '--json', join(folder, 'r.json')]
  const { code, stdout } = await runCli([...args, '--model', 'vendor/good,bad'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/judges.* model vendor\/good [^]*judges.* model bad /)
  const reports = readdirSync(folder).map((file) => readReport(join(folder, file)))
  expect(reports.map(({ target: { model }, exitCode }) => [model, exitCode])).toEqual([
    ['bad', 1],
    ['vendor/good', 0],
  ])
  expect(readdirSync(folder)).toEqual(['r.bad.json', 'r.vendor_good.json'])
})

test('a baseline is written as a whole after the run, and read when its reasons are given', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'baseline.json')
  await using service = await startService('invalid_api_key')
  const args = ['--base-url', service.baseUrl, ...missingHeader]
  expect(await runCli([...args, '--write-baseline', file])).toMatchObject({ code: 1 })
  expect(readdirSync(folder)).toEqual(['baseline.json'])
  const written = readFileSync(file, 'utf8')
  expect(JSON.parse(written)).toEqual([{ check: 'auth.missing-header-models', reason: '' }])
  const empty = await runCli([...args, '--baseline', file])
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('give a reason')])
  writeFileSync(file, written.replace('""', '"the gateway says so"'))
  expect(await runCli([...args, '--baseline', file])).toMatchObject({ code: 0 })
})

test('a baseline that cannot be written is an error before the run, and no run without a verdict writes one', async () => {
  const args = ['--base-url', 'http://127.0.0.1:9', '--write-baseline']
  for (const [file, message] of [
    ['/no/such/folder/b.json', /--write-baseline: there is no folder/],
    ['/proc/b.json', /--write-baseline: cannot create a file in the folder/],
  ] as const) {
    const { code, stdout, stderr } = await runCli([...args, file])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
  }
  const folder = temporaryFolder()
  expect(await runCli([...args, join(folder, 'b.json')])).toMatchObject({ code: 2 })
  expect(readdirSync(folder)).toEqual([])
})

test('in GitHub Actions: annotations, a summary, and no order that a server gives', async () => {
  const folder = temporaryFolder()
  const summary = join(folder, 'summary.md')
  writeFileSync(summary, 'before\n')
  await using service = await startService('::error::of the server')
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
  const { code, stdout } = await runCli(['--base-url', service.baseUrl, ...missingHeader], env)
  expect(code).toBe(1)
  const commands = stdout.replace(/^::stop-commands::(\S{36})\n.*?\n::\1::\n/gms, '')
  expect(stdout).toContain('::error::of the server')
  expect(commands.trim().split('\n')).toHaveLength(1)
  expect(commands).toMatch(/^::error title=AUTH-3 auth\.missing-header-models::no Authorization header/)
  expect(commands).toContain('%0Anpx touchstone --base-url')
  expect(readFileSync(summary, 'utf8')).toMatch(/^before\n# Touchstone: .* fails\n/)
  const elsewhere = await runCli(['--base-url', service.baseUrl, ...missingHeader])
  expect(elsewhere.stdout).not.toContain('::stop-commands::')
})
