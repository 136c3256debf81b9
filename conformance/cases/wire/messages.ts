// The forms of a message that every deployment takes, and those that are capabilities (WIRE-9).
import { type Case, defineCase } from '../../runner/case.ts'
import { smallestMembers } from '../../target/capabilities.ts'
import { answerWith } from '../requests/chat.ts'

const user = { role: 'user', content: 'What does the word mean?' }
const parts = [
  { type: 'text', text: 'Be brief, ' },
  { type: 'text', text: 'and friendly.' },
]
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"word":"stone"}' } }
const result = { role: 'tool', tool_call_id: 'call_1', content: 'A piece of rock.' }

/** A call, with `content` or without, and its result. */
function callAndResult(content: object): readonly object[] {
  return [user, { role: 'assistant', ...content, tool_calls: [call] }, result]
}

const forms: Readonly<Record<string, readonly [title: string, messages: readonly object[]]>> = {
  system: ['system, text', [{ role: 'system', content: 'Be brief.' }, user]],
  'system-parts': ['system, text parts', [{ role: 'system', content: parts }, user]],
  'user-parts': ['user, text parts', [{ role: 'user', content: parts }]],
  'user-name': ['user, with a name', [{ ...user, name: 'ada' }]],
  assistant: ['assistant, text', [user, { role: 'assistant', content: 'Which one?' }, user]],
  'assistant-parts': ['assistant, text parts', [user, { role: 'assistant', content: parts }, user]],
  'call-null-content': ['assistant, null beside a call, and its result', callAndResult({ content: null })],
  'call-absent-content': ['assistant, no content beside a call, and its result', callAndResult({})],
  'call-text-content': [
    'assistant, text beside a call, and its result',
    callAndResult({ content: 'Let me see.' }),
  ],
  'result-parts': [
    'tool, text parts',
    [...callAndResult({ content: null }).slice(0, -1), { ...result, content: parts }],
  ],
}

/** The forms that a deployment may refuse by name. */
const capabilities = ['developer', 'function', 'refusal', 'image_url', 'input_audio', 'file'] as const

export const messageCases: readonly Case[] = [
  ...Object.entries(forms).map(([slug, [title, messages]]) =>
    defineCase({
      id: `wire.message-${slug}`,
      requirement: 'WIRE-9',
      title: `a message: ${title}`,
      run: async (t) => void (await answerWith(t, { messages })),
    }),
  ),
  ...capabilities.map((name) =>
    defineCase({
      id: `wire.message-${name.replaceAll('_', '-')}`,
      requirement: 'WIRE-9',
      title: `a message with ${name}, where it is not refused by name`,
      async run(t) {
        await t.target.requireField(name)
        await answerWith(t, { ...smallestMembers(name) })
      },
    }),
  ),
]
