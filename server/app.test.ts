import { describe, expect, test } from 'vitest'
import { errorEnvelope, errorTypes } from '../spec/protocol/error.ts'
import { modelList } from '../spec/schemas/response.ts'
import { ECHO_MODEL } from './engines/echo/echo.ts'
import { createTestService } from './app.fixture.ts'
import { createMemoryRateLimiter } from './limits/memory-limiter.ts'

const { send, secret, createKey, keys } = await createTestService()

const hello = { model: ECHO_MODEL, messages: [{ role: 'user', content: 'hello' }] }
const CHAT = '/v1/chat/completions'

/** Checks a failed answer against the envelope and the table of types. */
async function failure(answer: Response) {
  const body: unknown = await answer.json()
  const { error } = errorEnvelope.parse(body)
  const type = Object.entries(errorTypes).find(([status]) => Number(status) === answer.status)?.[1]
  expect(error.type).toBe(type)
  expect(answer.headers.get('content-type')).toBe('application/json')
  return { status: answer.status, code: error.code, message: error.message, param: error.param }
}

describe('authentication', () => {
  test.each([null, 'Bearer', 'Bearer nonsense', 'Basic abc'])('a 401 names its scheme: %j', async (value) => {
    const answer = await send('GET', '/v1/models', undefined, value)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  const requests = [
    ['POST', CHAT, hello],
    ['POST', CHAT, '{"broken'],
    ['POST', CHAT, { ...hello, model: 'unknown' }],
    ['GET', CHAT, undefined],
    ['GET', '/v1/models', undefined],
    ['GET', `/v1/models/${ECHO_MODEL}`, undefined],
    ['GET', '/v1/unknown', undefined],
    ['OPTIONS', '/v1/models', undefined],
    ['GET', '/v1', undefined],
  ] as const

  test.each(requests)('%s %s: the key comes before all else (AUTH-1, AUTH-7)', async (method, path, body) => {
    expect(await failure(await send(method, path, body, null))).toMatchObject({
      status: 401,
      code: 'missing_api_key',
    })
    const wrong = `Bearer svc_sk_${'A'.repeat(43)}`
    expect(await failure(await send(method, path, body, wrong))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    })
  })

  test('only one form of the header is accepted (AUTH-2, AUTH-8)', async () => {
    expect((await send('GET', '/v1/models')).status).toBe(200)
    const forms = [
      'bearer K',
      'BEARER K',
      'Bearer  K',
      'Bearer\tK',
      'Bearer "K"',
      'K',
      'Basic K',
      'Token K',
      'Bearer K,Bearer K',
      'Bearer Kx',
      'BearerK',
    ]
    for (const form of forms) {
      const answer = await send('GET', '/v1/models', undefined, form.replaceAll('K', secret))
      expect({ form, ...(await failure(answer)) }).toMatchObject({ form, status: 401 })
    }
  })

  test('a revocation acts on the very next request (KEY-4)', async () => {
    const { key, secret } = await createKey()
    expect((await send('POST', CHAT, hello, `Bearer ${secret}`)).status).toBe(200)
    await keys.revoke(key.id)
    expect(await failure(await send('POST', CHAT, hello, `Bearer ${secret}`))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    })
  })

  test('a stream in flight ends normally after a revocation, and no new one begins (KEY-4)', async () => {
    const { key, secret } = await createKey()
    const content = '#fault stall=300 at=2\nthe quick brown fox'
    const slow = { ...hello, messages: [{ role: 'user', content }], stream: true }
    const answer = await send('POST', CHAT, slow, `Bearer ${secret}`)
    const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let streamed = (await pieces?.read())?.value ?? ''
    await keys.revoke(key.id)
    expect((await send('POST', CHAT, slow, `Bearer ${secret}`)).status).toBe(401)
    expect(streamed).not.toContain('[DONE]')
    for (let next = await pieces?.read(); next?.done === false; next = await pieces?.read())
      streamed += next.value
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/)
  })
})

describe('chat completions', () => {
  test.each([
    [{ messages: hello.messages }, 'invalid_request_error', 'model'],
    [{ model: ECHO_MODEL }, 'invalid_request_error', 'messages'],
    [{ ...hello, messages: [{ content: 'x' }] }, 'invalid_request_error', 'messages[0].role'],
    [{ ...hello, messages: [{ role: 'user' }] }, 'invalid_request_error', 'messages[0].content'],
    [{ ...hello, temperature: 3 }, expect.any(String), 'temperature'],
    [{ ...hello, functions: [{ name: 'f' }] }, 'unsupported_parameter', 'functions'],
    [{ ...hello, frobnicate: 1 }, expect.any(String), 'frobnicate'],
  ])('%j is a 400 that names the field, streamed or not', async (body, code, param) => {
    for (const stream of [false, true]) {
      const problem = await failure(await send('POST', CHAT, { ...body, stream }))
      expect(problem).toMatchObject({ status: 400, code })
      expect(`${problem.param} ${problem.message}`).toContain(param)
    }
  })

  test('an error before the first token is not sent as a stream (STREAM-10)', async () => {
    const answer = await send('POST', CHAT, { ...hello, model: 'unknown', stream: true })
    expect(await failure(answer)).toMatchObject({ status: 404 })
  })
})

