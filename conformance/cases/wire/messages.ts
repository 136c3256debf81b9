// The forms of a message that every deployment takes, and those that are capabilities (WIRE-9).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { smallestMembers } from '../../target/capabilities.ts'
import { isSuccess, plainAnswer, succeeded } from '../requests/chat.ts'

const user = { role: 'user', content: 'What does the word mean?' }
const parts = [
  { type: 'text', text: 'Be brief, ' },
  { type: 'text', text: 'and friendly.' },
]
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"word":"stone"}' } }
const result = { role: 'tool', tool_call_id: 'call_1', content: 'A piece of rock.' }

interface Form {
  readonly slug: string
  readonly title: string
  readonly messages: readonly object[]
}

const forms: readonly Form[] = [
  { slug: 'system', title: 'system, text', messages: [{ role: 'system', content: 'Be brief.' }, user] },
  { slug: 'system-parts', title: 'system, text parts', messages: [{ role: 'system', content: parts }, user] },
  { slug: 'user-parts', title: 'user, text parts', messages: [{ role: 'user', content: parts }] },
  { slug: 'user-name', title: 'user, with a name', messages: [{ ...user, name: 'ada' }] },
  {
    slug: 'assistant',
    title: 'assistant, text',
    messages: [user, { role: 'assistant', content: 'Which one?' }, user],
  },
  {
    slug: 'assistant-parts',
    title: 'assistant, text parts',
    messages: [user, { role: 'assistant', content: parts }, user],
  },
  {
    slug: 'call-null-content',
    title: 'assistant, null beside a call, and its result',
    messages: [user, { role: 'assistant', content: null, tool_calls: [call] }, result],
  },
  {
    slug: 'call-absent-content',
    title: 'assistant, no content beside a call, and its result',
    messages: [user, { role: 'assistant', tool_calls: [call] }, result],
  },
  {
    slug: 'call-text-content',
    title: 'assistant, text beside a call, and its result',
    messages: [user, { role: 'assistant', content: 'Let me see.', tool_calls: [call] }, result],
  },
  {
    slug: 'result-parts',
    title: 'tool, text parts',
    messages: [user, { role: 'assistant', content: null, tool_calls: [call] }, { ...result, content: parts }],
  },
]

/** The forms that a deployment may refuse by name. */
const capabilities = ['developer', 'function', 'refusal', 'image_url', 'input_audio', 'file'] as const

/** Sends these members: that they are refused is a failure, unless every request is, which CHAT-1 judges. */
async function accepted(t: CaseContext, members: Readonly<Record<string, unknown>>): Promise<void> {
  const exchange = await t.chat(members)
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded)
}

export const messageCases: readonly Case[] = [
  ...forms.map(({ slug, title, messages }) =>
    defineCase({
      id: `wire.message-${slug}`,
      requirement: 'WIRE-9',
      title: `a message: ${title}`,
      run: (t) => accepted(t, { messages }),
    }),
  ),
  ...capabilities.map((name) =>
    defineCase({
      id: `wire.message-${name.replaceAll('_', '-')}`,
      requirement: 'WIRE-9',
      title: `a message with ${name}, where it is not refused by name`,
      async run(t) {
        await t.target.requireField(name)
        await accepted(t, { ...smallestMembers(name) })
      },
    }),
  ),
]
