// Real requests to a scripted server; only the waits are recorded instead of waited.
import type { IncomingHttpHeaders } from 'node:http'
import { OpenAI } from 'openai'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { fc, forAllAsync } from '../spec/property.fixture.ts'
import { sendJson, startTestServer } from '../harness/http-server.fixture.ts'
import { DEFAULT_TOTAL_WAIT_MS, retryingFetch } from './retrying-fetch.ts'

interface Scripted {
  readonly status: number
  readonly retryAfter?: string
}

let script: Scripted[] = []
let seen: { headers: IncomingHttpHeaders; body: string }[] = []
let waits: number[] = []

const server = await startTestServer(({ headers, text }, response) => {
  seen.push({ headers, body: text })
  const { status, retryAfter } = script.shift() ?? { status: 200 }
  const body =
    status === 200
      ? { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [] }
      : { error: { message: 'no', type: 't', code: 'c' } }
  sendJson(response, status, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
})
const url = `${server.baseUrl}/v1`

afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  script = []
  seen = []
  waits = []
})

const sleep = async (ms: number): Promise<void> => void waits.push(ms)
const retrying = (options: Parameters<typeof retryingFetch>[0] = {}) =>
  retryingFetch({ sleep, random: () => 0.5, ...options })

/** The rules once more, in other words: the waits that are due for answers that come in this order. */
function dueWaits(answers: readonly Scripted[]): number[] {
  const due: number[] = []
  for (const { status, retryAfter } of answers) {
    if (![429, 500, 503].includes(status) || due.length === 4) break
    const seconds = status === 429 && /^ *\d+(\.\d+)? *$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
    const backoff = [1125, 2125, 4125, 8125][due.length] ?? 0
    const wait = seconds > 0 ? Math.max(seconds * 1000, due.length === 0 ? 0 : backoff) : backoff
    if (due.reduce((sum, ms) => sum + ms, wait) > DEFAULT_TOTAL_WAIT_MS) break
    due.push(wait)
  }
  return due
}

const unusable = ['0', '-1', 'soon', 'Wed, 21 Oct 2026 07:28:00 GMT', '5abc', '']
const scripted = fc.record(
  {
    status: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(429, 500, 503) },
      fc.constantFrom(200, 400, 401, 404, 408, 409, 502, 504),
    ),
    retryAfter: fc.constantFrom('1', '2', '30', '86400', ...unusable),
  },
  { requiredKeys: ['status'] },
)

test('the waits are those of the rules, for any answers (RETRY-1 to RETRY-7, RETRY-10)', async () => {
  await forAllAsync(fc.array(scripted, { minLength: 1, maxLength: 7 }), async (answers) => {
    script = [...answers]
    seen = []
    waits = []
    const answer = await retrying()(url, { method: 'POST', body: 'hello' })
    const due = dueWaits(answers)
    expect(waits).toEqual(due)
    expect(seen.map(({ body }) => body)).toEqual(Array(due.length + 1).fill('hello'))
    expect(answer.status).toBe(answers[due.length]?.status ?? 200)
    await answer.text()
  })
})

test('asked to wait a day, it gives up at once (RETRY-7)', async () => {
  script = [{ status: 429, retryAfter: '86400' }]
  expect((await retrying()(url)).status).toBe(429)
  expect(waits).toEqual([])
})

describe('with the official library', () => {
  const client = () => new OpenAI({ baseURL: url, apiKey: 'svc_sk_test', maxRetries: 0, fetch: retrying() })
  const create = async (signal?: AbortSignal) =>
    await client().chat.completions.create(
      { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
      signal === undefined ? {} : { signal },
    )

  test('a call succeeds when an attempt does, and each attempt is counted', async () => {
    script = [{ status: 429, retryAfter: '2' }, { status: 503 }]
    expect((await create()).object).toBe('chat.completion')
    expect(waits).toEqual([2000, 2125])
    expect(seen.map(({ headers }) => headers['x-stainless-retry-count'])).toEqual(['0', '1', '2'])
  })

  test('what is not retried is an error of its class', async () => {
    script = [{ status: 404 }]
    await expect(create()).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    expect(seen).toHaveLength(1)
  })

  test('an abort ends a wait', async () => {
    script = [{ status: 429, retryAfter: '30' }]
    const controller = new AbortController()
    const slow = new OpenAI({ baseURL: url, apiKey: 'svc_sk_test', maxRetries: 0, fetch: retryingFetch() })
    const call = slow.chat.completions.create({ model: 'm', messages: [] }, { signal: controller.signal })
    await expect.poll(() => seen.length).toBe(1)
    controller.abort()
    await expect(call).rejects.toBeInstanceOf(OpenAI.APIUserAbortError)
  })
})

test('a body that can be read only once is sent once', async () => {
  script = [{ status: 503 }]
  const body = new Blob(['hello']).stream()
  const answer = await retrying()(url, { method: 'POST', body, duplex: 'half' })
  expect(answer.status).toBe(503)
  expect(seen).toHaveLength(1)
})

test('a Request is sent again whole', async () => {
  script = [{ status: 500 }]
  const answer = await retrying()(new Request(url, { method: 'POST', body: 'hello' }))
  expect(answer.status).toBe(200)
  expect(seen.map(({ body }) => body)).toEqual(['hello', 'hello'])
})
