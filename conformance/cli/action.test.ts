// The GitHub Action, as far as it can be tried without GitHub: its steps are run by bash, with the variables that a
// runner sets, against a real server.
import { execFile, spawnSync } from 'node:child_process'
import { globSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { KEY, startService } from './cli.fixture.ts'
import { freePort } from '../../fixtures/services/free-port.ts'
import { readReport } from '../report/report.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'))

const step = z.object({
  id: z.string().optional(),
  shell: z.literal('bash'),
  run: z.string(),
  env: z.record(z.string()).default({}),
})
const action = z
  .object({
    inputs: z.record(z.object({ description: z.string(), default: z.string() })),
    outputs: z.record(z.object({ description: z.string(), value: z.string() })),
    runs: z.object({ using: z.literal('composite'), steps: z.array(step) }),
  })
  .parse(read('action.yml'))

const BASELINE = action.inputs['baseline']?.default ?? ''

/** The steps of the one job of a workflow. */
function stepsOf(file: string) {
  const steps = z.object({ jobs: z.object({ judge: z.object({ steps: z.array(z.record(z.unknown())) }) }) })
  return steps.parse(read(file)).jobs.judge.steps
}
const reusable = stepsOf('.github/workflows/conformance.yml')

type Values = Readonly<Record<string, string>>

/** An expression of the runner's, as far as the action uses them. Throws for any other expression. */
function evaluate(text: string, known: Values): string {
  return text.replace(/\$\{\{ ?([\w.-]+) ?\}\}/g, (_, name: string) => {
    const value = known[name]
    if (value === undefined) throw new Error(`nothing is known of ${name}`)
    return value
  })
}

/** Runs the step that judges, as `shell: bash` does, and reads the outputs of the action. */
async function runAction(
  inputs: Values,
  { outputs: wanted = Object.keys(action.outputs), baseline = '[]' } = {},
) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, BASELINE), baseline)
  const [output, summary] = [join(folder, 'output'), join(folder, 'summary')]
  for (const file of [output, summary]) writeFileSync(file, '')
  const known: Record<string, string> = { 'github.action_path': root }
  for (const [name, { default: value }] of Object.entries(action.inputs))
    known[`inputs.${name}`] = inputs[name] ?? value
  const judge = action.runs.steps.find(({ id }) => id === 'judge')
  if (judge === undefined) throw new Error('no step judges')
  const own = Object.entries(judge.env).map(([name, value]) => [name, evaluate(value, known)])
  const { PATH = '', HOME = '' } = process.env
  const env = {
    PATH,
    HOME,
    CONFORMANCE_API_KEY: KEY,
    GITHUB_ACTIONS: 'true',
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    ...Object.fromEntries(own),
  }
  const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', evaluate(judge.run, known)]
  const ended = await new Promise<{ code: number; stdout: string }>((resolve) => {
    const child = execFile('bash', script, { cwd: folder, env }, (_, stdout) =>
      resolve({ code: child.exitCode ?? -1, stdout }),
    )
  })
  for (const line of readFileSync(output, 'utf8').trim().split('\n')) {
    const at = line.indexOf('=')
    known[`steps.judge.outputs.${line.slice(0, at)}`] = line.slice(at + 1)
  }
  const outputs = Object.entries(action.outputs)
    .filter(([name]) => wanted.includes(name))
    .map(([name, { value }]) => [name, evaluate(value, known)])
  return { ...ended, folder, outputs: Object.fromEntries(outputs), summary: readFileSync(summary, 'utf8') }
}

const REPORTS = ['badge.json', 'report.html', 'report.json', 'report.md', 'report.xml', 'run.zip']

test.each([
  ['missing_api_key', 0],
  ['invalid_api_key', 1],
])('the step that judges ends with the verdict and leaves reports (%s: %i)', async (answer, code) => {
  await using service = await startService(answer)
  const ran = await runAction({
    'base-url': service.baseUrl,
    model: 'm-1',
    profile: 'service',
    args: '--only  auth.missing-header-models\n--seed 7',
  })
  expect(ran).toMatchObject({ code, outputs: { 'exit-code': String(code), folder: 'touchstone-ci' } })
  const reports = join(ran.folder, 'touchstone-ci')
  expect(readdirSync(reports)).toEqual(expect.arrayContaining(REPORTS))
  const report = readReport(join(reports, 'report.json'))
  expect(report).toMatchObject({ seed: 7, exitCode: code, target: { model: 'm-1' } })
  const { judged = 0, hold = 0 } = report.tiers?.interop ?? {}
  expect([judged, hold]).toEqual([1, 1 - code])
  expect(ran.outputs).toMatchObject({ interop: `${hold} of 1`, strict: '0 of 0' })
  expect(ran.summary).toContain('# Touchstone')
  expect(/^::error /m.test(ran.stdout)).toBe(code === 1)
})

test('a client is judged where its command is given', { tags: 'slow' }, async () => {
  const faulty = join(root, 'fixtures', 'faulty-clients', 'faulty-client.ts')
  const ran = await runAction({
    'client-command': `${process.execPath} ${faulty}\n  --fault  token-scheme`,
    args: '--only call.authorization',
  })
  expect(ran).toMatchObject({ code: 1, outputs: { 'exit-code': '1' } })
  expect(readdirSync(join(ran.folder, 'touchstone-ci'))).toEqual(REPORTS)
  const report = readReport(join(ran.folder, 'touchstone-ci', 'report.json'))
  expect(report).toMatchObject({ subject: 'client', seed: 1, exitCode: 1 })
  expect(report.target.command).toEqual([process.execPath, faulty, '--fault', 'token-scheme'])
})

