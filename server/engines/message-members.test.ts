// Members of messages that request another answer are refused by name; members that clients replay are accepted.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestService } from '../app.fixture.ts'

let service: Awaited<ReturnType<typeof createTestService>>
let lenient: Awaited<ReturnType<typeof createTestService>>
beforeAll(async () => {
  service = await createTestService()
  lenient = await createTestService({ lenient: true })
})
afterAll(async () => void (await Promise.all([service.closeEngines(), lenient.closeEngines()])))

const user = { role: 'user', content: 'hi' }
const assistant = { role: 'assistant', content: 'Once' }
const tool = { type: 'function', function: { name: 'f' } }

async function answerTo(messages: readonly object[], { send } = service) {
  return await send('POST', '/v1/chat/completions', { model: 'svc-0.1-echo', messages })
}

test.each([
  ['messages[1].partial', [user, { ...assistant, partial: true }]],
  ['messages[1].prefix', [user, { ...assistant, prefix: true }]],
  ['messages[0].tools', [{ role: 'system', content: 'a', tools: [tool] }, user]],
  ['messages[0].functions', [{ ...user, functions: [tool.function] }]],
  ['messages[0].images', [{ ...user, images: ['aGk='] }]],
  ['messages[1].attachments', [user, { ...user, attachments: [{ id: 'a' }] }]],
])('%s is refused, and named if unknown members are ignored', async (param, messages) => {
  const answer = await answerTo(messages)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { param, code: 'unsupported_parameter' } })
  const ignoring = await answerTo(messages, lenient)
  expect(ignoring.status).toBe(200)
  expect(ignoring.headers.get('x-ignored-parameters')).toContain(param)
})

test.each([
  ['defaults', { partial: false, prefix: null, tools: [], functions: null }],
  [
    'thoughts',
    { reasoning_content: 'hm', reasoning: 'hm', reasoning_details: [{ text: 'hm' }], thinking: 'hm' },
  ],
  [
    'what services add',
    { annotations: [], images: [{ url: 'a' }], provider_specific_fields: { refusal: null } },
  ],
  ['null in all that may be left out', { refusal: null, audio: null, function_call: null, tool_calls: null }],
  [
    'members of vendors',
    { extra_content: { google: { thought: 'x' } }, cache_control: { type: 'ephemeral' }, id: 'msg_1' },
  ],
])('an assistant message may have %s', async (_, members) => {
  expect((await answerTo([user, { ...assistant, ...members }, user])).status).toBe(200)
})
