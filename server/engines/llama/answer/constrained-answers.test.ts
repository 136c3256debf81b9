// Answers match the grammar that is requested: JSON of a schema, calls of the tools that may be called, or a 400.
import { describe, expect, it } from 'vitest'
import { nextProbabilities, sentences } from '../../../../fixtures/tiny-model/bigram.ts'
import { ask, useTinyEngine } from '../llama.fixture.ts'
import { answerTo } from '../../../engine-answer.fixture.ts'
import { compileSchema } from '../../constrained/compile-schema.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] } },
  required: ['city', 'days', 'unit'],
  additionalProperties: false,
}
const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', parameters: schema, strict: true },
}
const time = { type: 'function' as const, function: { name: 'get_time' } }
const tools = [weather, time]

describe('the grammar of an answer', { tags: 'llama', timeout: 60_000 }, () => {
  const engine = useTinyEngine({ contextTokens: 2048 })

  it.each([0, 1, 2])('is JSON of the schema at temperature %d', async (temperature) => {
    const json_schema = { name: 'answer', schema, strict: true }
    const { texts, reasons } = await answerTo(
      engine(),
      ask({ temperature, seed: 5, n: 4, response_format: { type: 'json_schema', json_schema } }),
    )
    expect(new Set(reasons)).toEqual(new Set(['stop']))
    for (const text of texts) expect(compileSchema(schema)(JSON.parse(text))).toBe(true)
  })

  async function expectDrawn(temperature: number): Promise<void> {
    const json_schema = { name: 'letter', schema: { type: 'string', pattern: '^[G-R]$' }, strict: true }
    const letters = new Map<string, number>()
    for (let seed = 0; seed < 512; seed += 128) {
      const { texts } = await answerTo(
        engine(),
        ask({ temperature, seed, n: 128, response_format: { type: 'json_schema', json_schema } }),
      )
      for (const text of texts) letters.set(text, (letters.get(text) ?? 0) + 1)
    }
    // The corpus has no quotation mark, and what follows one is what begins an answer.
    const fitting = [...nextProbabilities('"'.charCodeAt(0))]
      .map(
        ([token, share]) => [JSON.stringify(String.fromCharCode(token)), share ** (1 / temperature)] as const,
      )
      .filter(([text]) => /^"[G-R]"$/.test(text))
    const total = fitting.reduce((sum, [, weight]) => sum + weight, 0)
    expect([...letters.keys()].toSorted()).toEqual(fitting.map(([text]) => text).toSorted())
    for (const [text, weight] of fitting) {
      const share = weight / total
      const slack = 5 * Math.sqrt((share * (1 - share)) / 512)
      expect(Math.abs((letters.get(text) ?? 0) / 512 - share)).toBeLessThan(slack)
    }
  }
  it('is drawn as the model says among what fits', () => expectDrawn(1))
  it('is drawn so at a lower temperature', { tags: 'slow' }, () => expectDrawn(0.5))

  it('is a JSON object, also with log-probabilities', async () => {
    const { texts, reasons, logprobs } = await answerTo(
      engine(),
      ask({ seed: 1, logprobs: true, response_format: { type: 'json_object' } }),
    )
    expect(reasons).toEqual(['stop'])
    expect(JSON.parse(texts[0] ?? '')).toBeTypeOf('object')
    expect(logprobs[0]?.map(({ token }) => token).join('')).toBe(texts[0])
  })

  it.each(['9007199254740993', '1e400'])('has %s as the schema writes it', async (number) => {
    const schema = { enum: [JSON.rawJSON(number)] }
    const json_schema = { name: 'answer', schema, strict: true }
    const format = { type: 'json_schema' as const, json_schema }
    expect((await answerTo(engine(), ask({ response_format: format }))).texts).toEqual([number])
  })

  it('is cut at a limit, which the reason reports', async () => {
    const format = { type: 'json_schema' as const, json_schema: { name: 'a', schema } }
    const { texts, reasons } = await answerTo(engine(), ask({ max_tokens: 4, response_format: format }))
    expect({ texts, reasons }).toEqual({ texts: ['{"ci'], reasons: ['length'] })
  })

  it.each(['auto', 'none'] as const)('is text where the model writes text, with %s', async (tool_choice) => {
    const answer = await answerTo(engine(), ask({ temperature: 0, tools, tool_choice }))
    expect({ texts: answer.texts, reasons: answer.reasons }).toEqual({
      texts: [sentences[0]],
      reasons: ['stop'],
    })
  })
})