test('a gateway is judged if its command is given, but not beside a client', { tags: 'slow' }, async () => {
  const faulty = join(root, 'fixtures', 'faulty-gateways', 'serve-gateways.ts')
  const [listen, port] = await Promise.all([freePort(), freePort()])
  const inputs = {
    'base-url': `http://127.0.0.1:${port}/drops-seed/${listen}`,
    'gateway-command': `${process.execPath} ${faulty} --port ${port}`,
    args: `--listen ${listen} --only gate.request-field-seed --seed 7`,
  }
  const ran = await runAction(inputs)
  expect(ran).toMatchObject({ code: 1, outputs: { 'exit-code': '1' } })
  const report = readReport(join(ran.folder, 'touchstone-ci', 'report.json'))
  expect(report).toMatchObject({ subject: 'gateway', seed: 7, exitCode: 1 })
  const both = await runAction({ ...inputs, 'client-command': 'node call.mjs' }, { outputs: ['exit-code'] })
  expect(both).toMatchObject({ code: 2, outputs: { 'exit-code': '2' } })
})

test('what is typed into an input is a value, and nothing that a shell obeys', async () => {
  const ran = await runAction({
    'base-url': 'http://127.0.0.1:9/$(touch inside)"; touch inside; "',
    args: '--only $(touch${IFS}inside) *',
    folder: 'a folder',
  })
  expect(ran).toMatchObject({
    code: 2,
    outputs: { 'exit-code': '2', interop: '', strict: '', folder: 'a folder' },
  })
  expect(readdirSync(ran.folder).toSorted()).toEqual(['a folder', 'output', 'summary', BASELINE])
})

test.each(['a\nexit-code=0', 'a\r\nexit-code=0'])('a folder with a line end fails: %j', async (folder) => {
  const ran = await runAction({ 'base-url': 'http://127.0.0.1:9', folder }, { outputs: ['exit-code'] })
  expect(ran).toMatchObject({ code: 2, outputs: { 'exit-code': '2' } })
  expect(readdirSync(ran.folder).toSorted()).toEqual(['output', 'summary', BASELINE])
})

test('without an address nothing is judged, and the run is not green', async () => {
  const ran = await runAction({ base: '' }, { outputs: ['exit-code'] })
  expect(ran).toMatchObject({ code: 2, outputs: { 'exit-code': '2' } })
  expect(ran.stdout).toMatch(/^::error title=touchstone::Give base-url/)
})

test('a failure that the baseline lists does not fail the job', async () => {
  await using service = await startService('invalid_api_key')
  const only = 'auth.missing-header-models'
  const ran = await runAction(
    { 'base-url': service.baseUrl, profile: 'service', args: `--only ${only}` },
    { baseline: JSON.stringify([{ check: only, reason: 'the code is ours' }]) },
  )
  expect(ran.code).toBe(0)
})

/** Every file for a CI server that is kept here. */
const WORKFLOWS = [
  'action.yml',
  ...globSync(['.github/workflows/*.yml', 'docs/*.example.yml'], { cwd: root }),
]

/** Every member with this name, at any depth. */
function membersOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((member) => membersOf(member, name))
  return Object.hasOwn(value, name) ? [Reflect.get(value, name), ...inner] : inner
}

test.each(WORKFLOWS)(
  'no value is pasted into a script of %s: expressions come through the environment',
  (file) => {
    const scripts = ['run', 'script', 'before_script'].flatMap((name) => membersOf(read(file), name)).flat()
    expect(scripts.length).toBeGreaterThan(0)
    for (const script of scripts) expect(script).not.toMatch(/\$\{\{|\$\[\[/)
  },
)

test.each(WORKFLOWS)('%s uses no branch of Touchstone: a commit, or the files of the same commit', (file) => {
  for (const used of membersOf(read(file), 'uses'))
    expect(used).toMatch(/^actions\/[\w-]+@v\d+$|^OWNER\/touchstone@[0-9a-f]{40}$|^\.\/\.touchstone$/)
  expect(membersOf(read(file), 'ref')).toEqual(
    file.startsWith('.github') ? ['${{ steps.version.outputs.commit }}'] : [],
  )
  for (const commit of membersOf(read(file), 'TOUCHSTONE_COMMIT')) expect(commit).toMatch(/^[0-9a-f]{40}$/)
})

test.each([
  [`me/touchstone@${'0123456789'.repeat(4)}`, 0],
  ['me/touchstone@main', 2],
  [`me/touchstone@${'0'.repeat(40)}\ncommit=main`, 2],
])('the workflow for others takes a commit and no branch: %j', async (version, code) => {
  const output = join(temporaryFolder(), 'output')
  writeFileSync(output, '')
  const { run } = z.object({ run: z.string() }).parse(reusable.find(({ id }) => id === 'version'))
  const child = spawnSync('bash', ['-eo', 'pipefail', '-c', run], {
    env: { TOUCHSTONE: version, GITHUB_OUTPUT: output },
  })
  expect(child.status).toBe(code)
  expect(readFileSync(output, 'utf8')).toBe(
    code === 0 ? `repository=me/touchstone\ncommit=${'0123456789'.repeat(4)}\n` : '',
  )
})

test.each(['docs/workflow.example.yml', '.github/workflows/conformance.yml'])(
  '%s uses inputs and outputs that the action has',
  (file) => {
    const used = stepsOf(file)
    const judged = used.find(({ id }) => id === 'touchstone')
    const { with: given, env } = z
      .object({ with: z.record(z.string()), env: z.record(z.string()) })
      .parse(judged)
    for (const name of Object.keys(given)) expect(Object.keys(action.inputs)).toContain(name)
    expect(env).toHaveProperty('CONFORMANCE_API_KEY')
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(
      /steps\.touchstone\.outputs\.([\w-]+)/g,
    ))
      expect(Object.keys(action.outputs)).toContain(name)
  },
)
