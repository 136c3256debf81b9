// The commands around bundles, as a user types them.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { type Bundle, readBundleFile, writeBundle } from '../bundle/bundle-file.ts'
import { readZip } from '../exchanges/zip.ts'
import { callCli, runCli, startService } from './cli.fixture.ts'

const folder = temporaryFolder()
const [run, damaged, key] = [join(folder, 'run.zip'), join(folder, 'damaged.zip'), join(folder, 'key.pem')]
const ONLY = 'auth.missing-header-models,auth.no-space'

beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await using service = await startService()
  const flags = ['--only', ONLY, '--bundle', run, '--sign', key]
  await runCli(['--base-url', service.baseUrl, ...flags])
  writeFileSync(join(folder, 'traffic.har'), '{}')
  const bytes = readFileSync(run)
  bytes[100] = (bytes[100] ?? 0) ^ 1
  writeFileSync(damaged, bytes)
})

test('a bundle is confirmed after its service has ended, and names who signed it', async () => {
  const json = join(folder, 'verified.json')
  const { code, stdout } = await runCli(['verify', run, '--json', json])
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/signed by SHA256:.*\n {2}confirmed: 2 of 2 checks/),
  ])
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject([{ file: run, same: 2, isConfirmed: true }])
})

test('a folder is as good as its worst bundle, and a damaged one is exit code 2', async () => {
  const both = join(folder, 'both', '1')
  mkdirSync(both, { recursive: true })
  for (const file of [run, damaged]) copyFileSync(file, join(both, file === run ? 'a.zip' : 'b.zip'))
  const { code, stdout } = await callCli(['verify', join(folder, 'both')])
  expect([code, stdout]).toEqual([2, expect.stringMatching(/a\.zip\n[^]*confirmed[^]*b\.zip\n {2}damaged: /)])
})

/** Writes the bundle again with changed parts and right digests, as a forger does. */
function forged(name: string, change: (bundle: Bundle) => Partial<Pick<Bundle, 'report' | 'lines'>>): string {
  const bundle = readBundleFile(run)
  const { report, lines } = { ...bundle, ...change(bundle) }
  const file = join(folder, name)
  const { subject, startedAt, settings, credentials } = bundle.manifest
  const about = { subject, startedAt, settings, credentials }
  writeFileSync(file, writeBundle({ ...about, report, lines: lines.map((line) => JSON.stringify(line)) }))
  return file
}

test.each([
  ['address', { baseUrl: 'https://api.example.com' }, /the report names https:\/\/api\.example\.com, and/],
  ['model', { model: 'best' }, /the report names the model best, and the run was with /],
] as const)('a report with the %s of another target is not confirmed', async (name, target, reason) => {
  const file = forged(`other-${name}.zip`, ({ report }) => ({
    report: { ...report, target: { ...report.target, ...target } },
  }))
  const { code, stdout } = await callCli(['verify', file, '--against-current'])
  expect([code, stdout]).toEqual([1, expect.stringMatching(reason)])
})

test('texts of a bundle do not drive the terminal', async () => {
  const model = 'm\u001b]52;c;QQ==\u0007\r\n\u202eALL GOOD'
  const file = forged('escapes.zip', ({ report }) => ({
    report: {
      ...report,
      target: { ...report.target, model },
      checks: report.checks.map((check) => ({ ...check, id: `${check.id}\u001b[2J` })),
    },
  }))
  const { stdout } = await callCli(['verify', file])
  expect(stdout).toContain('m\\u001b]52;c;QQ==\\u0007\\r\\n\\u202eALL GOOD')
  expect(stdout).toMatch(/^[^\p{Cc}\u202e]*$/mu)
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
})

test('a bundle that cannot be judged again is named, and the others are judged', async () => {
  const both = join(folder, 'hostile')
  mkdirSync(both)
  const hostile = forged('hostile.zip', ({ lines }) => ({
    lines: lines.map((line) =>
      line.kind === 'exchange' && line.response !== null
        ? { ...line, response: { ...line.response, bodySame: 1e9 } }
        : line,
    ),
  }))
  copyFileSync(hostile, join(both, 'a.zip'))
  copyFileSync(run, join(both, 'b.zip'))
  const { code, stdout } = await callCli(['verify', both])
  expect([code, stdout]).toEqual([
    2,
    expect.stringMatching(/a\.zip\n {2}damaged: [^]*b\.zip[^]*confirmed: 2 of 2/),
  ])
})

test.each(['--recording', '--bundle'])('explain %s shows each exchange of a check', async (flag) => {
  const { code, stdout } = await callCli(['explain', 'auth.no-space', flag, run])
  expect(code).toBe(0)
  expect(stdout).toMatch(/Recorded {2}auth\.no-space: fail[^]*request 1, [^]*> GET .*\/v1\/models\n/)
})

test('the recording of a bundle is a capture: every command judges both, and shows their exchanges', async () => {
  const capture = join(folder, 'capture.jsonl')
  writeFileSync(capture, readZip(readFileSync(run), 1e9).get('recording.jsonl')?.content ?? '')
  const judged = await Promise.all([
    callCli(['recorded', run, '--subject', 'server', '--seed', '1']),
    callCli(['recorded', capture, '--subject', 'server', '--seed', '1']),
    callCli(['verify', capture, '--subject', 'server', '--seed', '1']),
  ])
  for (const { code, stdout } of judged)
    expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ AUTH-2[^]*\n +\d+ {2}entries \(/)])
  const { stdout } = await callCli(['explain', 'auth.no-space', '--recording', capture])
  expect(stdout).toMatch(/Recorded {2}auth\.no-space: its exchanges[^]*request 1, [^]*> GET .*\/v1\/models\n/)
})

test.each([
  [['verify'], /verify: expected the bundles/],
  [['verify', join(folder, 'none.zip')], /verify: there is no /],
  [['verify', run, join(folder, 'traffic.har')], /verify: expected bundles, or recordings without a verdict/],
  [['explain', 'AUTH-2', '--bundle', damaged], /--bundle .*damaged\.zip: it is not what the judge wrote/],
  [['--sign', key], /--sign: there is nothing to sign without --bundle/],
  [['--bundle', join(folder, 'b.zip'), '--sign', run], /--sign .*: expected a private key of Ed25519/],
  [['--bundle', join(folder, 'b.zip'), '--model', 'a,b'], /--bundle: a bundle has one run/],
  [['client', '--serve', '--bundle', join(folder, 'b.zip')], /--bundle: --serve cannot be recorded/],
] as const)('%j is one line and exit code 2', async (words, line) => {
  const { code, stderr } = await callCli(words)
  expect([code, stderr]).toEqual([2, expect.stringMatching(line)])
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(existsSync(join(folder, 'b.zip'))).toBe(false)
})
