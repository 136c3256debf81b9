// Every schema gets an answer or a 400 by the deadline, without work in this process, and the pool stays usable.
import { execFileSync, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test } from 'vitest'
import { fc, forAllAsyncWith } from '../../../../spec/property.fixture.ts'
import type { Schema } from '../schema/schema-problem.ts'
import { hostileSchema, hostileText, integers, referenceChain } from './hostile-schemas.fixture.ts'
import type { Job } from './jobs.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'

/** Detects a hang, not slowness: a worker may have to start first, on a busy machine. */
const PATIENCE_MS = 60_000

const open: Sandbox[] = []
afterAll(async () => {
  await Promise.all(open.map(async (sandbox) => await sandbox.close()))
})

function sandboxOf(options: SandboxOptions = {}): Sandbox {
  const sandbox = createSandbox({ timeoutMs: 1000, workers: 2, memoryMb: 128, ...options })
  open.push(sandbox)
  return sandbox
}

/** For tests that only need some sandbox: its workers are started once. */
const usual = sandboxOf()

/** Runs a job. On a busy machine a 503 comes first, which asks the client to retry. */
async function patiently(sandbox: Sandbox, job: Job): ReturnType<Sandbox['run']> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for (;;)
    try {
      return await sandbox.run(job, ['p'], { signal, keyId: 'key' })
    } catch (error) {
      if (signal.aborted || Reflect.get(Object(error), 'status') !== 503) throw error
    }
}

const client = (keyId = 'key') => ({ signal: new AbortController().signal, keyId })
const valueOf = (schema: Schema): Job => ({ type: 'fit', schema, texts: [], value: true })
const matching = (schema: Schema, text: string): Job => ({ type: 'fit', schema, texts: [text], value: false })
const grammarOf = (schema: Schema): Job => ({
  type: 'grammars',
  wanted: [{ schema, hint: false, objects: false }],
})

/** Never ends by itself: 2^60 paths through the references, none of which is allowed. */
const endlessSchema = { ...Object(referenceChain(60, 2)), not: false }
const endlessJob = (title: string): Job => matching({ ...endlessSchema, title }, '"x"')
const endless = endlessJob('')
const simple = valueOf({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
const SIMPLE_RESULT = { accepted: [], value: '{"a":""}' }

/** The process ids of the workers of this process. */
function childrenOf(pid: number): number[] {
  const listed = execFileSync('pgrep', ['-P', String(pid), '-f', 'sandbox/worker'], { encoding: 'utf8' })
  return listed.split('\n').filter(Boolean).map(Number)
}

/** Sends a signal to the workers of this process, if it has one. */
function signalWorkers(name: 'STOP' | 'CONT'): void {
  spawnSync('pkill', [`-${name}`, '-P', String(process.pid), '-f', 'sandbox/worker'])
}

/** The CPU time of this thread during `work`, in milliseconds. */
async function ownCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test.each([
  ['a value', simple, SIMPLE_RESULT],
  ['no value', valueOf({ not: {} }), { problem: expect.objectContaining({ keyword: 'not' }) }],
  ['a text that matches', matching({ type: 'integer' }, '7'), { accepted: [true] }],
  ['one that does not', matching({ type: 'integer', minimum: 3 }, '"7"'), { accepted: [false], value: '3' }],
  ['a grammar', grammarOf({ type: 'integer' }), { accepted: [] }],
  ['no grammar', grammarOf({ not: {} }), { problem: expect.objectContaining({ keyword: 'not' }) }],
  ['nothing at all', grammarOf(false), { problem: expect.objectContaining({ keyword: '$schema' }) }],
  [
    'numbers of 16 digits',
    grammarOf({ type: 'integer', minimum: 9_007_199_254_740_000 }),
    {
      problem: expect.objectContaining({
        keyword: 'minimum',
        message: 'expected numbers of at most 15 digits',
      }),
    },
  ],
  [
    'a pattern of exponential time elsewhere',
    matching({ pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(5000)}!`)),
    { accepted: [false], value: expect.any(String) },
  ],
])('%s', async (_, job, expected) => {
  expect(await usual.run(job, ['p'], client())).toEqual(expected)
})

describe('a limit is a 400 invalid_schema that names the parameter', () => {
  const refused = (reason: RegExp) => ({
    status: 400,
    code: 'invalid_schema',
    param: 'p',
    message: expect.stringMatching(reason),
  })

  test.each([
    ['characters', { description: 'x'.repeat(100_001) }],
    ['levels', { allOf: [JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`)] }],
    ['properties', integers(2001)],
    ['references', referenceChain(1002, 1)],
    ['alternatives', { enum: Array.from({ length: 5001 }, (_, place) => place) }],
    [
      'patterns',
      {
        properties: Object.fromEntries(
          Array.from({ length: 501 }, (_, place) => [`p${place}`, { pattern: 'a' }]),
        ),
      },
    ],
    ['characters of patterns', { pattern: 'a'.repeat(20_001) }],
    ['repetitions', { patternProperties: { '^(?:){9999999999}a$': true } }],
  ] satisfies [string, Schema][])('%s, before any process is started', async (what, schema) => {
    const sandbox = sandboxOf()
    await expect(sandbox.run(valueOf(schema), ['p'], client())).rejects.toMatchObject(
      refused(new RegExp(what)),
    )
  })

  test('time; meanwhile this thread is idle, and the next job succeeds', async () => {
    const sandbox = sandboxOf()
    await sandbox.run(simple, ['p'], client())
    const spentMs = await ownCpuMs(() =>
      expect(patiently(sandbox, endless)).rejects.toMatchObject(refused(/longer than 1000 ms/)),
    )
    expect(spentMs).toBeLessThan(300)
    expect(await sandbox.run(grammarOf({ type: 'string' }), ['p'], client())).toEqual({ accepted: [] })
  })

  test('memory', { tags: 'slow' }, async () => {
    const sandbox = sandboxOf({ memoryMb: 48, timeoutMs: PATIENCE_MS })
    const items = {
      type: 'array',
      minItems: 1000,
      items: { type: 'array', minItems: 1000, items: { minLength: 100_000, type: 'string' } },
    }
    await expect(sandbox.run(valueOf(items), ['p'], client())).rejects.toMatchObject(refused(/memory/))
    expect(await sandbox.run(simple, ['p'], client())).toEqual(SIMPLE_RESULT)
  })

  test('a schema refused for its time is refused again from the cache', { tags: 'slow' }, async () => {
    const sandbox = sandboxOf({ workers: 1 })
    await expect(patiently(sandbox, endless)).rejects.toMatchObject(refused(/longer than 1000 ms/))
    await sandbox.close()
    await expect(sandbox.run(endless, ['p'], client())).rejects.toMatchObject(refused(/longer/))
  })
})

