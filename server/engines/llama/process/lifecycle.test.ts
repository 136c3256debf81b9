// Whatever happens to the child process, each request ends with an answer or an error, the engine recovers by itself, and
// no slot or process leaks.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sentences } from '../../../../fixtures/tiny-model/bigram.ts'
import { toApiError } from '../../../http/api-error.ts'
import { closedAtEnd, temporaryFolder } from '../../../test-resources.fixture.ts'
import type { LlamaEngine, LlamaEngineOptions } from '../llama.ts'
import { ask, createTinyEngine, TINY, TINY_PATH, useTinyEngine } from '../llama.fixture.ts'
import { answerTo } from '../../../engine-answer.fixture.ts'

const certain = sentences[0] ?? ''
const greedy = ask({ temperature: 0 })
/** Keeps a slot busy for a while: its choices come one after another if there is one slot. */
const long = ask({ n: 128 })

const create = (options: Partial<LlamaEngineOptions> = {}): LlamaEngine =>
  closedAtEnd(createTinyEngine(options))

async function ready(options: Partial<LlamaEngineOptions> = {}): Promise<LlamaEngine> {
  const engine = create(options)
  await engine.loaded
  return engine
}

/** Sends a signal to the child. */
function signalChild(engine: LlamaEngine, signal: NodeJS.Signals): number {
  const pid = engine.childPid()
  if (pid === undefined) throw new Error('there is no child')
  process.kill(pid, signal)
  return pid
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function textOf(engine: LlamaEngine): Promise<string | undefined> {
  return answerTo(engine, greedy).then(({ texts }) => texts[0])
}

/** Starts `request` and waits for its first delta. */
async function begin(engine: LlamaEngine, request = long, signal = new AbortController().signal) {
  const iterator = engine
    .generate(request, { signal, requestId: 'req_test', maxAnswerBytes: Infinity })
    [Symbol.asyncIterator]()
  await iterator.next()
  /** Takes what is left; what it throws is the result. */
  async function finish(): Promise<unknown> {
    try {
      for (let step = await iterator.next(); step.done !== true;) step = await iterator.next()
    } catch (error) {
      return error
    }
  }
  return { iterator, finish }
}

describe('slots', { tags: 'llama' }, () => {
  const engine = useTinyEngine({ slots: 1, maxWaiting: 1 })

  it('are free again after an abort, which the request ends with at once', async () => {
    const controller = new AbortController()
    const { finish } = await begin(engine(), long, controller.signal)
    const reason = new Error('gone')
    controller.abort(reason)
    expect(await finish()).toBe(reason)
    expect(await textOf(engine())).toBe(certain)
  })

  it('are free again after an iteration that was left', async () => {
    const { iterator } = await begin(engine())
    await iterator.return?.()
    expect(await textOf(engine())).toBe(certain)
  })

  it('go to those who wait, in turn, and to no more than may wait', { tags: 'slow' }, async () => {
    const { finish } = await begin(engine())
    let finished = false
    const all = finish().then(() => (finished = true))
    const tooLong = ask({ messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] })
    const [waited, refused, impossible] = await Promise.allSettled([
      textOf(engine()),
      textOf(engine()),
      (async () => await answerTo(engine(), tooLong))(),
    ])
    expect(waited).toEqual({ status: 'fulfilled', value: certain })
    expect(refused).toMatchObject({ reason: { status: 503, code: 'service_unavailable' } })
    // A prompt that cannot fit gets its 400 although the queue is full.
    expect(impossible).toMatchObject({ reason: { status: 400, code: 'context_length_exceeded' } })
    // A request of many choices does not keep others waiting for all of them.
    expect(finished).toBe(false)
    await all
  })

  it('are not waited for longer than the bound', { tags: 'slow' }, async () => {
    const engine = await ready({ slots: 1, maxWaitMs: 100 })
    const { finish } = await begin(engine)
    signalChild(engine, 'SIGSTOP')
    await expect(textOf(engine)).rejects.toMatchObject({ status: 503 })
    signalChild(engine, 'SIGCONT')
    await finish()
  })
})

