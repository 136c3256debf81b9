// Schemas that made the service or its inference process stall: each is a 400, and other answers go on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longestTurnMs } from '../../http/longest-turn.fixture.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { createSandbox, type Sandbox } from '../constrained/sandbox/sandbox.ts'
import { integers } from '../constrained/sandbox/hostile-schemas.fixture.ts'
import type { Schema } from '../constrained/schema/schema-problem.ts'
import type { LlamaEngine } from './llama.ts'
import { answerTo, ask, createTinyEngine } from './llama.fixture.ts'

/** How long the service itself may keep others waiting. */
const MOST_TURN_MS = 100

const PARAM = 'response_format.json_schema.schema'

const withSchema = (schema: Schema): Partial<ChatCompletionRequest> => ({
  response_format: { type: 'json_schema', json_schema: { name: 's', schema: Object(schema) } },
})

/** So many strings of patterns that differ. */
const patterned = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string', pattern: `^p${at}[a-z]{1,20}$` }]),
  ),
})
const tools = (count: number, parameters: object) =>
  Array.from({ length: count }, (_, at) => ({
    type: 'function' as const,
    function: { name: `t${at}`, parameters: { ...parameters }, strict: true },
  }))

describe('a hostile schema', { tags: 'llama', timeout: 60_000 }, () => {
  let engine: LlamaEngine
  let jobs = 0
  beforeAll(async () => {
    // Steps are what refuses these, also where this machine is busy.
    const sandbox = createSandbox({ timeoutMs: 30_000 })
    const counting: Sandbox = {
      close: sandbox.close,
      run(...job) {
        jobs += 1
        return sandbox.run(...job)
      },
    }
    engine = createTinyEngine({ contextTokens: 8192, sandbox: counting })
    await engine.loaded
  })
  afterAll(() => engine.close())

  it.each([
    ['a repetition without end', withSchema({ pattern: '^(?:){100000000}a$' }), PARAM, 'invalid_schema'],
    [
      'the same elsewhere',
      { tools: tools(1, { patternProperties: { '^(?:){9999999999}a$': true } }) },
      'tools[0].function.parameters',
      'invalid_schema',
    ],
    [
      'exponentially many states',
      withSchema({ type: 'string', pattern: '(a|b)*a(a|b){20}$' }),
      PARAM,
      'invalid_schema',
    ],
    [
      'many products of automata',
      withSchema({
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 300 }, (_, at) => [
            `p${at}`,
            { type: 'string', format: 'date-time', maxLength: 30 + at },
          ]),
        ),
      }),
      PARAM,
      'invalid_schema',
    ],
    [
      'nothing that fits',
      withSchema({ type: 'integer', minimum: 9_007_199_254_740_000 }),
      PARAM,
      'invalid_schema',
    ],
    [
      'ways that are too many for one token',
      withSchema({
        type: 'array',
        minItems: 3,
        uniqueItems: true,
        items: { enum: Array.from({ length: 700 }, (_, at) => at) },
      }),
      PARAM,
      'invalid_schema',
    ],
    [
      'tools that no context has room for',
      { tools: tools(40, patterned(300)) },
      'messages',
      'context_length_exceeded',
    ],
  ] satisfies [string, Partial<ChatCompletionRequest>, string, string][])(
    '%s is a 400',
    async (_, fields, param, code) => {
      const longest = await longestTurnMs(() =>
        expect(async () => await answerTo(engine, ask(fields))).rejects.toMatchObject({
          status: 400,
          param,
          code,
        }),
      )
      expect(longest).toBeLessThan(MOST_TURN_MS)
      expect(engine.restarts()).toBe(0)
    },
  )

  it('is not even looked at where the prompt is too long', async () => {
    const before = jobs
    const content = 'x'.repeat(500_000)
    await expect(
      async () =>
        await answerTo(engine, ask({ ...withSchema(integers(5)), messages: [{ role: 'user', content }] })),
    ).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(jobs).toBe(before)
  })

  it('leaves other answers as they are', async () => {
    const plain = ask({ seed: 3, max_tokens: 100 })
    const alone = await answerTo(engine, plain)
    const [beside] = await Promise.all([
      answerTo(engine, plain),
      ...[1, 2, 3].map(
        async (at) =>
          await answerTo(
            engine,
            ask({ max_tokens: 20, ...withSchema({ ...patterned(20), title: `${at}` }) }),
          ),
      ),
    ])
    expect(beside?.texts).toEqual(alone.texts)
  })
})
