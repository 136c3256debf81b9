// The fuzzer reports a service with one weakness for that reason, and passes a service without one.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { readOptions } from './fuzz-flags.ts'
import { type FuzzReport, runFuzz } from './fuzz.ts'
import { memoryOf } from './process-memory.ts'
import { renderReport } from './render-fuzz-report.ts'
import { type FuzzTarget, openTarget } from './fuzz-target.ts'

/** Bounds that only a hanging or broken service exceeds, however busy the machine is. */
const BOUNDS = '--timeout 60 --quiet-limit-ms 60000 --memory-mib 4096'
const FLAGS = `--seed 7 --seconds 1 --connections 4 --requests 8 ${BOUNDS}`.split(' ')
const times = { warmUpMs: 200, baselineMs: 300, settleMs: 1_000 }
const { signal } = new AbortController()

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function weakServer(weakness: string): Promise<FuzzTarget> {
  const program = join(import.meta.dirname, 'weak-server.fixture.ts')
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, WEAKNESS: weakness },
    // The end of a process that dies is expected.
    stdio: ['ignore', 'pipe', weakness === 'dies' ? 'ignore' : 'inherit'],
  })
  children.push(child)
  const { stdout, pid } = child
  if (stdout === null) throw new Error('no output')
  const [baseUrl] = await once(createInterface({ input: stdout }), 'line')
  const keys = { attackKey: 'attacker', quietKey: 'quiet' }
  return {
    baseUrl: String(baseUrl),
    model: 'm',
    quietModel: 'm',
    ...keys,
    pid,
    [Symbol.asyncDispose]: async () => {},
  }
}

async function fuzz(target: FuzzTarget, ...flags: readonly string[]): Promise<FuzzReport> {
  const options = readOptions([...FLAGS, ...flags])
  return await runFuzz({ options, target, signal, onProgress: () => undefined, times })
}

const found = ({ violations }: FuzzReport): readonly string[] => violations.map(({ what }) => what)

test('a service without a weakness is green', async () => {
  const report = await fuzz(await weakServer('none'))
  expect(report.violations).toEqual([])
  expect(report.requests).toBe(32)
  expect(report.quiet.during.answers).toBeGreaterThan(0)
})

test.each([['fails', / status 500$/, []]])('%s: every violation is %s', expectOnly)

test.each([
  ['loses', /^quiet client: \/healthz: 503, \d+ times$/, []],
  ['swells', /^an answer of more than 100000 bytes$/, ['--objective', 'cost', '--answer-bytes', '100000']],
  ['bare', / status 400 without the error envelope$/, []],
  ['closes', / closed without an answer$/, []],
  ['cuts', / an answer that is cut$/, []],
  ['hangs', / no answer within the bound$/, ['--timeout', '2']],
  ['stalls', /^quiet client: p99 of /, ['--quiet-limit-ms', '500']],
  ['stalls', /^quiet client: waited [\d.]+ ms, over 500 ms/, ['--quiet-most-ms', '500']],
])('%s: every violation is %s', { tags: 'slow' }, expectOnly)

const CONNECTIONS = '--objective connections --connections 32 --close-timeout 10 --burst 50'.split(' ')

test('a service without a weakness closes all connections and sockets', { tags: 'slow' }, async () => {
  const flags = [...CONNECTIONS, '--requests', '2', '--close-timeout', '60']
  const report = await fuzz(await weakServer('none'), ...flags)
  expect(report.violations).toEqual([])
  expect(report.requests).toBe(64)
  expect(report.kinds).toMatchObject({ burst: 1 })
})

// Only Linux shows whether a server still holds a connection of which its client sees nothing.
describe.runIf(process.platform === 'linux')('attacks on connections', { tags: 'slow' }, () => {
  test.each([
    ['keeps', /: a connection that stays open after the server ended its half$/, '1'],
    ['waits', /^unread big answer: a connection that stays open although its client does not read$/, '3'],
  ])('%s: a violation is %s, and its files repeat it', async (weakness, reason, requests) => {
    const report = await fuzz(await weakServer(weakness), ...CONNECTIONS, '--requests', requests)
    await expectRepeated(weakness, report, reason)
  })
})

test(
  'dies: a violation is that no new client is answered, and its files repeat it',
  { tags: 'slow' },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-attack-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'connect.json')
    const pieces = [{ text: 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n' }]
    // With its first byte, the service shows that it has taken the connection out of its HTTP server.
    writeFileSync(
      file,
      JSON.stringify({ kind: 'connect', pieces, steps: [{ until: 'byte' }, { do: 'reset' }] }),
    )
    const report = await fuzz(await weakServer('dies'), ...CONNECTIONS, '--replay', file)
    await expectRepeated('dies', report, /^a new client gets no answer from \/healthz$/)
  },
)

/** Expects a violation whose files repeat it on a new service. */
async function expectRepeated(weakness: string, report: FuzzReport, reason: RegExp): Promise<void> {
  expect(found(report)).toContainEqual(expect.stringMatching(reason))
  const { examples = [] } = report.violations.find(({ what }) => reason.test(what)) ?? {}
  const replay = examples.flatMap(({ file }) => ['--replay', file])
  const again = await fuzz(await weakServer(weakness), ...CONNECTIONS, ...replay)
  expect(found(again)).toContainEqual(expect.stringMatching(reason))
}

async function expectOnly(weakness: string, reason: RegExp, flags: readonly string[]): Promise<void> {
  const report = await fuzz(await weakServer(weakness), ...flags)
  expect(found(report)).not.toEqual([])
  expect(found(report).filter((what) => !reason.test(what))).toEqual([])
}

test.runIf(process.platform === 'linux')('memory that stays is a violation', { tags: 'slow' }, async () => {
  const report = await fuzz(await weakServer('leaks'), '--memory-mib', '20')
  expect(found(report)).toEqual([expect.stringMatching(/^memory: \d+ MiB at the end, over \d+ MiB$/)])
})

test('a violation is repeated by its file', { tags: 'slow' }, async () => {
  const target = await weakServer('fails')
  const [first] = (await fuzz(target)).violations
  const [example] = first?.examples ?? []
  expect(example?.where).toMatch(/^seed 7, connection \d+, number \d+$/)
  const again = await fuzz(target, '--replay', example?.file ?? '')
  expect(again.requests).toBe(1)
  expect(found(again)).toEqual([first?.what])
  const text = renderReport(again, { color: false, columns: 100 })
  expect(text).toContain(`FAIL ${first?.what}`)
  expect(text).toMatch(/--replay \S+\.json/)
})

test(
  'the reference server withstands many requests, and is then gone',
  { tags: 'slow', timeout: 180_000 },
  async () => {
    const many = `--connections 32 --seed ${Date.now() % 1_000_000}`.split(' ')
    const target = await openTarget(readOptions(FLAGS), {}, createRedactor(), signal)
    try {
      expect((await fuzz(target, ...many)).violations).toEqual([])
      // Memory grows while the server compiles its code, and then no more.
      const report = await fuzz(target, ...many, '--memory-mib', '128')
      expect(report.violations).toEqual([])
      expect(Object.keys(report.endings)).toEqual(expect.arrayContaining(['200', '400']))
      if (process.platform === 'linux') expect(report.memory?.start).toBeGreaterThan(20)
    } finally {
      await target[Symbol.asyncDispose]()
    }
    expect(memoryOf(target.pid ?? 0)).toBeUndefined()
  },
)