describe('a child that is killed', { tags: 'llama' }, () => {
  it('fails what is in flight, is unavailable meanwhile, and comes back by itself', async () => {
    const engine = await ready({ restartDelayMs: 500 })
    const { finish } = await begin(engine)
    const pid = signalChild(engine, 'SIGKILL')
    expect(await finish()).toMatchObject({ status: 500, code: 'engine_failed' })
    expect(engine.isReady()).toBe(false)
    await expect(textOf(engine)).rejects.toMatchObject({
      status: 503,
      headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) },
    })
    await vi.waitFor(() => expect(engine.isReady()).toBe(true), { timeout: 20_000 })
    expect(await textOf(engine)).toBe(certain)
    expect(engine.childPid()).not.toBe(pid)
  })

  it('because it hangs is replaced', { tags: 'slow' }, async () => {
    const engine = await ready({ cancelTimeoutMs: 100 })
    const controller = new AbortController()
    const { finish } = await begin(engine, long, controller.signal)
    signalChild(engine, 'SIGSTOP')
    // The messages that the child has written arrive meanwhile, so the runs that are then in flight get no answer.
    await new Promise((resolve) => setTimeout(resolve, 100))
    controller.abort()
    await finish()
    await vi.waitFor(async () => expect(await textOf(engine)).toBe(certain), {
      timeout: 20_000,
      interval: 200,
    })
  })

  /** Timers of this process, among them the limit of silence, go on only when the test lets them. */
  function useClock(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  it(
    'because it is stuck while a run is in flight is replaced, and the run fails',
    { tags: 'slow' },
    async () => {
      useClock()
      const engine = await ready()
      const { finish } = await begin(engine)
      const pid = signalChild(engine, 'SIGSTOP')
      vi.advanceTimersByTime(120_000)
      expect(await finish()).toMatchObject({ status: 500, code: 'engine_failed' })
      await vi.waitFor(async () => expect(await textOf(engine)).toBe(certain), { timeout: 60_000 })
      expect(engine.childPid()).not.toBe(pid)
    },
  )

  it('without a run in flight may be silent', { tags: 'slow' }, async () => {
    useClock()
    const engine = await ready()
    expect(await textOf(engine)).toBe(certain)
    const pid = engine.childPid()
    vi.advanceTimersByTime(1_000_000)
    expect(await textOf(engine)).toBe(certain)
    expect(engine.childPid()).toBe(pid)
  })

  it(
    'while it loads for the first time keeps requests waiting, no longer than the bound',
    { tags: 'slow' },
    async () => {
      const engine = create()
      const patient = textOf(engine)
      signalChild(engine, 'SIGKILL')
      expect(await patient).toBe(certain)

      const slow = create({ maxWaitMs: 50 })
      signalChild(slow, 'SIGSTOP')
      await expect(textOf(slow)).rejects.toMatchObject({ status: 503 })
      signalChild(slow, 'SIGCONT')
    },
  )

  it('at any moment costs nothing but requests, each with a 500 or a 503', { tags: 'slow' }, async () => {
    const engine = await ready({ restartDelayMs: 10, maxWaitMs: 2000 })
    const statuses = new Set<number>()
    for (let round = 0; round < 10; round += 1) {
      const requests = Promise.allSettled(
        Array.from({ length: 8 }, () => answerTo(engine, ask({ n: 4, seed: round, temperature: 0 }))),
      )
      await new Promise((resolve) => setTimeout(resolve, round * 7))
      if (engine.childPid() !== undefined) signalChild(engine, 'SIGKILL')
      for (const settled of await requests) {
        if (settled.status === 'fulfilled') expect(settled.value.texts).toEqual(Array(4).fill(certain))
        else statuses.add(toApiError(settled.reason).status)
      }
    }
    expect(statuses.size).toBeGreaterThan(0)
    expect([...statuses].filter((status) => status !== 500 && status !== 503)).toEqual([])
    await vi.waitFor(async () => expect(await textOf(engine)).toBe(certain), {
      timeout: 20_000,
      interval: 200,
    })
  })
})

describe('close', { tags: 'llama' }, () => {
  it('ends the child, and with it what is in flight; twice is once', async () => {
    const engine = await ready()
    const { finish } = await begin(engine)
    const pid = engine.childPid() ?? 0
    await Promise.all([engine.close(), engine.close()])
    // A choice in flight ends with a 500; the choice after it finds no child, which is a 503.
    expect([500, 503]).toContain(toApiError(await finish()).status)
    expect(isAlive(pid)).toBe(false)
    await expect(textOf(engine)).rejects.toMatchObject({ status: 503 })
  })

  it('kills a child that hangs', { tags: 'slow' }, async () => {
    const engine = await ready({ closeTimeoutMs: 100 })
    const pid = signalChild(engine, 'SIGSTOP')
    await engine.close()
    expect(isAlive(pid)).toBe(false)
  })

  it('ends an engine that is loading or waits for a restart', { tags: 'slow' }, async () => {
    const loading = create()
    await loading.close()
    expect(loading.childPid()).toBeUndefined()

    const restarting = await ready({ restartDelayMs: 60_000, maxRestartDelayMs: 60_000 })
    signalChild(restarting, 'SIGKILL')
    await expect.poll(() => restarting.childPid()).toBeUndefined()
    await restarting.close()
  })
})

describe('loading', { tags: 'llama' }, () => {
  it.each([
    ['is not there', undefined],
    ['is not a GGUF file', Buffer.from('GGUF or not, this is text')],
    ['is cut off', readFileSync(TINY_PATH).subarray(0, 300_000)],
  ])('fails with one line that names a model whose file %s', async (_, content) => {
    const path = join(temporaryFolder(), 'm.gguf')
    if (content !== undefined) writeFileSync(path, content)
    const engine = create({
      models: [
        { id: TINY, source: TINY_PATH },
        { id: 'my-model', source: path },
      ],
    })
    await expect(engine.loaded).rejects.toMatchObject({
      name: 'LlamaLoadError',
      message: expect.stringMatching(/^the model 'my-model' cannot be loaded: .+$/),
    })
    await expect(textOf(engine)).rejects.toMatchObject({ status: 503 })
  })

  it('fails where the child ends again and again before it was ever ready', { tags: 'slow' }, async () => {
    const engine = create({ restartDelayMs: 1 })
    const killer = setInterval(() => {
      if (engine.childPid() !== undefined) signalChild(engine, 'SIGKILL')
    }, 20)
    onTestFinished(() => clearInterval(killer))
    await expect(engine.loaded).rejects.toMatchObject({ message: expect.stringContaining('ended 3 times') })
  })
})
