// A request that breaks one thing is refused: a body that is not a JSON object, a missing member, a wrong type, a value out of
// its range (CHAT-3 to 6).
import fc from 'fast-check'
import { type Case, type Variants, checkEach, check } from '../../case.ts'
import { refused } from '../../../../../harness/verify/verify.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { PROMPT, messagesOf, post, validBody, postRaw } from '../requests/chat-calls.ts'
import { property } from '../../../../generate/property.ts'

/** Invalid requests by slug: members that replace those of a valid body. */
type Refused = Variants<[members: Members]>

/** Bodies without what CHAT-4 asks for: `undefined` leaves a member out. */
export const incomplete: Refused = {
  'missing-model': ['no `model`', { model: undefined }],
  'missing-messages': ['no `messages`', { messages: undefined }],
  'missing-everything': ['an object without members', { model: undefined, messages: undefined }],
  'missing-role': ['a message without `role`', { messages: [{ content: PROMPT }] }],
  'missing-content': ['a user message without `content`', { messages: [{ role: 'user' }] }],
  'missing-system-content': [
    'a system message without `content`',
    { messages: [{ role: 'system' }, ...messagesOf(PROMPT)] },
  ],
  'missing-later-role': [
    'a second message without `role`',
    { messages: [...messagesOf(PROMPT), { content: PROMPT }] },
  ],
}

/** The refusal that CHAT-4 requires. */
export const INCOMPLETE_REFUSAL = { type: 'invalid_request_error', code: 'invalid_request_error' } as const

const wronglyTyped: Refused = {
  'model-number': ['a number for `model`', { model: 1 }],
  'model-object': ['an object for `model`', { model: { id: 'svc-0.1' } }],
  'model-array': ['an array for `model`', { model: ['svc-0.1'] }],
  'messages-string': ['a string for `messages`', { messages: PROMPT }],
  'messages-object': ['an object for `messages`', { messages: { role: 'user', content: PROMPT } }],
  'message-string': ['a string for a message', { messages: [PROMPT] }],
  'role-number': ['a number for `role`', { messages: [{ role: 1, content: PROMPT }] }],
  'content-number': ['a number for `content`', { messages: messagesOf(1) }],
  'content-boolean': ['a boolean for `content`', { messages: messagesOf(true) }],
  'content-object': ['an object for `content`', { messages: messagesOf({ type: 'text', text: PROMPT }) }],
  'stream-string': ['a string for `stream`', { stream: 'true' }],
}

const outOfRange: Refused = {
  'no-messages': ['an empty array for `messages`', { messages: [] }],
  'unknown-role': [
    'a `role` that the format does not know',
    { messages: [{ role: 'wizard', content: PROMPT }] },
  ],
  'temperature-too-high': ['`temperature` above 2', { temperature: 2.5 }],
  'temperature-negative': ['`temperature` below 0', { temperature: -0.5 }],
}

const refusals = [
  { table: incomplete, requirement: 'CHAT-4', ...INCOMPLETE_REFUSAL },
  // The code of a 400 other than CHAT-4's may be any string, and its type is what ERR-2 judges.
  { table: wronglyTyped, requirement: 'CHAT-5' },
  { table: outOfRange, requirement: 'CHAT-6' },
] as const

export const refusalCases: readonly Case[] = refusals.flatMap(({ table, requirement, ...refusal }) =>
  checkEach('chat.*', requirement, '*', table).run(async (t, members) => {
    // If the target refuses the capability by name, a 400 shows nothing about its range.
    if ('temperature' in members) await t.target.requireField('temperature')
    t.expect(await post(t, { ...validBody(t), ...members }), refused(400, refusal))
  }),
)

const malformed: Variants<[body: (valid: string) => string]> = {
  'empty-body': ['an empty body', () => ''],
  'blank-body': ['a body of white space', () => ' \n'],
  'trailing-comma': ['a comma before the last brace', (valid) => `${valid.slice(0, -1)},}`],
  'trailing-comma-in-array': ['a comma before the last bracket', (valid) => valid.replace(']', ',]')],
  'text-behind': ['a word behind the object', (valid) => `${valid} more`],
  'object-behind': ['a second object behind the first', (valid) => valid + valid],
  'single-quotes': ['single quotes', (valid) => valid.replaceAll('"', "'")],
  'bare-names': ['names without quotes', (valid) => valid.replaceAll(/"(\w+)":/g, '$1:')],
  comment: ['a comment', (valid) => `/* a comment */ ${valid}`],
  'raw-line-end': ['a raw line end in a string', (valid) => valid.replace('hello', 'hel\nlo')],
  'bad-escape': ['an escape that JSON lacks', (valid) => valid.replace('hello', '\\hello')],
  'array-body': ['an array', (valid) => `[${valid}]`],
  'string-body': ['a string', (valid) => JSON.stringify(valid)],
  'number-body': ['a number', () => '1'],
  'boolean-body': ['a boolean', () => 'true'],
  'null-body': ['`null`', () => 'null'],
}

export const malformedJsonCases: readonly Case[] = [
  ...checkEach('chat.*', 'CHAT-3', '*', malformed).run(async (t, body) =>
    t.expect(await postRaw(t, body(JSON.stringify(validBody(t)))), refused(400)),
  ),
  check('chat.truncated-json', 'CHAT-3', 'a body that is cut short, anywhere').run(async (t) => {
    const valid = JSON.stringify(validBody(t))
    const lengths = fc.integer({ min: 1, max: valid.length - 1 })
    await property(t, lengths, async (length) => {
      t.expect(await postRaw(t, valid.slice(0, length)), refused(400))
    })
  }),
]
