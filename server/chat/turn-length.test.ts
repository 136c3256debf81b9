// Requests as large as their bounds allow, each of a shape that is dear in another place: none keeps the event loop from
// all others for long.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { longestTurnMs } from '../http/longest-turn.fixture.ts'
import { createTestService } from '../app.fixture.ts'
import { bounds } from '../config/settings.ts'

/** Processor time, the client's in this process included; on a quiet machine it is at most 35 ms. */
const MOST_TURN_MS = 60

let service: Awaited<ReturnType<typeof createTestService>>
beforeAll(async () => {
  const bodyBytes = bounds.bodyBytes.default
  const bodyValues = bounds.bodyValues.default
  service = await createTestService({ bounds: { bodyBytes, bodyValues } })
})
afterAll(() => service.closeEngines())

const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at))
const members = (count: number, value: unknown): object =>
  Object.fromEntries(many(count, (at) => [`k${at}`, value]))
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const words = (bytes: number) => 'a b c d '.repeat(bytes / 8)
const tool = (at: number) => ({
  type: 'function',
  function: { name: `f${at}`, parameters: { type: 'object', properties: members(100, { type: 'string' }) } },
})
const body = (fields: object) => JSON.stringify({ model: 'svc-0.1-echo', ...fields })
const twice = (text: string) => `{"model":"svc-0.1-echo","a":"${text}","a":1}`

const cases: readonly (readonly [string, string])[] = [
  ['text', body(user(words(4_000_000)))],
  ['text of other scripts', body(user('\u{1F600}'.repeat(250_000)))],
  [
    'text that is refused',
    body({ ...user('x "'.repeat(900_000)), response_format: { type: 'json_object' } }),
  ],
  ['stop strings', body({ ...user('ab '.repeat(1_000_000)), stop: ['zzz', 'ab c', 'x'.repeat(1000)] })],
  ['stop strings that nearly fit', body({ ...user('ab '.repeat(300_000)), stop: 'ab '.repeat(300) + 'c' })],
  ['choices', body({ ...user(words(96_000)), n: 128 })],
  ['log probabilities', body({ ...user(words(128_000)), logprobs: true })],
  ['alternatives', body({ ...user(words(48_000)), logprobs: true, top_logprobs: 20 })],
  ['escaped characters', body({ ...user('\u0001'.repeat(20_000)), n: 128 })],
  ['characters of three bytes', body({ ...user('字'.repeat(40_000)), n: 128 })],
  [
    'choices with alternatives',
    body({ ...user('\u0001'.repeat(600)), n: 128, logprobs: true, top_logprobs: 5 }),
  ],
  [
    'choices with a stop string that nearly fits',
    body({ ...user('a'.repeat(1020)), n: 128, stop: 'a'.repeat(1021) }),
  ],
  ['messages', body({ messages: many(2048, () => user('a'.repeat(1000)).messages[0]) })],
  ['parts', body(user(many(2047, () => ({ type: 'text', text: 'x' }))))],
  ['too many parts', body(user(many(16_000, () => ({ type: 'text', text: 'x' }))))],
  [
    'a picture',
    body(user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${words(3e6)}` } }])),
  ],
  [
    'entries of logit_bias',
    body({ ...user('a'), logit_bias: Object.fromEntries(many(1024, (at) => [at, 1])) }),
  ],
  ['members of metadata', body({ ...user('a'), metadata: members(32_000, 'v') })],
  ['members', body({ ...user('a'), ...members(32_000, 'v') })],
  ['too many members', body({ ...user('a'), metadata: members(200_000, 'v') })],
  ['values', body({ ...user('a'), metadata: many(65_000, (at) => at) })],
  ['levels', body({ ...user('a'), metadata: JSON.parse('['.repeat(120) + ']'.repeat(120)) })],
  ['too many levels', `${'['.repeat(60_000)}${']'.repeat(60_000)}`],
  ['tools', body({ ...user('a'), tools: many(128, tool) })],
  ['escaped quotes and a name twice', twice('\\"'.repeat(2_000_000))],
  ['backslashes and a name twice', twice('\\\\'.repeat(2_000_000))],
  ['members and a name twice', `{${many(32_000, (at) => `"k${at}":1`).join()},"k5":1}`],
  ['no JSON', words(4_000_000)],
]

/** The streamed requests of `npm test`: the others are slow, and differ less from the plain ones. */
const STREAMED_SAMPLE = new Set(['text that is refused', 'log probabilities', 'messages', 'tools'])

const streamed = cases.map(([name, text]) => ({ name, text, stream: true }))
const isSample = ({ name }: { name: string }): boolean => STREAMED_SAMPLE.has(name)

test.each([...cases.map(([name, text]) => ({ name, text, stream: false })), ...streamed.filter(isSample)])(
  "'$name' at its bound delays no other request (stream: $stream)",
  expectShortTurns,
)
test.each(streamed.filter((each) => !isSample(each)))(
  "'$name' at its bound delays no other request when streamed",
  { tags: 'slow' },
  expectShortTurns,
)

async function expectShortTurns({ text, stream }: { text: string; stream: boolean }): Promise<void> {
  const asked = stream && text.startsWith('{') ? `{"stream":true,${text.slice(1)}` : text
  let status = 0
  const longest = await longestTurnMs(MOST_TURN_MS, async () => {
    const answer = await service.send('POST', '/v1/chat/completions', asked)
    ;({ status } = answer)
    for await (const _ of answer.body ?? []);
  })
  expect(longest).toBeLessThan(MOST_TURN_MS)
  expect([200, 400]).toContain(status)
}
