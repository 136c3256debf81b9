// The judge before services that break below HTTP: a run ends early with one cause and within its memory, and a service that
// is alive is judged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ConformanceOptions, type Report, runConformance } from '../../../run-conformance.ts'
import { temporaryFolder } from '../../../../harness/temporary-folder.fixture.ts'
import { runCli } from '../../../cli/cli.fixture.ts'
import {
  type HostileAnswer,
  WAYS,
  answerWell,
  startHostileService,
  whole,
} from './hostile-service.fixture.ts'

/** The checks of a full run that these tests need: enough failures in a row, and each kind of request. */
const SOME = 'CHAT-1,CHAT-2,CHAT-3,WIRE-1,WIRE-2,WIRE-5,WIRE-6,WIRE-7,WIRE-8,WIRE-14,WIRE-18,STREAM-*,MODEL-8'

/** The most requests of a run that ends early: the failures, the trials of each kind, and those in flight. */
const MOST_REQUESTS = 250

async function judged(answer: HostileAnswer, options: ConformanceOptions = {}) {
  await using service = await startHostileService(answer)
  const report = await runConformance({
    baseUrl: service.baseUrl,
    profile: 'wire',
    only: SOME,
    runs: 3,
    seed: 1,
    timeoutMs: 3000,
    ...options,
  })
  return { report, requests: service.requests() }
}

const openReasons = ({ checks }: Report): ReadonlySet<string | undefined> =>
  new Set(checks.filter(({ outcome }) => outcome === 'inconclusive').map(({ reason }) => reason))

function expectEarlyEnd(report: Report, requests: number): void {
  expect(report.endedEarly).toMatch(/^POST \/v1\/chat\/completions has not answered after \d+ requests: /)
  expect(requests).toBeLessThan(MOST_REQUESTS)
  expect(openReasons(report)).toContain(report.endedEarly)
  expect(report.exitCode).toBe(report.totals.fail > 0 ? 1 : 2)
}

const SAMPLE = ['resets before the head', 'drips the body', 'is silent'] as const
const names = Object.keys(WAYS) as (keyof typeof WAYS)[]

const isSample = (name: string): boolean => SAMPLE.some((one) => one === name)

/** The memory that the judge needs for these is measured too, in a process of its own. */
const POURS = [
  'sends a body without an end',
  'sends small chunks without an end',
  'sends a bomb',
] as const satisfies readonly (keyof typeof WAYS)[]

const isPour = (name: string): boolean => POURS.some((one) => one === name)

async function endsEarly(name: keyof typeof WAYS): Promise<void> {
  const { report, requests } = await judged(WAYS[name])
  expectEarlyEnd(report, requests)
}

// From here to the services that pour, the tests mostly wait: they run side by side, the longest first.
test.concurrent.each<[string, HostileAnswer]>([
  ['is slow', (socket, request) => setTimeout(() => answerWell(socket, request), 300)],
  [
    'breaks two of three connections',
    (socket, request) =>
      request.nth % 3 === 0 ? answerWell(socket, request) : void socket.resetAndDestroy(),
  ],
])('a service that %s goes on being judged', { timeout: 120_000 }, async (_, answer) => {
  const { report } = await judged(answer, { only: 'CHAT-1,CHAT-2,WIRE-2,STREAM-1' })
  expect(report.endedEarly).toBeUndefined()
  expect(report.totals.pass).toBeGreaterThan(5)
})

const others = names.filter((name) => !isSample(name) && !isPour(name))
test.concurrent.each(SAMPLE)('a run ends early if a service %s', { timeout: 120_000 }, endsEarly)
test.concurrent.each(others)(
  'a run ends early if a service %s',
  { tags: 'slow', timeout: 120_000 },
  endsEarly,
)

test.concurrent(
  'a service that dies within a run is reported with what was judged before',
  { timeout: 120_000 },
  async () => {
    const dies: HostileAnswer = (socket, request) =>
      request.nth <= 40 ? answerWell(socket, request) : void socket.resetAndDestroy()
    const { report, requests } = await judged(dies)
    expect(report.endedEarly).toMatch(/stopped answering after \d+ requests/)
    expect(requests).toBeLessThan(40 + MOST_REQUESTS)
    expect(report.totals.pass).toBeGreaterThan(5)
  },
)

test.concurrent.each(
  names.filter((name) => !/drips|(body|chunks) without|silent|bomb|wrong chunks/.test(name)),
)('a service that always %s is reported in one line', async (name) => {
  await using service = await startHostileService(WAYS[name], { listsModels: false })
  const run = runConformance({ baseUrl: service.baseUrl, profile: 'wire', timeoutMs: 10_000 })
  await expect(run).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/^\S+ cannot be judged: .+$/),
  })
  expect(service.requests()).toBeLessThan(10)
})

test.concurrent('a silent service gets two requests, and is reported in one line', async () => {
  await using service = await startHostileService(WAYS['is silent'], { listsModels: false })
  const run = runConformance({ baseUrl: service.baseUrl, profile: 'wire', timeoutMs: 300 })
  await expect(run).rejects.toThrow(/cannot be judged: no answer within 0\.3 s: .*--timeout/)
  expect(service.requests()).toBe(2)
})

const LARGE = JSON.stringify({ choices: [{ message: { content: 'a'.repeat(10_000_000) } }] })

describe('a run ends early, and the judge takes at most 512 MiB, if a service', { timeout: 120_000 }, () => {
  const print = 'process.stderr.write(`peak ${process.resourceUsage().maxRSS}\\n`)'
  async function takesLittle(answer: HostileAnswer): Promise<void> {
    await using service = await startHostileService(answer)
    const json = join(temporaryFolder(), 'report.json')
    // These answers end by their size. A shorter limit would end the list of models, which a busy service sends late.
    const flags = `--base-url ${service.baseUrl} --json ${json} --profile wire --timeout 10 --warm-up 10 --concurrency 32`
    const { stdout, stderr } = await runCli(flags.split(' '), {
      NODE_OPTIONS: `--import "data:text/javascript,process.on('exit',()=>${print})"`,
    })
    expect(stdout).toContain('the run ended early: POST /v1/chat/completions')
    expectEarlyEnd(JSON.parse(readFileSync(json, 'utf8')), service.requests())
    const [, peakKiB] = /peak (\d+)/.exec(stderr) ?? []
    expect(Number(peakKiB)).toBeGreaterThan(0)
    expect(Number(peakKiB)).toBeLessThan(512 * 1024)
  }
  test.each(POURS.slice(0, 1))('%s', (name) => takesLittle(WAYS[name]))
  test.each(POURS.slice(1))('%s', { tags: 'slow' }, (name) => takesLittle(WAYS[name]))
  test('sends answers of 10 MB', { tags: 'slow' }, () =>
    takesLittle((socket) => void socket.write(whole(LARGE))),
  )
})

test('no listener is left behind by a request to a slow service', { timeout: 30_000 }, async () => {
  const warnings: string[] = []
  const note = ({ message }: Error): unknown => warnings.push(message)
  process.on('warning', note)
  try {
    await judged((socket, request) => setTimeout(() => answerWell(socket, request), 100), {
      concurrency: 64,
      only: 'CHAT-1,WIRE-2,STREAM-1',
    })
  } finally {
    process.off('warning', note)
  }
  expect(warnings.filter((message) => message.includes('leak'))).toEqual([])
})