test('a repeated job is answered from the cache, without a worker', async () => {
  const sandbox = sandboxOf()
  await sandbox.run(simple, ['p'], client())
  await sandbox.run(valueOf(false), ['p'], client())
  await sandbox.close()
  expect(await sandbox.run(simple, ['p'], client())).toEqual(SIMPLE_RESULT)
  expect(await sandbox.run(valueOf(false), ['p'], client())).toMatchObject({ problem: { place: 0 } })
  await expect(sandbox.run(matching(true, '1'), ['p'], client())).rejects.toMatchObject({ status: 503 })
})

describe('a job is not blamed for the end of its worker', () => {
  test('if this process was blocked for longer than the timeout', { tags: 'slow' }, async () => {
    const sandbox = sandboxOf({ workers: 1, timeoutMs: 300 })
    await sandbox.run(simple, ['p'], client())
    // The second job waits for the worker of the first.
    const jobs = ['7', '8'].map((text) => sandbox.run(matching({ type: 'integer' }, text), ['p'], client()))
    const end = performance.now() + 1500
    while (performance.now() < end);
    expect(await Promise.all(jobs)).toEqual([{ accepted: [true] }, { accepted: [true] }])
  })

  test('if the worker has just been killed by another process', { tags: 'slow' }, async () => {
    const sandbox = sandboxOf({ workers: 1, timeoutMs: 5000 })
    await sandbox.run(simple, ['p'], client())
    for (let round = 0; round < 2; round += 1) {
      const children = childrenOf(process.pid)
      expect(children).not.toEqual([])
      for (const child of children) process.kill(child, 'SIGKILL')
      // The exit is not reported to this process yet.
      const job = sandbox.run(matching({ type: 'integer' }, `${round}`), ['p'], client())
      expect(await job).toEqual({ accepted: [true] })
    }
  })
})

test('a job that the machine starves is a 503, and no fault of its schema', { tags: 'slow' }, async () => {
  const sandbox = sandboxOf({ timeoutMs: 1000, workers: 1 })
  await sandbox.run(simple, ['p'], client())
  const refused = sandbox.run(endless, ['p'], client()).catch((error: unknown) => error)
  let isOver = false
  void refused.then(() => (isOver = true))
  let since = performance.now()
  while (!isOver) {
    signalWorkers('STOP')
    // A busy machine takes long to start `pkill`, while the worker runs.
    await sleep(100 + 4 * (performance.now() - since))
    since = performance.now()
    signalWorkers('CONT')
    await sleep(5)
  }
  expect(await refused).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
})

test('a job waits in the queue for a bounded time', { tags: 'slow' }, async () => {
  const sandbox = sandboxOf({ timeoutMs: 100, workers: 1 })
  await sandbox.run(simple, ['p'], client())
  // Each takes its timeout, so the last of these would wait for two seconds.
  const outcomes = Array.from({ length: 20 }, (_, at) =>
    sandbox.run(endlessJob(`${at}`), ['p'], client(`key ${at}`)).catch((error: unknown) => error),
  )
  expect(await Promise.all(outcomes)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ status: 400 }),
      expect.objectContaining({ status: 503, headers: { 'Retry-After': '1' } }),
    ]),
  )
})

