// Bodies that are not a JSON object: each is a 400 (CHAT-3).
import fc from 'fast-check'
import { type Case, type Variants, check, checkEach } from '../../runner/case.ts'
import { property } from '../../generate/property.ts'
import { refused } from '../../../harness/verify/verify.ts'
import { postRaw, validBody } from '../requests/chat.ts'

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
