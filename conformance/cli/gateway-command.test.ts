// The command `gateway` as its users run it: a gateway that the judge starts, its verdict in every form, and what cannot be
// judged.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../fixtures/services/free-port.ts'
import { listening } from '../../harness/http-server.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import { KEY, PROGRESS_ALONE, callCli, runCli } from './cli.fixture.ts'

const UPSTREAM_KEY = 'sk-the-key-of-the-upstream'
const program = join(import.meta.dirname, '..', '..', 'fixtures', 'faulty-gateways', 'serve-gateways.ts')

/** Judges the faulty gateway of this id, which the judge starts. */
async function judge(id: string, ...flags: readonly string[]) {
  const [listen, port] = await Promise.all([freePort(), freePort()])
  const address = ['--base-url', `http://127.0.0.1:${port}/${id}/${listen}`, '--listen', String(listen)]
  const command = ['--', process.execPath, program, '--port', String(port)]
  const keys = { GATEWAY_UPSTREAM_KEY: UPSTREAM_KEY, GATEWAY_CLIENT_KEY: KEY }
  const env = { CONFORMANCE_UPSTREAM_KEY: UPSTREAM_KEY, ...keys }
  return runCli(['gateway', ...address, '--timeout', '3', '--warm-up', '20', ...flags, ...command], env)
}

test('a gateway that keeps the rules is green, whatever it is called with', async () => {
  const { code, stdout, stderr } = await judge('good', '--quick')
  expect([code, stderr]).toEqual([0, expect.stringMatching(PROGRESS_ALONE)])
  expect(stdout).toMatch(
    /^Touchstone judges http:\/\/127\.0\.0\.1:\d+\/good\/\d+ {2}gateway · model through-the-gateway/,
  )
  expect(stdout).toMatch(/PASS {2}11 of 11 MUST judged: 11 hold, 0 do not/)
})

test('a failure shows both sides, its row and who is at fault, in every form, and no key', async () => {
  const folder = temporaryFolder()
  const files = ['json', 'html', 'junit', 'markdown'].flatMap((form) => [`--${form}`, join(folder, form)])
  const { code, stdout } = await judge('trims-texts', '--only', 'GATE-1,gate.quotes-*', ...files)
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL GATE-1 MUST/)
  expect(stdout).toMatch(/at fault {2}gateway\n {2}client\n {4}> POST .*\n[^]*? {2}upstream\n {4}> POST /)
  const report = readReport(join(folder, 'json'))
  expect(report.subject).toBe('gateway')
  const failed = report.checks.filter(({ outcome }) => outcome === 'fail')
  expect(new Set(failed.map(({ requirement }) => requirement))).toEqual(new Set(['GATE-1']))
  for (const { attribution, exchanges, rerun } of failed) {
    expect(attribution).toBe('gateway')
    expect(exchanges.map(({ hop }) => hop)).toEqual(['client', 'upstream'])
    expect(rerun).toContain('gateway --base-url')
  }
  const page = readFileSync(join(folder, 'html'), 'utf8')
  expect(page).toMatch(/<h4>Client<\/h4>[^]*<mark>[^]*<h4>Upstream<\/h4>/)
  expect(page).toContain('At fault: <strong>the gateway</strong>')
  for (const form of ['json', 'html', 'junit', 'markdown']) {
    const written = readFileSync(join(folder, form), 'utf8')
    expect(written).not.toContain(KEY)
    expect(written).not.toContain(UPSTREAM_KEY)
  }
})

test('what cannot be judged is one line and exit code 2', async () => {
  await using taken = await listening(createServer())
  const free = ['--listen', '0', '--warm-up', '1']
  const nowhere = ['--base-url', 'http://127.0.0.1:9', ...free]
  const missing = ['--', join(import.meta.dirname, 'missing')]
  const ends = ['--', process.execPath, '-e', 'console.error("Error: no licence"); process.exit(4)']
  const refusals = [
    [free, /--base-url: gateway needs the address/],
    [['--base-url', 'http://127.0.0.1:9', '--listen', `${taken.port}`], /--listen \d+: port \d+ is in use/],
    [nowhere, /no request reached the upstream .* within 1 s: the client gets the connection was refused/],
    [[...nowhere, '--upstream', 'http://127.0.0.1:9'], /the gateway did not answer within 1 s/],
    [[...nowhere, '--only', 'AUTH-1'], /no check of gateways matches/],
    [[...nowhere, ...missing], /cannot be started/],
    [[...nowhere, ...ends], /the gateway ended: exit code 4, stderr "Error: no licence"/],
  ] as const
  const ended = await Promise.all(
    refusals.map(async ([args, line]) => ({ line, run: await callCli(['gateway', ...args]) })),
  )
  for (const { line, run } of ended)
    expect([run.code, run.stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(line)]])
})