test('many endless jobs of one key do not delay another key', async () => {
  const sandbox = sandboxOf({ timeoutMs: 60_000 })
  const left = new AbortController()
  const attack = Array.from({ length: 20 }, (_, place) =>
    sandbox.run(endlessJob(`${place}`), ['p'], {
      signal: left.signal,
      keyId: 'attacker',
    }),
  )
  const settled = Promise.allSettled(attack)
  for (let count = 0; count < 5; count += 1)
    expect(await sandbox.run(matching({ type: 'integer' }, `${count}`), ['p'], client('victim'))).toEqual({
      accepted: [true],
    })
  left.abort(new Error('gone'))
  expect(
    (await settled).every((end) => end.status === 'rejected' && String(end.reason) === 'Error: gone'),
  ).toBe(true)
  // The worker of an aborted job is also free again.
  expect(await sandbox.run(matching({ type: 'integer' }, '99'), ['p'], client('attacker'))).toEqual({
    accepted: [true],
  })
})

test('a job beyond the queue limit is a 503 with Retry-After', async () => {
  const sandbox = sandboxOf({ timeoutMs: 60_000, workers: 1 })
  const left = new AbortController()
  const jobs = Array.from({ length: 300 }, (_, place) =>
    sandbox.run(endlessJob(`${place}`), ['p'], {
      signal: left.signal,
      keyId: 'k',
    }),
  )
  const settled = Promise.allSettled(jobs)
  await sleep(0)
  left.abort(new Error('gone'))
  const full = (await settled).filter(
    (end) => end.status === 'rejected' && Reflect.get(Object(end.reason), 'status') === 503,
  )
  expect(full.length).toBeGreaterThanOrEqual(300 - 256 - 1)
  expect(full[0]).toMatchObject({ reason: { headers: { 'Retry-After': '1' } } })
})

test('a job fails with a 503 if no worker can start', async () => {
  await expect(sandboxOf({ memoryMb: 1 }).run(simple, ['p'], client())).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
  })
})

test('close does not wait for a busy worker', { timeout: PATIENCE_MS }, async () => {
  const sandbox = sandboxOf({ timeoutMs: 3_600_000 })
  await sandbox.run(simple, ['p'], client())
  const job = sandbox.run(endless, ['p'], client()).catch((error: unknown) => error)
  await sleep(20)
  await sandbox.close()
  expect(await job).toMatchObject({ status: 503 })
})

describe('any hostile schema', () => {
  const TIMEOUT_MS = 400
  const context = createContext({ work: () => {} })
  const script = new Script('work()')

  /** Methods that ajv's own comparison calls; an object may have members with these names. */
  const ASKED = /"(?:constructor|toString|valueOf)"/

  /** Whether plain ajv accepts `json`; undefined if it fails or takes too long. */
  function accepts(schema: Schema, json: string): boolean | undefined {
    if (ASKED.test(JSON.stringify(schema))) return undefined
    let verdict: boolean | undefined
    const lenient = { strict: false, validateFormats: false, logger: false } as const
    const ajv = new Ajv2020({ ...lenient, inlineRefs: false, ownProperties: true })
    context['work'] = () => (verdict = ajv.validate(schema, JSON.parse(json)) === true)
    try {
      script.runInContext(context, { timeout: 2000 })
    } catch {
      return undefined
    }
    return verdict
  }

  test(
    'gives a value that it accepts, or a 400, by the deadline; and the pool is healthy',
    { timeout: 400_000, tags: 'slow' },
    async () => {
      const sandbox = sandboxOf({ timeoutMs: TIMEOUT_MS, memoryMb: 96 })
      await forAllAsyncWith(
        { numRuns: 80 },
        hostileSchema,
        hostileText,
        fc.constantFrom('value', 'match', 'grammar'),
        async (schema, text, kind) => {
          const job =
            kind === 'value' ? valueOf(schema) : kind === 'match' ? matching(schema, text) : grammarOf(schema)
          try {
            const result = await patiently(sandbox, job)
            if ('problem' in result) expect(result.problem.keyword).not.toBe('')
            else if (result.value !== undefined) expect(accepts(schema, result.value)).not.toBe(false)
            else if (kind === 'match') expect(accepts(schema, text)).not.toBe(false)
          } catch (error) {
            if (!(error instanceof Error) || !('status' in error)) throw error
            expect(error).toMatchObject({ status: 400, code: 'invalid_schema', param: 'p' })
          }
        },
      )
      expect(await sandbox.run(simple, ['p'], client())).toEqual(SIMPLE_RESULT)
    },
  )
})
