// A cancelled run stops after the batch in flight.
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LlamaProcess, type LlamaProcessOptions, startLlamaProcess } from './llama-process.ts'
import type { ModelFacts } from './process-messages.ts'
import { TINY, TINY_PATH } from '../llama.fixture.ts'

function start(options: Partial<LlamaProcessOptions>): LlamaProcess {
  return startLlamaProcess({
    models: [{ id: TINY, source: TINY_PATH }],
    modelsDirectory: '/nonexistent',
    threads: 1,
    slots: 1,
    contextTokens: 512,
    logger: pino({ level: 'silent' }),
    restartDelayMs: 50,
    maxRestartDelayMs: 50,
    ...options,
  })
}

describe('a cancelled run', { tags: 'llama' }, () => {
  let llama: LlamaProcess
  beforeAll(async () => {
    llama = start({ contextTokens: 8192, cancelTimeoutMs: 60_000, stallTimeoutMs: 60_000 })
    await llama.loaded
  })
  afterAll(() => llama.close())

  it.each([
    ['in a long prompt', 'x'.repeat(8000), 0],
    ['in the answer', 'x', 1],
  ])('stops %s', async (_, text, most) => {
    const controller = new AbortController()
    const order = {
      model: TINY,
      messages: [{ role: 'user' as const, text }],
      sampling: { temperature: 1, topP: 1, seed: 2, bias: [], frequencyPenalty: 0, presencePenalty: 0 },
      maxTokens: null,
      stops: [],
      topLogprobs: null,
      grammar: null,
    }
    // The child is stopped until both messages are in its pipe, so it has the cancellation before its first batch ends.
    const pid = llama.pid() ?? NaN
    process.kill(pid, 'SIGSTOP')
    const running = llama.run(order, { signal: controller.signal, onText() {} })
    controller.abort()
    process.kill(pid, 'SIGCONT')
    const end = await running
    expect(end).toMatchObject({ type: 'end', reason: 'cancelled', promptTokens: text.length + 3 })
    expect(end.type === 'end' && end.completionTokens <= most).toBe(true)
  })
})

it(
  'a library that this processor cannot run is replaced by the prebuilt one, with one line',
  { tags: ['llama', 'slow'] },
  async () => {
    const lines: string[] = []
    const loaded: ModelFacts[] = []
    const llama = start({
      logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      onLoaded: (facts) => loaded.push(facts),
    })
    await llama.loaded
    for (const starts of [2, 3]) {
      process.kill(llama.pid() ?? NaN, 'SIGILL')
      await expect.poll(() => loaded.length, { timeout: 60_000 }).toBe(starts)
      expect(loaded.at(-1)?.compiledHere).toBe(false)
      await expect.poll(llama.isReady).toBe(true)
    }
    expect(lines.filter((line) => line.includes('prebuilt library'))).toHaveLength(1)
    await llama.close()
  },
)
