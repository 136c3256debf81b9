// The figures: each event is counted once under the name that the documentation gives it, and no label says anything
// that a client wrote.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createMetricsServer } from './metrics-server.ts'
import { createTestService } from '../app.fixture.ts'

const chat = (fields: object = {}) => ({
  model: 'svc-0.1-echo',
  messages: [{ role: 'user', content: 'hello' }],
  ...fields,
})

/** The value of a figure; undefined if it is not reported. */
async function figure(
  service: Awaited<ReturnType<typeof createTestService>>,
  name: string,
): Promise<number | undefined> {
  const { text } = await service.metrics.scrape()
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

test('requests by operation and status, tokens, first tokens and whole answers', async () => {
  const service = await createTestService({ rateLimit: { requests: 4, windowSeconds: 60 } })
  const path = '/v1/chat/completions'
  await service.send('POST', path, chat())
  // More than what an echo has ready at once, so that something comes after its first deltas.
  const long = [{ role: 'user', content: 'x'.repeat(1000) }]
  await (await service.send('POST', path, chat({ stream: true, messages: long }))).text()
  await service.send('POST', path, chat({ temperature: 9 }))
  await service.send('GET', '/v1/models')
  await service.send('GET', '/v1/models')
  await service.send('GET', '/v1/nothing', undefined, null)

  const requests = (operation: string, status: number) =>
    figure(service, `touchstone_requests_total{operation="${operation}",status="${status}"}`)
  expect(await requests('chat.completions', 200)).toBe(2)
  expect(await requests('chat.completions', 400)).toBe(1)
  expect(await requests('models', 200)).toBe(1)
  expect(await requests('models', 429)).toBe(1)
  expect(await requests('other', 401)).toBe(1)

  const model = 'model="svc-0.1-echo"'
  expect(await figure(service, `touchstone_tokens_total{${model}}`)).toBe(2010)
  expect(await figure(service, `touchstone_time_to_first_token_seconds_count{${model}}`)).toBe(2)
  expect(await figure(service, `touchstone_answer_seconds_count{${model}}`)).toBe(2)
  expect(await figure(service, `touchstone_answer_tokens_per_second_count{${model}}`)).toBe(1)
  expect(await figure(service, `touchstone_streams_total{${model},ended="complete"}`)).toBe(1)
  expect(await figure(service, `touchstone_answer_tokens_per_second_sum{${model}}`)).toBeGreaterThan(0)
  expect(await figure(service, `touchstone_answers_under_way{${model}}`)).toBe(0)
  expect(await figure(service, 'touchstone_limits_shared')).toBe(0)
  expect(await figure(service, 'nodejs_eventloop_lag_seconds')).toBeTypeOf('number')
})

test('the documentation lists exactly the figures that exist', async () => {
  const service = await createTestService()
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(touchstone_\w+)/gm)].map(([, name]) => name)
  const { text } = await service.metrics.scrape()
  const reported = [...text.matchAll(/^# HELP (touchstone_\w+)/gm)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual(reported.toSorted())
})

test('an answer that is refused or given up is not in flight any more', async () => {
  const service = await createTestService()
  const messages = [{ role: 'user', content: '#fault status=503' }]
  await service.send('POST', '/v1/chat/completions', chat({ messages }))
  const stream = await service.send('POST', '/v1/chat/completions', chat({ stream: true }))
  await stream.body?.cancel()
  const model = 'model="svc-0.1-echo"'
  await expect.poll(() => figure(service, `touchstone_answers_under_way{${model}}`)).toBe(0)
  expect(await figure(service, `touchstone_overloads_total{${model}}`)).toBe(1)
})

test('nothing that a client wrote is a label (KEY-2)', async () => {
  const service = await createTestService()
  await service.send('GET', '/v1/models/some-odd-path', undefined, 'Bearer svc_sk_made-up')
  await service.send('POST', '/v1/chat/completions', chat({ model: 'no-such-model' }))
  await service.send('POST', '/v1/chat/completions', chat())
  const { text } = await service.metrics.scrape()
  expect(text).not.toMatch(/some-odd-path|svc_sk_|no-such-model|key_/)
})

test('they are served on a port of their own, and nothing else is', async () => {
  const service = await createTestService()
  const server = createMetricsServer(service.metrics)
  onTestFinished(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(await answer.text()).toContain('# TYPE touchstone_requests_total counter')
  expect((await fetch(`${url}/v1/models`)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST', body: 'x' })).status).toBe(404)
  expect((await service.send('GET', '/metrics')).status).toBe(404)
})
