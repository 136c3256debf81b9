// Every schema gets an answer or a 400 by the deadline, without work in this process, and the pool stays usable.
import { type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { fc, forAllAsyncWith } from '../../../../spec/property.fixture.ts'
import type { Schema } from '../../schema-problem.ts'
import { hostileSchema, hostileText, integers, referenceChain } from './hostile-schemas.fixture.ts'
import type { Job } from './sandbox-jobs.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
import type { FromSandboxWorker, ToSandboxWorker } from './sandbox-worker.ts'

/** Detects a hang, not slowness: a worker may have to start first, on a busy machine. */
const PATIENCE_MS = 60_000

const open: Sandbox[] = []
afterAll(async () => {
  await Promise.all(open.map(async (sandbox) => await sandbox.close()))
})

/** A sandbox with real workers. */
function sandboxOf(options: SandboxOptions = {}): Sandbox {
  const sandbox = createSandbox({ timeoutMs: PATIENCE_MS, workers: 2, memoryMb: 128, ...options })
  open.push(sandbox)
  return sandbox
}

/** Tests that only need some sandbox share this one: its workers are started once. */
const usual = sandboxOf()

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

test.each([
  ['a value', simple, SIMPLE_RESULT],
  ['no value', valueOf({ not: {} }), { problem: expect.objectContaining({ keyword: 'not' }) }],
  ['a text that matches', matching({ type: 'integer' }, '7'), { accepted: [true] }],
  ['one that does not', matching({ type: 'integer', minimum: 3 }, '"7"'), { accepted: [false], value: '3' }],
  ['a grammar', grammarOf({ type: 'integer' }), { accepted: [] }],
  ['no grammar', grammarOf({ not: {} }), { problem: expect.objectContaining({ keyword: 'not' }) }],
  [
    'nothing at all',
    grammarOf(false),
    { problem: { place: 0, message: 'no value was found that satisfies the schema at #' } },
  ],
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

const failureOf = (result: Promise<unknown>) => result.catch((error: unknown) => error)
const refused = (reason: RegExp) => ({
  status: 400,
  code: 'invalid_schema',
  param: 'p',
  message: expect.stringMatching(reason),
})

test.each([
  ['characters', { description: 'x'.repeat(200_001) }],
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
] satisfies [string, Schema][])(
  'too many %s are a 400 before any process is started',
  async (what, schema) => {
    const { sandbox, workers } = fakeSandbox()
    await expect(sandbox.run(valueOf(schema), ['p'], client())).rejects.toMatchObject(
      refused(new RegExp(what)),
    )
    expect(workers).toEqual([])
  },
)

test('too much memory is a 400, and the next job succeeds', { tags: 'slow' }, async () => {
  const sandbox = sandboxOf({ memoryMb: 48 })
  const items = {
    type: 'array',
    minItems: 1000,
    items: { type: 'array', minItems: 1000, items: { minLength: 100_000, type: 'string' } },
  }
  await expect(sandbox.run(valueOf(items), ['p'], client())).rejects.toMatchObject(refused(/memory/))
  expect(await sandbox.run(simple, ['p'], client())).toEqual(SIMPLE_RESULT)
})

test('an endless job ends at its timeout, and meanwhile this thread takes its turns', async () => {
  const sandbox = sandboxOf({ timeoutMs: 1000 })
  let turns = 0
  const counter = setInterval(() => (turns += 1), 1)
  // On a busy machine it is a 503, because its worker did not get the processor.
  await expect(sandbox.run(endless, ['p'], client())).rejects.toMatchObject({
    status: expect.toBeOneOf([400, 503]),
  })
  clearInterval(counter)
  expect(turns).toBeGreaterThan(20)
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

/** A worker process that does only what the test says. */
class FakeWorker extends EventEmitter {
  readonly orders: ToSandboxWorker[] = []
  ref() {}
  unref() {}
  send(order: ToSandboxWorker) {
    this.orders.push(order)
  }
  kill() {
    setImmediate(() => this.emit('close', null, 'SIGKILL'))
  }
  say(message: FromSandboxWorker) {
    this.emit('message', message)
  }
}

/** A sandbox of one worker with a timeout of 1000 ms, and its workers so far; one that `starts` is ready at once. */
function fakeSandbox({ starts = true } = {}) {
  const workers: FakeWorker[] = []
  const sandbox = createSandbox({
    timeoutMs: 1000,
    workers: 1,
    startWorker() {
      const worker = new FakeWorker()
      workers.push(worker)
      setImmediate(() => (starts ? worker.say({ type: 'ready' }) : worker.emit('close', 1, null)))
      return worker as unknown as ChildProcess
    },
  })
  /** The worker that has `job` now, which has all of `timeoutMs`. */
  async function workerOf(job: Job, timeoutMs = 1000): Promise<FakeWorker> {
    await vi.waitFor(() =>
      expect(workers.at(-1)?.orders.at(-1)).toEqual({ job: JSON.stringify(job), timeoutMs }),
    )
    return workers.at(-1) ?? new FakeWorker()
  }
  return { sandbox, workers, workerOf }
}

describe('the deadline of a job', () => {
  afterEach(() => void vi.useRealTimers())
  const useClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const done = { type: 'done', result: { accepted: [true] } } as const
  const late = (cpuMs: number) => ({ type: 'late', cpuMs }) as const

  test('is a 400, and for a while one from the cache', async () => {
    const { sandbox, workers, workerOf } = fakeSandbox()
    const outcome = failureOf(sandbox.run(endless, ['p'], client()))
    ;(await workerOf(endless)).say(late(900))
    expect(await outcome).toMatchObject(refused(/longer than 1000 ms/))
    expect(await failureOf(sandbox.run(endless, ['p'], client()))).toMatchObject(refused(/longer/))
    expect(workers.map(({ orders }) => orders.length)).toEqual([1])
  })

  test('is a 503 if the machine was too busy, also for a second worker with twice the time', async () => {
    const { sandbox, workers, workerOf } = fakeSandbox()
    const outcome = failureOf(sandbox.run(endless, ['p'], client()))
    ;(await workerOf(endless)).say(late(100))
    ;(await workerOf(endless, 2000)).say(late(100))
    expect(await outcome).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
    expect(workers.length).toBeGreaterThan(1)
  })

  test('is kept by killing a worker that does not stop by itself', async () => {
    useClock()
    const { sandbox, workerOf } = fakeSandbox()
    const outcome = failureOf(sandbox.run(endless, ['p'], client()))
    await workerOf(endless)
    vi.advanceTimersByTime(2000)
    await workerOf(endless, 2000)
    vi.advanceTimersByTime(4000)
    expect(await outcome).toMatchObject(refused(/longer than/))
  })

  test('is not missed by a result that waited while this process was blocked', async () => {
    useClock()
    const { sandbox, workers, workerOf } = fakeSandbox()
    const result = sandbox.run(endless, ['p'], client())
    const worker = await workerOf(endless)
    vi.advanceTimersByTime(10_000)
    worker.say(done)
    expect(await result).toEqual({ accepted: [true] })
    expect(workers).toHaveLength(1)
  })

  test('bounds the wait in the queue too', async () => {
    useClock()
    const { sandbox, workerOf } = fakeSandbox()
    const first = failureOf(sandbox.run(endless, ['p'], client('a')))
    await workerOf(endless)
    const outcome = failureOf(sandbox.run(endlessJob('b'), ['p'], client('b')))
    vi.advanceTimersByTime(10_000)
    expect(await outcome).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
    const closed = sandbox.close()
    await Promise.all([first, closed])
  })
})

test('a job whose worker is killed by another process is run again', async () => {
  const { sandbox, workers, workerOf } = fakeSandbox()
  const result = sandbox.run(endless, ['p'], client())
  ;(await workerOf(endless)).emit('close', null, 'SIGKILL')
  ;(await workerOf(endless, 2000)).say({ type: 'done', result: { accepted: [true] } })
  expect(await result).toEqual({ accepted: [true] })
  expect(workers).toHaveLength(2)
})

test('a job that ends two workers takes too much memory', async () => {
  const { sandbox, workerOf } = fakeSandbox()
  const outcome = failureOf(sandbox.run(endless, ['p'], client()))
  ;(await workerOf(endless)).emit('close', null, 'SIGABRT')
  ;(await workerOf(endless, 2000)).emit('close', null, 'SIGABRT')
  expect(await outcome).toMatchObject(refused(/memory/))
})

test('a job beyond the queue limit is a 503 with Retry-After', async () => {
  const { sandbox, workerOf } = fakeSandbox()
  const run = (title: string) => sandbox.run(endlessJob(title), ['p'], client())
  const running = run('')
  await workerOf(endless)
  const waiting = Array.from({ length: 256 }, (_, place) => run(`${place}`))
  const settled = Promise.allSettled([running, ...waiting])
  await expect(run('more')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  await sandbox.close()
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true)
})

test('a job fails with a 503 if no worker can start', async () => {
  const { sandbox, workers } = fakeSandbox({ starts: false })
  await expect(sandbox.run(simple, ['p'], client())).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
  })
  expect(workers).toHaveLength(3)
})

test('many endless jobs of one key do not delay another key', async () => {
  const sandbox = sandboxOf()
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

test('close does not wait for a busy worker', async () => {
  const sandbox = sandboxOf({ timeoutMs: 3_600_000 })
  await sandbox.run(simple, ['p'], client())
  const job = failureOf(sandbox.run(endless, ['p'], client()))
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
    'gives a value that it accepts, a 400, or on a busy machine a 503, by the deadline; and the pool is healthy',
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
            const result = await sandbox.run(job, ['p'], client())
            if ('problem' in result) expect(result.problem.keyword).not.toBe('')
            else if (result.value !== undefined) expect(accepts(schema, result.value)).not.toBe(false)
            else if (kind === 'match') expect(accepts(schema, text)).not.toBe(false)
          } catch (error) {
            if (!(error instanceof Error) || !('status' in error)) throw error
            if (error.status !== 503)
              expect(error).toMatchObject({ status: 400, code: 'invalid_schema', param: 'p' })
          }
        },
      )
      await vi.waitFor(
        async () => expect(await sandbox.run(simple, ['p'], client())).toEqual(SIMPLE_RESULT),
        { timeout: PATIENCE_MS },
      )
    },
  )
})
