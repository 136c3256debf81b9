// Requests that made the service stall when their schemas ran in its own process: each is answered, by a status of the
// table, and costs this process hardly any work.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { longestTurnMs } from '../../http/longest-turn.fixture.ts'
import { createTestService } from '../../app.fixture.ts'
import {
  integers,
  MAX_TURN_MS,
  PARAM,
  referenceChain,
  withSchema,
} from '../constrained/sandbox/hostile-schemas.fixture.ts'
import { createSandbox } from '../constrained/sandbox/sandbox.ts'
import { createEchoEngine } from './echo.ts'

// A long timeout: each of these schemas ends by itself, also when the machine is busy.
const sandbox = createSandbox({ timeoutMs: 60_000 })
const run = vi.spyOn(sandbox, 'run')
const engine = createEchoEngine(0, sandbox)
afterAll(() => engine.close())

let service: Awaited<ReturnType<typeof createTestService>>
beforeAll(async () => {
  service = await createTestService({
    engines: [{ ...engine, models: [{ id: 'patient', created: 0, ownedBy: 'test' }] }],
  })
  // The first request loads and compiles code; that time must not count for any schema.
  await ask({ messages: [{ role: 'user', content: 'hi' }] })
})
afterAll(() => service.closeEngines())

const ask = async (fields: object): Promise<Response> =>
  await service.send('POST', '/v1/chat/completions', { model: 'patient', ...fields })

const matching = (schema: object, content = 'hi') => ({
  messages: [{ role: 'user', content }],
  ...withSchema(schema),
})
const tool = (name: string, parameters: object) => ({
  type: 'function',
  function: { name, parameters, strict: true },
})

const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`

test.each([
  ['2,000 properties', matching(integers(2000)), [200, PARAM]],
  ['3,000 properties', matching(integers(3000)), [PARAM]],
  ['a reference to itself', matching({ $ref: '#' }), [PARAM]],
  ['doubled references', matching(referenceChain(23, 2), '"x"'), [200, PARAM]],
  [
    'unique lists',
    matching({ uniqueItems: true }, JSON.stringify(Array.from({ length: 8000 }, (_, at) => [at]))),
    [200, PARAM],
  ],
  [
    '1,000 lines',
    { tools: [tool('t', integers(50))], messages: [{ role: 'user', content: '#call t\n'.repeat(1000) }] },
    ['messages[0].content'],
  ],
  [
    'arguments that are deep',
    { tools: [tool('t', integers(1))], messages: [{ role: 'user', content: `#call t ${deep}` }] },
    [200],
  ],
  ['text that is deep', matching({ uniqueItems: true }, deep), [200, PARAM]],
] satisfies [string, object, (number | string)[]][])('%s', async (_, fields, allowed) => {
  let answer = new Response()
  const longest = await longestTurnMs(MAX_TURN_MS, async () => (answer = await ask(fields)))
  const body: { error?: { param: string; type: string; code: string } } = JSON.parse(await answer.text())
  const { error } = body
  expect(allowed).toContain(answer.status === 200 ? 200 : error?.param)
  if (answer.status !== 200)
    expect({ status: answer.status, type: error?.type, code: error?.code }).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: error?.param === PARAM ? 'invalid_schema' : 'invalid_value',
    })
  expect(longest).toBeLessThan(MAX_TURN_MS)
})

test('each tool is asked once, however many lines call it', async () => {
  run.mockClear()
  const content = Array.from(
    { length: 128 },
    (_, at) => `#call ${at % 2 === 0 ? 'even' : 'odd'} {"p0":${at}}`,
  ).join('\n')
  const tools = [tool('even', integers(1)), tool('odd', integers(1))]
  const answer = await ask({ tools, messages: [{ role: 'user', content }] })
  const completion: {
    choices: { message: { tool_calls: { function: { name: string; arguments: string } }[] } }[]
  } = JSON.parse(await answer.text())
  const calls = completion.choices.flatMap(({ message }) => message.tool_calls)
  expect(calls.map(({ function: { name, arguments: json } }) => `#call ${name} ${json}`).join('\n')).toBe(
    content,
  )
  const params = run.mock.calls.map(([, names]) => names)
  expect(params).toEqual([['tools[0].function.parameters'], ['tools[1].function.parameters']])
})

test('a request without a schema starts no process and is answered in the same turn', async () => {
  const idle = createEchoEngine(0, {
    async close() {},
    run() {
      throw new Error('unexpected request')
    },
  })
  const request = { model: 'svc-0.1-echo', messages: [{ role: 'user' as const, content: 'hi' }] }
  for (const fields of [{}, { response_format: { type: 'json_object' as const } }]) {
    const context = { signal: new AbortController().signal, requestId: 'r', maxAnswerBytes: Infinity }
    const first = await idle
      .generate({ ...request, ...fields }, context)
      [Symbol.asyncIterator]()
      .next()
    expect(first.value?.[0]).toMatchObject({ type: 'text' })
  }
})
