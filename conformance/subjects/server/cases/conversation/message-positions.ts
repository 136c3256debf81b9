// Every message and every part is read, in each position (WIRE-9): `prompt_tokens` rise with each of several equal parts and
// messages, so that none of them can stand for another. A stream reads what a plain answer reads (WIRE-32).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { isSuccess, noted, succeeded } from '../requests/chat-calls.ts'
import { usageOf } from '../requests/asked.ts'
import { streamedAnswer } from '../streaming/streamed-answers.ts'
import { chatWithHistory } from '../tools/history.ts'
import { messageForms } from './message-forms.ts'

const TEXT = 'Name an old stone.'

type Message = Readonly<Record<string, unknown>>

const user: Message = { role: 'user', content: 'Which one do you mean?' }
const reply: Message = { role: 'assistant', content: 'A stone.' }
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"word":"stone"}' } }
const called: Message = { role: 'assistant', content: null, tool_calls: [call] }
const system: Message = { role: 'system', content: TEXT }
const developer: Message = { role: 'developer', content: TEXT }

/** A message of this many equal parts. */
function partsOf(role: string, count: number): Message {
  const content = Array.from({ length: count }, () => ({ type: 'text', text: TEXT }))
  return { role, content, ...(role === 'tool' ? { tool_call_id: call.id } : {}) }
}

/** The conversations whose message in one position has more and more parts. */
const parts: Variants<[conversation: (count: number) => readonly Message[]]> = {
  'system-parts': ['a system message', (count) => [partsOf('system', count), user]],
  'late-system-parts': ['a second system message', (count) => [system, partsOf('system', count), user]],
  'first-user-parts': ['a first user message', (count) => [partsOf('user', count), reply, user]],
  'last-user-parts': ['a last user message', (count) => [user, reply, partsOf('user', count)]],
  'middle-assistant-parts': ['an assistant message', (count) => [user, partsOf('assistant', count), user]],
  'last-assistant-parts': ['a last assistant message', (count) => [user, partsOf('assistant', count)]],
  'result-parts': ['the result of a call', (count) => [user, called, partsOf('tool', count)]],
}

/** The most parts of a message: a first, a last and one between them. */
const MOST_PARTS = 3

/** Messages of instructions, one more with each conversation. WIRE-26 judges whether their order is taken. */
const instructions: Variants<[conversations: readonly (readonly Message[])[]]> = {
  'two-systems': [
    'two and three system messages',
    [[user], [system, user], [system, system, user], [system, system, system, user]],
  ],
  'system-between': [
    'a second system message between two turns',
    [
      [system, user, reply, user],
      [system, user, reply, system, user],
    ],
  ],
  'system-last': [
    'a second system message at the end',
    [
      [system, user],
      [system, user, system],
    ],
  ],
  'two-developers': ['two developer messages', [[user], [developer, user], [developer, developer, user]]],
  'system-and-developer': [
    'a system and a developer message',
    [
      [system, user],
      [system, developer, user],
    ],
  ],
  'developer-and-system': [
    'a developer and a system message',
    [
      [developer, user],
      [developer, system, user],
    ],
  ],
}

/** Everything that a conversation may have, in parts and as text. */
const WHOLE: readonly Message[] = [
  system,
  partsOf('system', 2),
  partsOf('user', 2),
  reply,
  system,
  user,
  called,
  partsOf('tool', 2),
  partsOf('assistant', 2),
  partsOf('user', 2),
]

/** The `prompt_tokens` of a conversation. Not applicable if it is refused: the format leaves its order open. */
async function countOf(t: CaseContext, messages: readonly Message[]): Promise<[number, Exchange]> {
  const exchange = await chatWithHistory(t, { messages })
  if (!isSuccess(exchange)) t.notApplicable('the target refuses such a conversation')
  const count = at(json(exchange), 'usage', 'prompt_tokens')
  if (typeof count !== 'number') return t.notApplicable('the answer has no `usage.prompt_tokens`')
  if (count === 0) t.inconclusive('`prompt_tokens` is 0, which WIRE-3 judges')
  return [count, exchange]
}

/** Each conversation counts more than the one before. */
async function expectRises(t: CaseContext, conversations: readonly (readonly Message[])[]): Promise<void> {
  let before: number | undefined
  for (const messages of conversations) {
    const [count, exchange] = await countOf(t, messages)
    const expected = `prompt_tokens above ${before}, the count with one less`
    t.expect(exchange, () =>
      before === undefined || count > before ? undefined : { expected, actual: String(count) },
    )
    before = count
  }
}

const needsDeveloper = (conversations: readonly (readonly Message[])[]): boolean =>
  conversations.flat().some(({ role }) => role === 'developer')

export const positionCases: readonly Case[] = [
  ...checkEach('wire.read-every-*', 'WIRE-9', 'each part of *, in `prompt_tokens`', parts).run(
    (t, conversation) =>
      expectRises(
        t,
        Array.from({ length: MOST_PARTS }, (_, place) => conversation(place + 1)),
      ),
  ),
  ...checkEach('wire.read-*', 'WIRE-9', '*, in `prompt_tokens`', instructions).run(
    async (t, conversations) => {
      if (needsDeveloper(conversations)) await t.target.requireField('developer')
      await expectRises(t, conversations)
    },
  ),
  check('wire.message-forms-streamed', 'WIRE-9', 'a message of each form, streamed')
    .with({ thorough: true })
    .run(async (t: CaseContext) => {
      for (const [title, messages] of Object.values(messageForms)) {
        const exchange = await chatWithHistory(t, { messages, stream: true })
        if (!isSuccess(exchange)) await streamedAnswer(t)
        // `wire.message-…` judges a form that is refused plain, too.
        if (isSuccess(exchange) || isSuccess(await chatWithHistory(t, { messages })))
          t.expect(exchange, noted(succeeded, title))
      }
    }),
  check(
    'wire.counts-of-messages-streamed',
    'WIRE-32',
    '`prompt_tokens` of every form of message, streamed and plain',
  ).run(async (t: CaseContext) => {
    await t.target.requireField('stream_options')
    const [count] = await countOf(t, WHOLE)
    const { exchange } = await streamedAnswer(t, {
      messages: WHOLE,
      stream_options: { include_usage: true },
    })
    const streamed = at(usageOf(exchange), 'prompt_tokens')
    if (streamed === undefined) t.inconclusive('the stream has no usage, which STREAM-7 judges')
    if (streamed !== count && (await countOf(t, WHOLE))[0] !== count)
      t.notApplicable('the same request has another count each time, which `wire.counts-steady` judges')
    const mismatch = { expected: `prompt_tokens ${count}, as of the plain answer`, actual: show(streamed) }
    t.assert(streamed === count, mismatch, exchange)
  }),
]
