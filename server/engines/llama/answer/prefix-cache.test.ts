// The prefix cache of an earlier prompt makes an answer faster and never another one: a model of random weights, whose
// probabilities differ in their last digits wherever anything is computed in another way, says exactly the same.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LlamaEngine } from '../llama.ts'
import { type Answer, answerTo, ask, createTinyEngine, TINY } from '../llama.fixture.ts'

const WRITE_MODEL = fileURLToPath(new URL('../../../../fixtures/tiny-model/random-model.ts', import.meta.url))

/** A token is a byte. */
const BEGINNING = 'Once there was a stone that no one wanted to carry. '.repeat(8)

describe('a prompt that begins as an earlier one', { tags: ['llama', 'slow'], timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-model-'))
  const source = join(folder, 'random.gguf')
  let engine: LlamaEngine
  beforeAll(async () => {
    execFileSync(process.execPath, [WRITE_MODEL, source])
    engine = createTinyEngine({ models: [{ id: TINY, source }], slots: 1, contextTokens: 2048 })
    await engine.loaded
  }, 60_000)
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true })
  })

  /** The answer, and how much of its prompt was evaluated. */
  async function answerAfter(
    end: string,
    beginning = BEGINNING,
  ): Promise<{ answer: Omit<Answer, 'usage'>; evaluated: number }> {
    const messages = [{ role: 'user' as const, content: `${beginning}${end}` }]
    const { usage, ...answer } = await answerTo(
      engine,
      ask({ messages, temperature: 0, max_tokens: 4, logprobs: true, top_logprobs: 5 }),
    )
    return { answer, evaluated: usage.prompt_tokens - (usage.prompt_tokens_details?.['cached_tokens'] ?? 0) }
  }

  it('is answered exactly as if nothing had been kept, and evaluated from there on', async () => {
    const first = await answerAfter('One day it was found.')
    const other = await answerAfter('One day it broke, and that was its end.')
    const again = await answerAfter('One day it was found.')
    const shorter = await answerAfter('')
    await answerTo(engine, ask({ max_tokens: 1 }))
    const afresh = await answerAfter('One day it was found.')
    expect(other.answer).not.toEqual(first.answer)
    expect(again.answer).toEqual(first.answer)
    expect(afresh.answer).toEqual(first.answer)
    for (const { evaluated } of [first, afresh]) expect(evaluated).toBeGreaterThan(BEGINNING.length)
    for (const { evaluated } of [other, again, shorter]) expect(evaluated).toBeLessThan(60)
  })
  it('is answered exactly so if it is long, with an end of another length too', async () => {
    const long = BEGINNING.repeat(3)
    const first = await answerAfter('One day it was found.', long)
    const other = await answerAfter('One day it broke, and that was its end.', long)
    const longer = await answerAfter('One day it was found. '.repeat(6), long)
    const again = await answerAfter('One day it was found.', long)
    await answerTo(engine, ask({ max_tokens: 1 }))
    const afresh = [
      await answerAfter('One day it was found. '.repeat(6), long),
      await answerAfter('One day it was found.', long),
    ]
    expect(other.answer).not.toEqual(first.answer)
    expect(again.answer).toEqual(first.answer)
    expect(afresh.map(({ answer }) => answer)).toEqual([longer.answer, first.answer])
    for (const { evaluated } of [other, again, longer]) expect(evaluated).toBeLessThan(320)
  })
})
