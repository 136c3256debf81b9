// The pods of the Kubernetes job, without a cluster: the command of `job.yaml` runs from the files of the image alone, and
// the records of its pods are judged together by the command line.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { at, listAt } from '../../harness/json-value.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { type Clock, startClock } from '../clock/clock-service.ts'
import type { LatencyPlan } from './stream-plan.ts'
import type { GeneratorLine } from './stream-record.ts'
import { plan } from './stream.fixture.ts'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)
const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

const [claim, job] = parseAllDocuments(read('job.yaml'), { strict: true }).map((one): unknown => one.toJS())
const completions = Number(at(job, 'spec', 'completions'))
const pod = at(job, 'spec', 'template', 'spec')
const container = at(pod, 'containers', 0)
const command = listAt(container, 'command').map(String)

/** The paths that the image copies from the build folder in its last stage. */
const copied = [
  ...(
    read('Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  ).matchAll(/^COPY (?!--from)(\S+) \S+$/gm),
].map(([, path = '']) => path)

const folder = temporaryFolder()
let clock: Clock
beforeAll(async () => {
  clock = await startClock(0, undefined)
})
afterAll(() => clock.close())

describe('job.yaml', () => {
  it('starts all pods once and at the same time, and each knows its part', () => {
    expect(job).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: { completionMode: 'Indexed', parallelism: completions, backoffLimit: 0 },
    })
    expect(at(pod, 'restartPolicy')).toBe('Never')
    expect(command[2]).toContain(`LOADTEST_SEGMENT=$((JOB_COMPLETION_INDEX + 1))/${completions} `)
  })

  it('takes keys from a secret alone, and leaves the records in the claim', () => {
    const env = listAt(container, 'env')
    const keys = env.find((one) => at(one, 'name') === 'LOADTEST_KEYS')
    expect(Object.keys(Object(at(keys, 'valueFrom')))).toEqual(['secretKeyRef'])
    expect(env).toContainEqual({
      name: 'LOADTEST_RECORDS',
      value: at(container, 'volumeMounts', 0, 'mountPath'),
    })
    const volume = at(pod, 'volumes', 0)
    expect(at(volume, 'name')).toBe(at(container, 'volumeMounts', 0, 'name'))
    expect(at(volume, 'persistentVolumeClaim', 'claimName')).toBe(at(claim, 'metadata', 'name'))
  })
})

/** Runs a pod to its end. Resolves to the file of its record. */
async function runPod(
  cwd: string,
  { plan, records, index }: { plan: string; records: string; index: number },
): Promise<string> {
  await execute('sh', command.slice(1), {
    cwd,
    env: {
      PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
      LOADTEST_PLAN: plan,
      LOADTEST_KEYS: 'one,two',
      LOADTEST_RECORDS: records,
      JOB_COMPLETION_INDEX: String(index),
    },
  })
  return join(records, `${index}.json`)
}

it('its pods wait for the time of the plan', { tags: 'slow' }, async () => {
  const load = { model: 'open', arrivals: 'constant', ratePerSecond: 10 } as const
  const startsAt = Date.now() + 5_000
  const own = plan({ baseUrl: clock.baseUrl, model: 'clock-instant', load, seconds: 1, startsAt })
  const file = await runPod(root, { plan: JSON.stringify(own), records: folder, index: 0 })
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const planned = lines.flatMap((text) => {
    const line = JSON.parse(text) as GeneratorLine
    return line.type === 'stream' ? [line.plannedAt] : []
  })
  // A timer fires up to a millisecond early, and late on a busy machine.
  expect(Math.min(...planned)).toBeGreaterThan(startsAt - 5)
})

it('its pods reach a verdict together', { tags: 'slow', timeout: 60_000 }, async () => {
  const app = join(folder, 'app')
  for (const path of copied.concat('node_modules/pure-rand'))
    cpSync(join(root, path), join(app, path), { recursive: true })
  const loadtest = (...args: string[]) =>
    execute(process.execPath, [join(root, 'loadtest/cli.ts'), 'latency', ...args])
  const about = ['--base-url', clock.baseUrl, '--model', 'clock-reset', '--rate', '30', '--seconds', '1']
  const flags = [...about, '--arrivals', 'constant', '--slo', 'ttft=1000,tpot=100']
  const before = Date.now()
  const { stdout } = await loadtest(...flags, '--plan', '--start-in', '1')
  expect((JSON.parse(stdout) as LatencyPlan).startsAt).toBeGreaterThanOrEqual(before + 1_000)

  const records = join(folder, 'records')
  mkdirSync(records)
  const files = await Promise.all(
    Array.from({ length: completions }, (_, index) => runPod(app, { plan: stdout, records, index })),
  )
  const json = join(folder, 'verdict.json')
  const judged = (...of: string[]) =>
    loadtest(...flags, ...of.flatMap((file) => ['--record', file]), '--json', json).then(
      () => 0,
      ({ code }: { code: number }) => code,
    )
  const verdict = () => JSON.parse(readFileSync(json, 'utf8')) as unknown

  // Every third of the 30 connections is reset. A busy machine makes a run invalid, which is a verdict too.
  expect([1, 3]).toContain(await judged(...files))
  const summary = { mean: expect.any(Number), p50: expect.any(Number), p90: expect.any(Number) }
  const whole = { ...summary, p95: expect.any(Number), p99: expect.any(Number), max: expect.any(Number) }
  expect(verdict()).toMatchObject({
    offered: 30,
    completed: 20,
    failed: 10,
    goodput: 2 / 3,
    outputTokensPerSecond: expect.any(Number),
    latency: { ttftMs: whole, ttfvMs: whole, itlMs: whole, tpotMs: whole, e2eMs: whole, dispatchMs: whole },
  })

  // Half of the load is not judged as if it were the whole.
  expect(await judged(files[0] ?? '')).toBe(3)
  expect(verdict()).toMatchObject({ verdict: 'invalid', valid: false })
})
