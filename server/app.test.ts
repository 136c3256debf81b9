// The parts of the service put together. The judge, which this project runs on its own service, tests the protocol.
import { describe, expect, test } from 'vitest'
import { errorEnvelope, errorTypes } from '../spec/protocol/error.ts'
import { ECHO_MODEL } from './engines/echo/echo.ts'
import { createTestService } from './app.fixture.ts'

const { send, createKey, keys } = await createTestService()

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
    const missing = await send(method, path, body, null)
    expect(missing.headers.get('www-authenticate')).toBe('Bearer')
    expect(await failure(missing)).toMatchObject({ status: 401, code: 'missing_api_key' })
    const wrong = `Bearer svc_sk_${'A'.repeat(43)}`
    const unknown = await failure(await send(method, path, body, wrong))
    expect(unknown).toMatchObject({ status: 401, code: 'invalid_api_key' })
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

describe('everything else', () => {
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
