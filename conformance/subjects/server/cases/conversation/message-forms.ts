// The forms of a message that every deployment takes, those that are capabilities (WIRE-9), and what clients send back
// (WIRE-24).
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { smallestMembers } from '../../../../contract/capabilities.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { contentOf } from '../../../../../harness/verify/verify-completion.ts'
import { answerWith, isSuccess, plainAnswer, succeeded } from '../requests/chat-calls.ts'
import { streamedAnswer } from '../streaming/streamed-answers.ts'
import { chatWithHistory, replayedMessage } from '../tools/history.ts'

const user = { role: 'user', content: 'What does the word mean?' }
const parts = ['Be brief,', 'and friendly,', 'and clear.'].map((text) => ({ type: 'text', text }))
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"word":"stone"}' } }
const result = { role: 'tool', tool_call_id: 'call_1', content: 'A piece of rock.' }

/** A call, with `content` or without, and its result. */
function callAndResult(content: object, resultOf: object = {}): readonly object[] {
  return [user, { role: 'assistant', ...content, tool_calls: [call] }, { ...result, ...resultOf }]
}

export const messageForms: Variants<[messages: readonly object[]]> = {
  system: ['system, text', [{ role: 'system', content: 'Be brief.' }, user]],
  'system-parts': ['system, text parts', [{ role: 'system', content: parts }, user]],
  'user-parts': ['user, text parts', [{ role: 'user', content: parts }]],
  assistant: ['assistant, text', [user, { role: 'assistant', content: 'Which one?' }, user]],
  'assistant-parts': ['assistant, text parts', [user, { role: 'assistant', content: parts }, user]],
  'call-null-content': ['assistant, null beside a call, and its result', callAndResult({ content: null })],
  'call-absent-content': ['assistant, no content beside a call, and its result', callAndResult({})],
  'call-text-content': [
    'assistant, text beside a call, and its result',
    callAndResult({ content: 'Let me see.' }),
  ],
  'call-empty-content': [
    'assistant, empty text beside a call, and its result',
    callAndResult({ content: '' }),
  ],
  'result-empty': ['tool, an empty result', callAndResult({ content: null }, { content: '' })],
  'result-parts': ['tool, text parts', callAndResult({ content: null }, { content: parts })],
}

/** Pairs of conversations: the second has one message or one part more than the first. */
const longer: Variants<[shorter: readonly object[], longer: readonly object[]]> = {
  'system-message': ['a system message', [user], [{ role: 'system', content: 'Be brief.' }, user]],
  'earlier-turns': [
    'earlier turns',
    [user],
    [{ role: 'user', content: 'I read an old word.' }, { role: 'assistant', content: 'Which one?' }, user],
  ],
  'system-part': [
    'a second part of a system message',
    [{ role: 'system', content: parts.slice(0, 1) }, user],
    [{ role: 'system', content: parts.slice(0, 2) }, user],
  ],
  'user-part': [
    'a second part of a user message',
    [{ role: 'user', content: parts.slice(0, 1) }],
    [{ role: 'user', content: parts.slice(0, 2) }],
  ],
  'result-part': [
    'a second part of the result of a tool',
    callAndResult({ content: null }, { content: parts.slice(0, 1) }),
    callAndResult({ content: null }, { content: parts.slice(0, 2) }),
  ],
}

const again = { role: 'user', content: 'Give an example, too.' }
const reply = (content: unknown): object => ({ role: 'assistant', content })

/** Pairs for the other positions of a message and a part. */
const positions: Variants<[shorter: readonly object[], longer: readonly object[]]> = {
  'first-message': ['a first message of the user', [again], [user, again]],
  'assistant-message': ['an answer between two messages', [user, again], [user, reply('A stone.'), again]],
  'assistant-part': [
    'a second part of an answer between two messages',
    [user, reply(parts.slice(0, 1)), again],
    [user, reply(parts.slice(0, 2)), again],
  ],
  'last-assistant-message': [
    'a last message of the assistant',
    [user],
    [user, reply('Be brief, and clear.')],
  ],
  'last-assistant-parts': ['a last message of the assistant in parts', [user], [user, reply(parts)]],
  'last-user-parts': [
    'a last message in parts',
    [user, reply('A stone.'), { ...again, content: 'A' }],
    [user, reply('A stone.'), { ...again, content: parts }],
  ],
  'text-beside-call': [
    'a text beside a call',
    callAndResult({ content: null }),
    callAndResult({ content: 'Let me see what it means.' }),
  ],
  result: ['a longer result of a tool', callAndResult({}, { content: '' }), callAndResult({})],
}

