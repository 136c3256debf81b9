// A request that breaks one thing is refused: a missing member, a wrong type, a value out of its range (CHAT-4 to 6).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { refused } from '../../../harness/verify/verify.ts'
import { PROMPT, messagesOf, post, validBody } from '../requests/chat.ts'

/** A body that breaks one thing, made from the valid one. */
interface BrokenBody {
  readonly slug: string
  readonly title: string
  body(valid: ReturnType<typeof validBody>): unknown
  /** The capability that the broken value belongs to: where it is refused by name, nothing is shown by a 400. */
  readonly field?: string
}

const incomplete: readonly BrokenBody[] = [
  { slug: 'missing-model', title: 'no `model`', body: ({ messages }) => ({ messages }) },
  { slug: 'missing-messages', title: 'no `messages`', body: ({ model }) => ({ model }) },
  { slug: 'missing-everything', title: 'an object without members', body: () => ({}) },
  {
    slug: 'missing-role',
    title: 'a message without `role`',
    body: (valid) => ({ ...valid, messages: [{ content: PROMPT }] }),
  },
  {
    slug: 'missing-content',
    title: 'a user message without `content`',
    body: (valid) => ({ ...valid, messages: [{ role: 'user' }] }),
  },
  {
    slug: 'missing-system-content',
    title: 'a system message without `content`',
    body: (valid) => ({ ...valid, messages: [{ role: 'system' }, ...valid.messages] }),
  },
  {
    slug: 'missing-later-role',
    title: 'a second message without `role`',
    body: (valid) => ({ ...valid, messages: [...valid.messages, { content: PROMPT }] }),
  },
]

const wronglyTyped: readonly BrokenBody[] = [
  { slug: 'model-number', title: 'a number for `model`', body: (valid) => ({ ...valid, model: 1 }) },
  {
    slug: 'model-object',
    title: 'an object for `model`',
    body: (valid) => ({ ...valid, model: { id: valid.model } }),
  },
  {
    slug: 'model-array',
    title: 'an array for `model`',
    body: (valid) => ({ ...valid, model: [valid.model] }),
  },
  {
    slug: 'messages-string',
    title: 'a string for `messages`',
    body: (valid) => ({ ...valid, messages: PROMPT }),
  },
  {
    slug: 'messages-object',
    title: 'an object for `messages`',
    body: (valid) => ({ ...valid, messages: { role: 'user', content: PROMPT } }),
  },
  {
    slug: 'message-string',
    title: 'a string for a message',
    body: (valid) => ({ ...valid, messages: [PROMPT] }),
  },
  {
    slug: 'role-number',
    title: 'a number for `role`',
    body: (valid) => ({ ...valid, messages: [{ role: 1, content: PROMPT }] }),
  },
  {
    slug: 'content-number',
    title: 'a number for `content`',
    body: (valid) => ({ ...valid, messages: messagesOf(1) }),
  },
  {
    slug: 'content-boolean',
    title: 'a boolean for `content`',
    body: (valid) => ({ ...valid, messages: messagesOf(true) }),
  },
  {
    slug: 'content-object',
    title: 'an object for `content`',
    body: (valid) => ({ ...valid, messages: messagesOf({ type: 'text', text: PROMPT }) }),
  },
  {
    slug: 'stream-string',
    title: 'a string for `stream`',
    body: (valid) => ({ ...valid, stream: 'true' }),
  },
]

const outOfRange: readonly BrokenBody[] = [
  {
    slug: 'no-messages',
    title: 'an empty array for `messages`',
    body: (valid) => ({ ...valid, messages: [] }),
  },
  {
    slug: 'unknown-role',
    title: 'a `role` that the format does not know',
    body: (valid) => ({ ...valid, messages: [{ role: 'wizard', content: PROMPT }] }),
  },
  {
    slug: 'temperature-too-high',
    title: '`temperature` above 2',
    field: 'temperature',
    body: (valid) => ({ ...valid, temperature: 2.5 }),
  },
  {
    slug: 'temperature-negative',
    title: '`temperature` below 0',
    field: 'temperature',
    body: (valid) => ({ ...valid, temperature: -0.5 }),
  },
]

const refusals = [
  { bodies: incomplete, requirement: 'CHAT-4', type: 'invalid_request_error', code: 'invalid_request_error' },
  // The code of a 400 other than CHAT-4's may be any string, and its type is what ERR-2 judges.
  { bodies: wronglyTyped, requirement: 'CHAT-5' },
  { bodies: outOfRange, requirement: 'CHAT-6' },
] as const

export const refusalCases: readonly Case[] = refusals.flatMap(({ bodies, requirement, ...refusal }) =>
  bodies.map(({ slug, title, body, field }) =>
    defineCase({
      id: `chat.${slug}`,
      requirement,
      title,
      async run(t: CaseContext) {
        if (field !== undefined) await t.target.requireField(field)
        t.expect(await post(t, body(validBody(t))), refused(400, refusal))
      },
    }),
  ),
)
