// Bodies that are no JSON object: 400, whatever is wrong with them (CHAT-3).
import fc from 'fast-check'
import { type Case, defineCase } from '../../runner/case.ts'
import { property } from '../../generate/property.ts'
import { refused } from '../../../harness/verify/verify.ts'
import { postRaw, validBody } from '../requests/chat.ts'

interface MalformedBody {
  readonly slug: string
  readonly title: string
  /** The body, from the text of a valid one. */
  body(valid: string): string
}

const malformed: readonly MalformedBody[] = [
  { slug: 'empty-body', title: 'an empty body', body: () => '' },
  { slug: 'blank-body', title: 'a body of white space', body: () => ' \n' },
  {
    slug: 'trailing-comma',
    title: 'a comma before the last brace',
    body: (valid) => `${valid.slice(0, -1)},}`,
  },
  {
    slug: 'trailing-comma-in-array',
    title: 'a comma before the last bracket',
    body: (valid) => valid.replace(']', ',]'),
  },
  { slug: 'text-behind', title: 'a word behind the object', body: (valid) => `${valid} more` },
  { slug: 'object-behind', title: 'a second object behind the first', body: (valid) => valid + valid },
  { slug: 'single-quotes', title: 'single quotes', body: (valid) => valid.replaceAll('"', "'") },
  {
    slug: 'bare-names',
    title: 'names without quotes',
    body: (valid) => valid.replaceAll(/"(\w+)":/g, '$1:'),
  },
  { slug: 'comment', title: 'a comment', body: (valid) => `/* a comment */ ${valid}` },
  {
    slug: 'raw-line-end',
    title: 'a raw line end in a string',
    body: (valid) => valid.replace('hello', 'hel\nlo'),
  },
  {
    slug: 'bad-escape',
    title: 'an escape that JSON lacks',
    body: (valid) => valid.replace('hello', '\\hello'),
  },
  { slug: 'array-body', title: 'an array', body: (valid) => `[${valid}]` },
  { slug: 'string-body', title: 'a string', body: (valid) => JSON.stringify(valid) },
  { slug: 'number-body', title: 'a number', body: () => '1' },
  { slug: 'boolean-body', title: 'a boolean', body: () => 'true' },
  { slug: 'null-body', title: '`null`', body: () => 'null' },
]

export const malformedJsonCases: readonly Case[] = [
  ...malformed.map(({ slug, title, body }) =>
    defineCase({
      id: `chat.${slug}`,
      requirement: 'CHAT-3',
      title,
      run: async (t) => t.expect(await postRaw(t, body(JSON.stringify(validBody(t)))), refused(400)),
    }),
  ),
  defineCase({
    id: 'chat.truncated-json',
    requirement: 'CHAT-3',
    title: 'a body that is cut short, anywhere',
    async run(t) {
      const valid = JSON.stringify(validBody(t))
      const lengths = fc.integer({ min: 1, max: valid.length - 1 })
      await property(t, lengths, async (length) => {
        t.expect(await postRaw(t, valid.slice(0, length)), refused(400))
      })
    },
  }),
]
