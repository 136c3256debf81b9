// LENIENT=on: what was ignored is named in the answer's header and in the log, whatever the answer is.
import { expect, test } from 'vitest'
import { createTestService } from '../app.fixture.ts'

const HEADER = 'x-ignored-parameters'
const CHAT = '/v1/chat/completions'
const body = { model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'hi', cache_control: {} }] }

test.each([
  ['plain', {}, 200],
  ['streamed', { stream: true }, 200],
  ['refused by the engine', { web_search_options: {} }, 400],
])('%s', async (_, fields, status) => {
  const { send, logLines } = await createTestService({ lenient: true })
  const answer = await send('POST', CHAT, { ...body, top_k: 5, 'naïve, so': 1, ...fields })
  await answer.text()
  expect(answer.status).toBe(status)
  expect(answer.headers.get(HEADER)).toBe('messages[0].cache_control, top_k, na%C3%AFve%2C%20so')
  const logged = logLines.map((line) => JSON.parse(line)).find((line) => line.path === CHAT)
  expect(logged.ignored).toEqual(['messages[0].cache_control', 'top_k', 'naïve, so'])
})

test('many names are counted', async () => {
  const { send } = await createTestService({ lenient: true })
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, place) => [`x${place}`.repeat(100), 1]))
  const header = (await send('POST', CHAT, { ...body, ...many })).headers.get(HEADER) ?? ''
  expect(header).toMatch(/, and-981-more$/)
  expect(header.length).toBeLessThan(8000)
})

test('nothing ignored, no header', async () => {
  const { send } = await createTestService({ lenient: true })
  const answer = await send('POST', CHAT, {
    model: 'svc-0.1-echo',
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(answer.headers.has(HEADER)).toBe(false)
})

test('by default it is refused by name', async () => {
  const { send } = await createTestService()
  const answer = await send('POST', CHAT, { ...body, top_k: 5 })
  expect(await answer.json()).toMatchObject({ error: { param: 'top_k', code: 'unknown_parameter' } })
})