async function promptTokens(t: CaseContext, messages: readonly object[]): Promise<[number, Exchange]> {
  const exchange = await chatWithHistory(t, { messages })
  // The format leaves open whether a conversation may end with the assistant.
  if (at(messages.at(-1), 'role') === 'assistant' && exchange.response.status === 400)
    t.notApplicable('the target refuses a last message of the assistant')
  if (!isSuccess(exchange)) t.inconclusive('such messages are refused, which `wire.message-…` judges')
  const count = at(json(exchange), 'usage', 'prompt_tokens')
  if (count === undefined) t.notApplicable('the answer has no `usage.prompt_tokens`')
  if (count === 0) t.inconclusive('`prompt_tokens` is 0, which WIRE-3 judges')
  return [Number(count), exchange]
}

/** Each text part adds to the prompt. */
async function eachPartCounts(t: CaseContext): Promise<void> {
  let [before] = await promptTokens(t, [{ role: 'user', content: parts.slice(0, 1) }])
  for (let size = 2; size <= parts.length; size++) {
    const [after, exchange] = await promptTokens(t, [{ role: 'user', content: parts.slice(0, size) }])
    const expected = `prompt_tokens above ${before}, the count of the first ${size - 1}`
    t.assert(after > before, { expected, actual: String(after) }, exchange)
    before = after
  }
}

/** The members that an official library adds to a message when it sends it back. */
const REPLAYED = { refusal: null, annotations: [], audio: null, function_call: null, tool_calls: null }

/** The forms that a deployment may refuse by name. */
const capabilities = ['developer', 'function', 'refusal', 'image_url', 'input_audio', 'file'] as const

export const messageCases: readonly Case[] = [
  ...checkEach('wire.message-*', 'WIRE-9', 'a message: *', messageForms).run(async (t, messages) => {
    const exchange = await chatWithHistory(t, { messages })
    if (!isSuccess(exchange)) await plainAnswer(t)
    t.expect(exchange, succeeded)
  }),
  ...capabilities.map((name) =>
    check(
      `wire.message-${name.replaceAll('_', '-')}`,
      'WIRE-9',
      `a message with ${name}, unless it is refused by name`,
    ).run(async (t) => {
      await t.target.requireField(name)
      await answerWith(t, { ...smallestMembers(name) })
    }),
  ),
  check('wire.message-user-name', 'WIRE-9', 'a message: user, with a name').run(async (t) => {
    await t.target.requireField('name')
    await answerWith(t, { ...smallestMembers('name') })
  }),
  ...Object.entries({ ...longer, ...positions }).map(([slug, [title, without, withMore]]) =>
    check(`wire.read-${slug}`, 'WIRE-9', `\`prompt_tokens\` with and without ${title}`).run(async (t) => {
      const [before] = await promptTokens(t, without)
      const [after, exchange] = await promptTokens(t, withMore)
      const expected = `prompt_tokens above ${before}, the count without ${title}`
      t.expect(exchange, () => (after > before ? undefined : { expected, actual: String(after) }))
    }),
  ),
  check(
    'wire.parts-all-read',
    'WIRE-9',
    'three text parts, each in an echo, or in the count of prompt tokens',
  ).run(async (t) => {
    if (!(await t.target.echoes())) return eachPartCounts(t)
    const exchange = await t.chat({ messages: [{ role: 'user', content: parts }] })
    if (!isSuccess(exchange)) t.inconclusive('parts are refused, which `wire.message-user-parts` judges')
    const content = contentOf(exchange) ?? ''
    const missing = parts.find(({ text }) => !content.includes(text))
    t.expect(
      exchange,
      () =>
        missing && { expected: `text with ${show(missing.text)}, which a part has`, actual: show(content) },
    )
  }),
  check(
    'wire.replayed-answer',
    'WIRE-24',
    'the message of an answer, sent back as the official libraries do it',
  ).run(async (t) => replayOwn(t, await plainAnswer(t))),
  check(
    'wire.replayed-answer-streamed',
    'WIRE-24',
    'the message of an answer, sent back as the official libraries do it, streamed',
  ).run(async (t) => replayOwn(t, (await streamedAnswer(t)).exchange)),
  check(
    'wire.replayed-call',
    'WIRE-24',
    'a message with a call, sent back as the official libraries do it, and its result',
  ).run(async (t) => {
    const message = { role: 'assistant', content: null, ...REPLAYED, tool_calls: [call] }
    await replayed(t, [user, message, result], callAndResult({ content: null }))
  }),
]

/** Sends the message of an answer back, with all that it has. */
async function replayOwn(t: CaseContext, answer: Exchange): Promise<void> {
  const message = replayedMessage(answer)
  const plainest = { role: 'assistant', content: message['content'] }
  await replayed(t, [user, { ...REPLAYED, ...message }, user], [user, plainest, user])
}

/** The history is taken, unless it is not without those members either: that WIRE-9 judges. */
async function replayed(t: CaseContext, messages: readonly object[], plainest: readonly object[]) {
  const exchange = await chatWithHistory(t, { messages })
  if (!isSuccess(exchange) && !isSuccess(await t.chat({ messages: plainest })))
    t.inconclusive('the history is refused without those members too, which WIRE-9 judges')
  t.expect(exchange, succeeded)
}
