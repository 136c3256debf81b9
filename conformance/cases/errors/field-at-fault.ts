// A 400 says which field is at fault, in `param` or in its message (ERR-8).
import { type Case, defineCase } from '../../runner/case.ts'
import { json } from '../../../harness/http/exchange.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { at, show } from '../../../harness/verify/json-value.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'

interface Fault {
  readonly slug: string
  readonly title: string
  /** Names of the field at fault, one of which must be said: `messages[0].role` may be told as `role` alone. */
  readonly names: readonly string[]
  /** The whole body. */
  body(model: string): Readonly<Record<string, unknown>>
}

const messages = [{ role: 'user', content: 'Say OK.' }]

const faults: readonly Fault[] = [
  { slug: 'missing-model', title: 'no model', names: ['model'], body: () => ({ messages }) },
  { slug: 'missing-messages', title: 'no messages', names: ['messages'], body: (model) => ({ model }) },
  {
    slug: 'messages-of-wrong-type',
    title: 'a string for messages',
    names: ['messages'],
    body: (model) => ({ model, messages: 'Say OK.' }),
  },
  {
    slug: 'missing-role',
    title: 'a message without a role',
    names: ['role', 'messages'],
    body: (model) => ({ model, messages: [{ content: 'Say OK.' }] }),
  },
  {
    slug: 'missing-content',
    title: 'a message without content',
    names: ['content', 'messages'],
    body: (model) => ({ model, messages: [{ role: 'user' }] }),
  },
  {
    slug: 'stream-of-wrong-type',
    title: 'a word for stream',
    names: ['stream'],
    body: (model) => ({ model, messages, stream: 'maybe' }),
  },
  {
    slug: 'temperature-out-of-range',
    title: 'a temperature of 99',
    names: ['temperature'],
    body: (model) => ({ model, messages, temperature: 99 }),
  },
  {
    slug: 'n-out-of-range',
    title: 'an n of 0',
    names: ['n'],
    body: (model) => ({ model, messages, n: 0 }),
  },
]

/** The field is named: in `param` as one step of a path, or in the message as a word of its own. */
function names(fields: readonly string[]): Verifier {
  return (exchange) => {
    const error = at(json(exchange), 'error')
    const [param, message] = [at(error, 'param'), at(error, 'message')]
    const word = new RegExp(`(?<![A-Za-z0-9_])(?:${fields.join('|')})(?![A-Za-z0-9_])`)
    if ([param, message].some((told) => typeof told === 'string' && word.test(told))) return undefined
    return {
      expected: `${show(fields[0])} in error.param or error.message`,
      actual: `param ${show(param)}, message ${show(message)}`,
    }
  }
}

export const fieldCases: readonly Case[] = faults.map(({ slug, title, names: fields, body }) =>
  defineCase({
    id: `errors.field-${slug}`,
    requirement: 'ERR-8',
    title: `the field at fault is named: ${title}`,
    async run(t) {
      const exchange = await t.send({ path: CHAT_PATH, body: JSON.stringify(body(t.target.model)) })
      const { status } = exchange.response
      if (status !== 400) t.notApplicable(`the request was answered with ${status} and not with a 400`)
      t.expect(exchange, names(fields))
    },
  }),
)
