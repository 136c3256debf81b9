// The manifest for several machines names an existing scenario and every variable that it reads. The steps of its pods
// (archive, inspection, segments) reach the verdict of a local run, from the folder of the scenarios alone.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { findK6 } from './find-k6.ts'
import { segmentFlags } from './run-k6.ts'
import { scenarios } from '../judges/load-scenarios.ts'

const root = join(import.meta.dirname, '..', '..')
const manifest = readFileSync(join(import.meta.dirname, 'k6-operator.yaml'), 'utf8')
const documents: unknown[] = parseAllDocuments(manifest, { strict: true }).map((one) => one.toJS())

const variables = z.array(z.object({ name: z.string(), valueFrom: z.record(z.string(), z.unknown()) }))
const testRun = z
  .object({
    apiVersion: z.literal('k6.io/v1alpha1'),
    kind: z.literal('TestRun'),
    metadata: z.object({ name: z.string() }).strict(),
    spec: z
      .object({
        parallelism: z.number().int().min(2),
        separate: z.literal(true),
        arguments: z.string(),
        script: z.object({ configMap: z.object({ name: z.string(), file: z.string() }).strict() }).strict(),
        initializer: z.object({ image: z.string(), env: variables }).strict(),
        runner: z.object({
          image: z.string(),
          env: variables,
          volumes: z.array(
            z
              .object({
                name: z.string(),
                persistentVolumeClaim: z.object({ claimName: z.string() }).strict(),
              })
              .strict(),
          ),
          volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() }).strict()),
        }),
      })
      .strict(),
  })
  .strict()
  .parse(documents[1])
const { spec } = testRun

const folder = temporaryFolder()

describe('k6-operator.yaml', () => {
  const names = (env: z.infer<typeof variables>) => env.map(({ name }) => name)

  it('runs an existing scenario', () => {
    const { file } = spec.script.configMap
    expect(existsSync(join(import.meta.dirname, '..', 'scenarios', file))).toBe(true)
    expect(scenarios.map(({ name }) => `${name}.ts`)).toContain(file)
  })

  it('gives the scenarios every variable that they read, and keys from a secret alone', () => {
    const source = readFileSync(join(import.meta.dirname, '..', 'scenarios', 'k6-load.ts'), 'utf8')
    const read = [...source.matchAll(/__ENV\['(\w+)'\]/g)].map(([, name]) => name)
    expect(read.toSorted()).toEqual(['LOADTEST_KEYS', 'LOADTEST_PLAN'])
    expect(names(spec.runner.env)).toEqual(expect.arrayContaining(read))
    // The initializer reads the plan only; it needs no key.
    expect(names(spec.initializer.env)).toEqual(['LOADTEST_PLAN'])
    const keys = spec.runner.env.find(({ name }) => name === 'LOADTEST_KEYS')
    expect(Object.keys(keys?.valueFrom ?? {})).toEqual(['secretKeyRef'])
  })

  it('keeps the record of each pod in the claim', () => {
    expect(spec.arguments).toContain('--out json=/records/$(POD_NAME).json')
    expect(names(spec.runner.env)).toContain('POD_NAME')
    const [mount] = spec.runner.volumeMounts
    const volume = spec.runner.volumes.find(({ name }) => name === mount?.name)
    expect(mount?.mountPath).toBe('/records')
    expect(documents[0]).toMatchObject({
      kind: 'PersistentVolumeClaim',
      metadata: { name: volume?.persistentVolumeClaim.claimName },
    })
  })

  it('runs the k6 that go.mod pins', () => {
    const pinned = /go\.k6\.io\/k6\/v2 v(\S+)/.exec(
      readFileSync(join(import.meta.dirname, '..', 'go.mod'), 'utf8'),
    )?.[1]
    for (const { image } of [spec.runner, spec.initializer]) expect(image).toBe(`grafana/k6:${pinned}`)
  })
})

describe('the steps of the pods', { tags: 'k6', timeout: 240_000 }, () => {
  const execute = promisify(execFile)
  const loadtest = (args: readonly string[]) =>
    execute(process.execPath, ['loadtest/cli.ts', 'rate-limit', ...args], { cwd: root })

  it('reach a verdict', async () => {
    const { path: program } = await findK6(process.env, () => undefined)
    // The folder of the ConfigMap has no project around it.
    const test = join(folder, 'test')
    cpSync(join(import.meta.dirname, '..', 'scenarios'), test, { recursive: true })
    const script = join(test, spec.script.configMap.file)
    const service = spawn(process.execPath, ['fixtures/limiters/serve-limiter.ts', '--limit', '3/1'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [url] = await once(createInterface(service.stdout), 'line')
      const about = ['--base-url', String(url), '--model', 'svc-0.1-echo', '--limit', '3/1']
      const plan = (await loadtest([...about, '--plan'])).stdout.trim()

      const archive = join(folder, 'archive.tar')
      await execute(program, ['archive', script, '-e', `LOADTEST_PLAN=${plan}`, '-O', archive])
      const inspected = await execute(program, ['inspect', '--execution-requirements', archive])
      expect(JSON.parse(inspected.stdout)).toMatchObject({
        scenarios: { above: { executor: 'constant-arrival-rate' } },
        maxVUs: expect.any(Number),
      })

      const env = { ...process.env, LOADTEST_PLAN: plan, LOADTEST_KEYS: 'key-1,key-2,key-3,key-4,key-5' }
      const records = await Promise.all(
        Array.from({ length: spec.parallelism }, async (_, index) => {
          const record = join(folder, `${index}.json`)
          const segment = segmentFlags(index, spec.parallelism)
          const flags = ['--quiet', ...segment, '--out', `json=${record}`, '--no-usage-report']
          await execute(program, ['run', ...flags, script, '--address=127.0.0.1:0'], { env })
          return record
        }),
      )
      const json = join(folder, 'verdict.json')
      const flags = records.flatMap((record) => ['--record', record])
      // A busy machine makes a run invalid, which is a verdict too.
      await loadtest([...about, ...flags, '--json', json]).catch(({ code }: { code: number }) =>
        expect(code).toBe(3),
      )
      const verdict: unknown = JSON.parse(readFileSync(json, 'utf8'))
      expect(verdict).toMatchObject({ processes: spec.parallelism, k6: 'elsewhere', scenario: 'rate-limit' })
      const { assertions, offered } = z
        .object({
          offered: z.number(),
          assertions: z.array(z.object({ id: z.string(), outcome: z.string() })),
        })
        .parse(verdict)
      expect(offered).toBeGreaterThanOrEqual(290)
      expect(assertions.filter(({ outcome }) => outcome === 'fail')).toEqual([])
    } finally {
      service.kill('SIGTERM')
    }
  })
})
