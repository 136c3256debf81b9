// Schemas that made the service or its inference process stall: each is a 400, and other answers go on.
import { describe, expect, it, vi } from 'vitest'
import { longestTurnMs } from '../../http/longest-turn.fixture.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { createSandbox } from '../constrained/sandbox/sandbox.ts'
import { integers, MAX_TURN_MS, PARAM, withSchema } from '../constrained/sandbox/hostile-schemas.fixture.ts'
import { ask, useTinyEngine } from './llama.fixture.ts'
import { answerTo } from '../../engine-answer.fixture.ts'

/** An object of `count` strings with different patterns. */
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
  // A long timeout: the number of steps refuses these schemas, also when the machine is busy.
  const sandbox = createSandbox({ timeoutMs: 30_000 })
  const run = vi.spyOn(sandbox, 'run')
  const engine = useTinyEngine({ contextTokens: 8192, sandbox })

  it.each([
    [
      'a repetition without end',
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
      const longest = await longestTurnMs(MAX_TURN_MS, () =>
        expect(async () => await answerTo(engine(), ask(fields))).rejects.toMatchObject({
          status: 400,
          param,
          code,
        }),
      )
      expect(longest).toBeLessThan(MAX_TURN_MS)
      expect(engine().restarts()).toBe(0)
    },
  )

  it('is not even looked at where the prompt is too long', async () => {
    run.mockClear()
    const content = 'x'.repeat(500_000)
    await expect(
      async () =>
        await answerTo(engine(), ask({ ...withSchema(integers(5)), messages: [{ role: 'user', content }] })),
    ).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(run).not.toHaveBeenCalled()
  })

  it('leaves other answers as they are', async () => {
    const plain = ask({ seed: 3, max_tokens: 100 })
    const alone = await answerTo(engine(), plain)
    const [beside] = await Promise.all([
      answerTo(engine(), plain),
      ...[1, 2, 3].map(
        async (at) =>
          await answerTo(
            engine(),
            ask({ max_tokens: 20, ...withSchema({ ...patterned(20), title: `${at}` }) }),
          ),
      ),
    ])
    expect(beside?.texts).toEqual(alone.texts)
  })
})
