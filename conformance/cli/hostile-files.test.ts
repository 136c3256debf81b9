// Files that are none, and texts that drive a terminal: every command that reads a file refuses them in one line.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { CAPTURE_SCHEMA } from '../exchanges/recording-line.ts'
import { type Ended, runCli } from './cli.fixture.ts'

const folder = temporaryFolder()
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const head = { schema: CAPTURE_SCHEMA, baseUrl: 'http://a.test', startedAt: '2026-11-28T10:00:00.000Z' }
const capture = file('good.jsonl', `${JSON.stringify(head)}\n`)

const loop = join(folder, 'loop')
symlinkSync(loop, loop)
const pipe = join(folder, 'pipe')
execFileSync('mkfifo', [pipe])
const SPECIALS = ['/dev/zero', pipe, loop, folder]

const ROOT = join(import.meta.dirname, '..', '..')
const RESULTS = ['harness/cli/run.js', 'conformance/record/results/results-command.ts']

async function runResults(args: readonly string[]): Promise<Ended> {
  const started = promisify(execFile)(process.execPath, [...RESULTS, ...args], { cwd: ROOT })
  return started.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const about = ['--name', 'a', '--version', '1', '--folder', join(folder, 'record')]

test.each<[string, (path: string) => Promise<Ended>]>([
  ['recorded', (path) => runCli(['recorded', path])],
  ['recorded --baseline', (path) => runCli(['recorded', capture, '--baseline', path])],
  ['compare', (path) => runCli(['compare', path, path])],
  ['list --config', (path) => runCli(['list', '--config', path])],
  ['explain --bundle', (path) => runCli(['explain', 'WIRE-1', '--bundle', path])],
  [
    'client --sign',
    (path) => runCli(['client', '--bundle', join(folder, 'a.zip'), '--sign', path, '--', 'true']),
  ],
  ['SSL_CERT_FILE', (path) => runCli(['--base-url', 'http://127.0.0.1:9'], { SSL_CERT_FILE: path })],
  ['results add', (path) => runResults(['add', path, ...about, '--reproduce', capture])],
  ['results add --reproduce', (path) => runResults(['add', capture, ...about, '--reproduce', path])],
])('%s refuses a device, a pipe, a loop of links and a folder in one line', async (_, run) => {
  for (const { code, stderr } of await Promise.all(SPECIALS.map(run))) {
    expect(stderr).toMatch(/^(?:conformance|results): .+\n$/)
    expect(code).toBe(2)
  }
})

test('verify names a pipe as damaged, and refuses a loop of links in one line', async () => {
  const [piped, looped] = await Promise.all([runCli(['verify', pipe]), runCli(['verify', loop])])
  expect(piped).toMatchObject({
    code: 2,
    stderr: '',
    stdout: expect.stringMatching(/damaged: expected a regular file\n$/),
  })
  expect(looped).toMatchObject({ code: 2, stderr: `conformance: verify: there is no ${loop}\n` })
})

test('a record that is absent, and a recipe that is not JSON, are refused in one line', async () => {
  mkdirSync(join(folder, 'recipes', 'own'), { recursive: true })
  file('recipes/own/recipe.json', '{')
  const [record, recipe] = await Promise.all([
    runResults(['check', '--folder', join(folder, 'absent')]),
    runResults(['reproduce', 'own', '--recipes', join(folder, 'recipes')]),
  ])
  for (const { code, stderr } of [record, recipe]) {
    expect(stderr).toMatch(/^results: .+\n$/)
    expect(code).toBe(2)
  }
})

test('the text of a file in a refusal is one line without control characters', async () => {
  const line = { ...head, '\u001b[2J\nconformance: PASS\u202e': 1 }
  const { code, stderr } = await runCli(['recorded', file('esc.jsonl', `${JSON.stringify(line)}\n`)])
  expect(stderr).toMatch(/^conformance: \P{Cc}*\\u001b\[2J\\nconformance: PASS\\u202e\P{Cc}*\n$/u)
  expect(code).toBe(2)
})

test('the faulty line of a config file is found among many', async () => {
  const { stderr } = await runCli(['list', '--config', file('long.json', `{${'\n'.repeat(900_000)}!`)])
  expect(stderr).toBe(`conformance: --config ${join(folder, 'long.json')}: it is not JSON, line 900001\n`)
})

test('a bound is a variable, and one out of its range is a wrong use', async () => {
  const lines = gzipSync(`${[head, head, head].map((line) => JSON.stringify(line)).join('\n')}\n`)
  const recorded = (env: Readonly<Record<string, string>>) =>
    runCli(['recorded', file('a.jsonl.gz', lines)], env)
  const [wrong, few] = await Promise.all([
    recorded({ CONFORMANCE_MAX_DEPTH: '1' }),
    recorded({ CONFORMANCE_MAX_ENTRIES: '1' }),
  ])
  expect(wrong.stderr).toBe(
    "conformance: CONFORMANCE_MAX_DEPTH: expected a whole number from 16 to 20000, got '1'\n",
  )
  expect(few.stderr).toMatch(/line 2: expected at most 1 lines; decompress it\n$/)
  expect([wrong.code, few.code]).toEqual([2, 2])
})
