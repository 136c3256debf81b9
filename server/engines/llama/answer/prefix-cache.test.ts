// The prefix cache of an earlier prompt makes an answer faster and never another one: a model of random weights, whose
// probabilities differ in their last digits wherever anything is computed in another way, says exactly the same.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LlamaEngine } from '../llama.ts'
import { ask, createTinyEngine, TINY } from '../llama.fixture.ts'
import { answerTo, type EngineAnswer } from '../../../engine-answer.fixture.ts'

const WRITE_MODEL = fileURLToPath(new URL('../../../../fixtures/tiny-model/random-model.ts', import.meta.url))

/** The token that ends an answer of the model. */
const END_TOKEN = 256

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
  ): Promise<{ answer: Omit<EngineAnswer, 'usage'>; evaluated: number }> {
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
  it('is evaluated from there on, even if the earlier answer ended at once', async () => {
    // The prompt is long enough for its last chunk to begin before its last word.
    const { usage } = await answerTo(
      engine,
      ask({
        messages: [{ role: 'user', content: `${BEGINNING}Why it broke, ?` }],
        logit_bias: { [END_TOKEN]: 100 },
      }),
    )
    expect(usage.completion_tokens).toBe(0)
    const { evaluated } = await answerAfter('Why it broke, !')
    expect(evaluated).toBe('!\nassistant: '.length)
  })
  it('is answered exactly so whatever their lengths', async () => {
    const prompts = fc.array(fc.record({ begin: fc.integer({ min: 1, max: 900 }), end: fc.nat(80) }), {
      minLength: 2,
      maxLength: 5,
    })
    const ends = `One day it broke. ${'It was found. '.repeat(6)}`
    const long = BEGINNING.repeat(3)
    await fc.assert(
      fc.asyncProperty(prompts, async (asked) => {
        const answers: Omit<EngineAnswer, 'usage'>[] = []
        for (const { begin, end } of asked)
          answers.push((await answerAfter(ends.slice(0, end), long.slice(0, begin))).answer)
        for (const [place, { begin, end }] of asked.entries()) {
          await answerTo(engine, ask({ max_tokens: 1 }))
          const afresh = await answerAfter(ends.slice(0, end), long.slice(0, begin))
          expect(answers[place]).toEqual(afresh.answer)
        }
      }),
      { numRuns: 6 },
    )
  })
})
