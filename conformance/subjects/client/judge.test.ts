// The command with real processes: a client that keeps the rules is green, one that does not is red at its row, and
// whatever a program does the judge ends with all of its children gone.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { callCli, runCli, startCli } from '../../cli/cli.fixture.ts'
import { readReport } from '../../report/report.fixture.ts'
import { runClientConformance } from '../../run-client-conformance.ts'

const folder = temporaryFolder()
const root = join(import.meta.dirname, '..', '..', '..')
const faulty = join(root, 'fixtures', 'faulty-clients', 'faulty-client.ts')
const node = process.execPath

/** The request of the judge, for programs that read it from their environment. */
const REQUEST = `
    const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key, TOUCHSTONE_REQUEST: body } = process.env
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }`

/** Writes a program and returns the words that start it. */
function program(name: string, source: string): readonly string[] {
  const file = join(folder, name)
  writeFileSync(file, source)
  return [node, file]
}

test.concurrent(
  'the client of this project passes its own judge, and its attempts are in the report',
  { tags: 'slow' },
  async () => {
    const json = join(folder, 'report.json')
    const command = program(
      'retrying.mjs',
      `
    import { retryingFetch } from ${JSON.stringify(join(root, 'conformance', 'retrying-fetch.ts'))}${REQUEST}
    const answer = await retryingFetch()(base + '/chat/completions', { method: 'POST', headers, body })
    if (answer.status !== 200) process.exit(1)
    console.log((await answer.json()).choices[0].message.content)`,
    )
    const { code, stdout } = await runCli([
      'client',
      '--only',
      'RETRY-*',
      '--seed',
      '1',
      '--json',
      json,
      '--',
      ...command,
    ])
    const report = readReport(json)
    const red = report.checks.filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))
    expect(red.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([])
    expect([0, 3]).toContain(code)
    expect([report.subject, report.target.command]).toEqual(['client', command])
    const check = report.checks.find(({ id }) => id === 'retry.retry-after-1')
    expect(check?.attempts?.map(({ status, dueMs }) => [status, dueMs])).toEqual([
      [429, null],
      [200, 1000],
    ])
    expect(stdout).toContain(`Touchstone judges ${node}`)
    expect(JSON.stringify(report)).not.toMatch(/svc_sk_[0-9a-f]{8}/)
  },
)

test.concurrent('a client that breaks a rule is red at its row, with its timeline in every form', async () => {
  const html = join(folder, 'red.html')
  const program = [node, faulty, '--fault', 'reads-milliseconds']
  const only = ['--only', 'retry.retry-after-1,RETRY-2']
  const { code, stdout } = await runCli(['client', ...only, '--html', html, '--', ...program])
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL RETRY-3/)
  expect(stdout).toMatch(/ 2 {2}at .* 200 {2}waited 0\.\d\d s {2}due 1\.00 s/)
  expect(stdout).toContain('client --only retry.retry-after-1')
  expect(readFileSync(html, 'utf8')).toContain('<figure class="timeline"><svg')
})

test('what cannot be judged is one line and exit code 2', async () => {
  const silent = program('silent.mjs', 'process.exitCode = 3')
  for (const [args, line] of [
    [[], /expected the command to judge/],
    [['--', join(folder, 'missing')], /cannot be started/],
    [
      ['--', 'node call.mjs'],
      /one word, "node call\.mjs".*leave its quotes out, for example client -- node call\.mjs/,
    ],
    [['--', ...silent], /made no request.*exit code 3/],
    [['--only', 'AUTH-1', '--', ...silent], /no check of clients matches/],
    [['--base-url', 'http://127.0.0.1:1', '--', ...silent], /--base-url: client does not take it/],
    [['--serve', '--', ...silent], /starts no program/],
  ] as const) {
    const { code, stderr } = await callCli(['client', ...args])
    expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(line)]])
  }
})

test.concurrent('replaces placeholders in the arguments, without a shell', async () => {
  const log = join(folder, 'arguments')
  const source = `
    import { appendFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(log)}, JSON.stringify(process.argv.slice(2)) + '\\n')
    const [base, key, model, prompt] = process.argv.slice(2)
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] })
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
    const answer = await fetch(base.replace(/\\/$/, '') + '/chat/completions', { method: 'POST', headers, body })
    console.log((await answer.json()).choices[0].message.content)`
  const words = program('arguments.mjs', source)
  const report = await runClientConformance({
    command: [...words, '{base_url}', '{api_key}', '{model}', '{prompt}', '{other}', '$HOME; {model}'],
    only: 'CALL-4',
    seed: 1,
  })
  expect(report.checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  const [first = ''] = readFileSync(log, 'utf8').split('\n')
  const [base, key, model, , other, shell] = JSON.parse(first)
  expect([base, key, model, other, shell]).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/s\/plain\/v1$/),
    expect.stringMatching(/^svc_sk_/),
    'svc-0.1-8b',
    '{other}',
    '$HOME; svc-0.1-8b',
  ])
})

test.concurrent('a program that does not end is ended with its children', { tags: 'slow' }, async () => {
  const log = join(folder, 'children')
  const source = `
    import { spawn } from 'node:child_process'
    import { appendFileSync } from 'node:fs'
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    appendFileSync(${JSON.stringify(log)}, child.pid + '\\n')${REQUEST}
    const answer = await fetch(base + '/chat/completions', { method: 'POST', headers, body })
    console.log(await answer.text())
    if (answer.status === 200) process.exit(0)
    await new Promise(() => setInterval(() => {}, 1000))`
  const report = await runClientConformance({
    command: program('hangs.mjs', source),
    only: 'RETRY-7',
    seed: 1,
  })
  expect(report.requirements).toEqual([{ id: 'RETRY-7', level: 'MUST', outcome: 'fail' }])
  const children = readFileSync(log, 'utf8').trim().split('\n').map(Number)
  expect(children.length).toBeGreaterThan(1)
  // A zombie has ended, although its parent has not read its exit code yet.
  for (const pid of children)
    expect(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)]).stdout.toString()).toMatch(/^(Z.*)?\s*$/)
})

test.concurrent('--serve shows and judges what was called, and says what was not', async () => {
  const judge = startCli(['client', '--serve', '--only', 'retry.status-400,retry.status-404'])
  await expect.poll(judge.printed).toContain('/s/status-400/v1')
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(judge.printed()) ?? []
  const call = () =>
    fetch(`${origin}/s/status-400/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    })
  expect((await call()).status).toBe(400)
  expect((await call()).status).toBe(400)
  const page = await (await fetch(origin)).text()
  expect(page).toMatch(/ 2 {2}at/)
  expect(page).toContain('Not called yet.')
  judge.interrupt('SIGINT')
  const { code, stdout } = await judge.ended
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL RETRY-2[\s\S]*1 retry/)
  expect(stdout).toMatch(/Not called: .*status-404/)
})