describe('models', () => {
  test('a key sees the models that it may use; the others are unknown to it (MODEL-3)', async () => {
    const list = modelList.parse(await (await send('GET', '/v1/models')).json())
    expect(list.data.map(({ id }) => id)).toEqual([ECHO_MODEL])

    const { secret } = await createKey({ models: ['another'] })
    const restricted = `Bearer ${secret}`
    expect(
      modelList.parse(await (await send('GET', '/v1/models', undefined, restricted)).json()).data,
    ).toEqual([])
    const forbidden = await failure(await send('POST', CHAT, hello, restricted))
    const unknown = await failure(await send('POST', CHAT, { ...hello, model: 'svc-0.1-none' }))
    expect(forbidden.message.replace(ECHO_MODEL, '')).toBe(unknown.message.replace('svc-0.1-none', ''))
    expect({ ...forbidden, message: '' }).toEqual({ ...unknown, message: '' })
    const record = await send('GET', `/v1/models/${ECHO_MODEL}`, undefined, restricted)
    expect(await failure(record)).toMatchObject({ status: 404 })
  })
})

describe('limits', () => {
  test('a key is admitted as often as its limit says, and `Retry-After` is correct', async () => {
    let time = 0
    const { send, createKey } = await createTestService({ limiter: createMemoryRateLimiter(() => time) })
    const { secret } = await createKey({ limit: { requests: 3, windowSeconds: 1 } })
    const { secret: other } = await createKey({ limit: { requests: 3, windowSeconds: 1 } })
    const ask = async () => await send('GET', '/v1/models', undefined, `Bearer ${secret}`)
    expect(
      (await Promise.all(Array.from({ length: 10 }, ask))).map(({ status }) => status).toSorted(),
    ).toEqual([200, 200, 200, ...Array(7).fill(429)])

    const refused = await ask()
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('3')
    expect(await failure(refused)).toMatchObject({ code: 'rate_limit_exceeded' })
    expect((await send('GET', '/v1/models', undefined, `Bearer ${other}`)).status).toBe(200)
    time = 1000
    expect((await ask()).status).toBe(200)
  })
})

describe('everything else', () => {
  test.each([
    ['GET', '/v1/unknown'],
    ['DELETE', '/v1/models'],
    ['POST', '/v1/keys'],
    ['PUT', CHAT],
    ['GET', '/v1'],
    ['GET', '/v1/'],
  ])('%s %s fails in the envelope (ERR-5)', async (method, path) => {
    const answer = await send(method, path)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await failure(answer)).toMatchObject({ status: 404, code: 'unknown_url' })
  })

  test.each([
    ['POST', '/v1/responses', 'POST /v1/chat/completions is offered instead.'],
    ['GET', '/v1/responses/resp_1', 'POST /v1/chat/completions is offered instead.'],
    ['POST', '/v1/completions', 'POST /v1/chat/completions is offered instead.'],
    ['POST', '/v1/embeddings', 'No model here makes embeddings'],
    ['GET', CHAT, 'Completions are not stored'],
    ['DELETE', `${CHAT}/chatcmpl-1`, 'Completions are not stored'],
    ['GET', `${CHAT}/chatcmpl-1/messages`, 'Completions are not stored'],
    ['DELETE', '/v1/models/svc-0.1-echo', 'Models belong to the operator; GET /v1/models'],
  ])('%s %s, which client libraries know, says what is offered instead', async (method, path, instead) => {
    const answer = await send(method, path)
    expect(await answer.json()).toMatchObject({
      error: { code: 'unknown_url', message: expect.stringContaining(`${method} ${path}. ${instead}`) },
    })
  })

  test.each(['/chat/completions', '/models'])('%s without /v1 is nothing (VERS-1)', async (path) => {
    const answer = path === '/models' ? await send('GET', path) : await send('POST', path, hello)
    expect(answer.status).toBe(404)
  })

  test('alive always, ready when the parts are', async () => {
    const { app } = await createTestService({
      ready: () => Promise.reject(new Error('no database at /secret/path')),
    })
    expect((await app.request('/healthz')).status).toBe(200)
    const answer = await app.request('/readyz')
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain('/secret/path')
  })

  test('no secret and no text of a conversation reaches the log or an error (KEY-2, ERR-4)', async () => {
    const { send, secret, logLines } = await createTestService()
    await send('POST', CHAT, { ...hello, messages: [{ role: 'user', content: 'private words' }] })
    const answers = [
      await send('POST', CHAT, { ...hello, model: secret }),
      await send('POST', CHAT, { ...hello, [secret]: 1 }),
      await send('GET', `/v1/models/${secret}`),
      await send('GET', `/v1/${secret}?key=${secret}`),
      await send('GET', '/v1/models', undefined, `Bearer ${secret}x`),
    ]
    for (const answer of answers) expect(await answer.text()).not.toContain(secret.slice(7))
    expect(logLines).toHaveLength(6)
    for (const line of logLines) {
      expect(line).not.toContain(secret.slice(7))
      expect(line).not.toContain('private words')
    }
  })
})
