// Several models of one engine: each is loaded at its first use, unloaded when idle, and loaded again at its next use.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { closedAtEnd, temporaryFolder } from '../../../test-resources.fixture.ts'
import { ask, createTinyEngine, TINY_PATH } from '../llama.fixture.ts'
import { answerTo } from '../../../engine-answer.fixture.ts'

const models = ['one', 'two', 'three'].map((id) => ({ id, source: TINY_PATH }))

function engineOf(options: Parameters<typeof createTinyEngine>[0]) {
  const loaded: string[] = []
  const lines: string[] = []
  const engine = closedAtEnd(
    createTinyEngine({
      models,
      logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
      ...options,
      onLoaded: ({ id }) => loaded.push(id),
    }),
  )
  return { engine, loaded, lines }
}

describe('several models', { tags: ['llama', 'slow'], timeout: 60_000 }, () => {
  it('are all loaded at the start', async () => {
    const { engine, loaded } = engineOf({})
    await engine.loaded
    expect(loaded).toEqual(['one', 'two', 'three'])
  })

  it('are loaded on use, once for all who wait for one', async () => {
    const { engine, loaded } = engineOf({ onUse: true })
    await engine.loaded
    expect(loaded).toEqual([])
    expect(engine.models.map(({ id }) => id)).toEqual(['one', 'two', 'three'])
    const asked = Array.from({ length: 6 }, async () =>
      answerTo(engine, ask({ model: 'two', temperature: 0 })),
    )
    for (const { texts } of await Promise.all(asked)) expect(texts).toEqual(['Gold rings.'])
    expect(loaded).toEqual(['two'])
  })

  it('are unloaded when idle, and loaded again', async () => {
    const { engine, loaded, lines } = engineOf({ onUse: true, idleMs: 1 })
    const unloads = () => lines.filter((line) => line.includes('unloaded')).length
    for (let round = 1; round <= 2; round += 1) {
      const { texts } = await answerTo(engine, ask({ model: 'one', temperature: 0 }))
      expect(texts).toEqual(['Gold rings.'])
      await expect.poll(unloads).toBe(round)
    }
    expect(loaded).toEqual(['one', 'one'])
    expect(engine.restarts()).toBe(0)
  })

  it('are refused with a 503 if one cannot be loaded on use, and the others answer', async () => {
    const source = join(temporaryFolder(), 'cut.gguf')
    writeFileSync(source, readFileSync(TINY_PATH).subarray(0, 300_000))
    const { engine } = engineOf({ models: [...models, { id: 'cut', source }], onUse: true })
    for (let round = 0; round < 2; round += 1) {
      await expect(answerTo(engine, ask({ model: 'cut' }))).rejects.toMatchObject({
        status: 503,
        code: 'service_unavailable',
        cause: { message: expect.stringMatching(/^the model 'cut' cannot be loaded: /) },
      })
    }
    const { texts } = await answerTo(engine, ask({ model: 'one', temperature: 0 }))
    expect(texts).toEqual(['Gold rings.'])
    expect(engine.restarts()).toBe(0)
  })

  it('are refused at the start if a file is missing, even if they are loaded on use', async () => {
    const broken = { id: 'broken', source: `${TINY_PATH}.nothing` }
    const { engine } = engineOf({ models: [...models, broken], onUse: true })
    await expect(engine.loaded).rejects.toThrow("the model 'broken' cannot be loaded")
  })
})
