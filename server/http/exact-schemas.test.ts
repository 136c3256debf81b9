// A number of a schema reaches the answer, and an upstream, as the client wrote it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestService } from '../app.fixture.ts'
import { createUpstreamEngine } from '../engines/upstream/upstream-engine.ts'
import { parseJson } from './json-body.ts'

const PATIENCE_MS = 60_000

const EXACT = [
  '9007199254740993',
  '-9223372036854775808',
  '18446744073709551615',
  '0.1000000000000000055511151231257827',
  '1e400',
  '1e-400',
]

/** A body with a schema as parameters of a strict tool, or as the format of the answer. */
const toolBody = (schema: string, content = 'hi', more = '') =>
  `{"model":"svc-0.1-echo","messages":[{"role":"user","content":${JSON.stringify(content)}}],"tool_choice":"required","tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{"id":${schema}},"required":["id"],"additionalProperties":false}}}]${more}}`
const formatBody = (schema: string, content = 'hi') =>
  `{"model":"svc-0.1-echo","messages":[{"role":"user","content":${JSON.stringify(content)}}],"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":${schema}}}}`

describe('the echo model', () => {
  let service: Awaited<ReturnType<typeof createTestService>>
  let lenient: Awaited<ReturnType<typeof createTestService>>
  beforeAll(async () => {
    service = await createTestService()
    lenient = await createTestService({ lenient: true })
    // Processes for schemas start with the first one, which takes long on a busy machine.
    for (const { send } of [service, lenient])
      await vi.waitFor(
        async () => {
          const { ok } = await send('POST', '/v1/chat/completions', formatBody('{"const":1}'))
          if (!ok) throw new Error('the processes have not started')
        },
        { timeout: PATIENCE_MS },
      )
  }, PATIENCE_MS)
  afterAll(async () => void (await Promise.all([service.closeEngines(), lenient.closeEngines()])))

  async function answerTo(body: string, { send } = service) {
    const answer = await send('POST', '/v1/chat/completions', body)
    const { choices, error } = JSON.parse(await answer.text())
    return error ?? choices[0].message.tool_calls?.[0].function.arguments ?? choices[0].message.content
  }

  test.each(EXACT)('answers with %s of const and enum', async (number) => {
    for (const schema of [`{"const":${number}}`, `{"type":"number","enum":[${number},1]}`]) {
      expect(await answerTo(toolBody(schema))).toBe(`{"id":${number}}`)
      expect(await answerTo(formatBody(schema))).toBe(number)
    }
    expect(await answerTo(formatBody(`{"const":{"a":[${number}]}}`))).toBe(`{"a":[${number}]}`)
    const unknown = toolBody(`{"const":${number}}`, 'hi', ',"top_k":1').replace(
      '"name":"f"',
      '"name":"f","x":1',
    )
    expect(await answerTo(unknown, lenient)).toBe(`{"id":${number}}`)
  })

  test('keeps a text only if its numbers are those of the schema', async () => {
    const id = '{"const":9007199254740993}'
    expect(await answerTo(formatBody(id, '9007199254740993'))).toBe('9007199254740993')
    expect(await answerTo(formatBody(id, '9007199254740992'))).toBe('9007199254740993')
    expect(await answerTo(formatBody('{"const":2}', '2.0'))).toBe('2.0')
    expect(await answerTo(formatBody('{"type":"integer"}', '1.0'))).toBe('1.0')
    expect(await answerTo(toolBody(id, '#call f {"id": 9007199254740994}'))).toBe('{"id":9007199254740993}')
  })

  test('keeps the numbers of arguments as they are written', async () => {
    const given = '#call f {"id": 9007199254740993, "a": [ -0, 2.0, 1E400 ]}'
    const body = toolBody('{}', given).replace(',"additionalProperties":false', '')
    expect(await answerTo(body)).toBe('{"id":9007199254740993,"a":[-0,2.0,1E400]}')
    expect(await answerTo(body.replace('"strict":true,', ''))).toBe(
      '{"id":9007199254740993,"a":[-0,2.0,1E400]}',
    )
  })

  test.each([
    ['{"type":"integer","minimum":9007199254740993,"maximum":9007199254740993}', '9007199254740993'],
    [
      '{"type":"integer","exclusiveMinimum":9223372036854775806,"maximum":9223372036854775807}',
      '9223372036854775807',
    ],
    ['{"multipleOf":9007199254740993,"minimum":1}', '9007199254740993'],
    ['{"type":"integer","maximum":-9007199254740993}', '-9007199254740993'],
  ])('finds a number within the bounds %s', async (schema, expected) => {
    expect(await answerTo(formatBody(schema))).toBe(expected)
  })
})

test('everything but schemas is read as JavaScript reads it', () => {
  const body = parseJson(
    '{"seed":9007199254740993,"tools":[{"x":1e400,"function":{"parameters":5}}],"response_format":7}',
  )
  expect(body).toEqual({
    seed: 2 ** 53,
    tools: [{ x: Infinity, function: { parameters: 5 } }],
    response_format: 7,
  })
})

test('an upstream gets the numbers of schemas as they were sent', async () => {
  let sent = ''
  const server = createServer(async (request, response) => {
    for await (const chunk of request) sent += String(chunk)
    response.writeHead(400, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const upstream = { id: 'ours', baseUrl: `http://127.0.0.1:${port}`, model: 'theirs', apiKey: 'k' }
  const retry = { maxAttempts: 1, maxTotalWaitMs: 0 }
  const engine = createUpstreamEngine([upstream], { created: 1, retry, silenceMs: 5000, concurrency: 1 })
  const service = await createTestService({ engines: [engine] })
  onTestFinished(() => void server.close().closeAllConnections())
  const schema = `{"enum":[${EXACT.join(',')}]}`
  await service.send('POST', '/v1/chat/completions', toolBody(schema).replace('svc-0.1-echo', 'ours'))
  expect(sent).toContain(`"properties":{"id":${schema}}`)
  await engine.close()
})
