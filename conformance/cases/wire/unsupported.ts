// A field that a target does not support is refused by name, never ignored: each is sent, and either the 400 names it
// or its effect can be seen (WIRE-12). An unknown field is refused by name too (WIRE-23).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { readStream } from '../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { choicesOf, contentOf } from '../../../harness/verify/verify-completion.ts'
import { type Mismatch, status } from '../../../harness/verify/verify.ts'
import { at, isRecord, parsed, show } from '../../../harness/verify/json-value.ts'
import {
  LONG_PROMPT,
  PROMPT,
  isSuccess,
  messagesOf,
  named,
  plainAnswer,
  post,
  succeeded,
  validBody,
} from '../requests/chat.ts'
import { isUsageChunk } from '../streaming/answers.ts'
import { LOOK_UP, isUnfinished } from '../tools/requests.ts'
import { strictObject } from '../tools/strict-schemas.ts'
import { mediaCases } from './media.ts'

/** A field in use, and what shows that it was not ignored. */
interface UsedField {
  readonly slug: string
  /** What a refusal must name: one of these. */
  readonly names: readonly string[]
  readonly members: Readonly<Record<string, unknown>>
  /** Undefined where an effect can be seen, or where none could be seen of this answer. */
  effect(exchange: Exchange): Mismatch | undefined
}

/** A prompt that speaks of JSON, as a service may demand, and that no model answers in JSON by itself. */
const JSON_PROMPT =
  'Explain in one plain sentence of prose, without any markup, what the letters JSON stand for.'
const LETTERS = 'Say: a b c d e f g'

/** Text above this length is no answer of two tokens, in characters. */
const LONGEST_CUT = 256

const schema = strictObject({ touchstone: { type: 'integer' } })

function tokenLimit(name: string): UsedField {
  return {
    slug: name.replaceAll('_', '-'),
    names: [name],
    members: { messages: messagesOf(LONG_PROMPT), [name]: 2 },
    effect(exchange) {
      const content = contentOf(exchange) ?? ''
      const ignored = content === LONG_PROMPT || content.length > LONGEST_CUT
      return ignored ? { expected: 'an answer that is cut', actual: show(content) } : undefined
    },
  }
}

function jsonFormat(slug: string, format: object, holds: (value: unknown) => boolean): UsedField {
  return {
    slug,
    names: ['response_format'],
    members: { messages: messagesOf(JSON_PROMPT), response_format: format },
    effect(exchange) {
      const content = contentOf(exchange)
      return isUnfinished(exchange) || holds(parsed(content ?? ''))
        ? undefined
        : { expected: 'an answer in the asked format', actual: show(content) }
    },
  }
}

const usedFields: readonly UsedField[] = [
  {
    slug: 'n',
    names: ['n'],
    members: { n: 2 },
    effect(exchange) {
      const { length } = choicesOf(json(exchange))
      return length === 1 ? { expected: 'more than one choice', actual: 'one' } : undefined
    },
  },
  {
    slug: 'stop',
    names: ['stop'],
    members: { messages: messagesOf(LETTERS), stop: ['d'] },
    effect(exchange) {
      // That the stop string itself is not returned is for WIRE-8.
      const content = contentOf(exchange) ?? ''
      return /d.*[efg]/s.test(content) ? { expected: 'an end at "d"', actual: show(content) } : undefined
    },
  },
  tokenLimit('max_tokens'),
  tokenLimit('max_completion_tokens'),
  jsonFormat('json-object', { type: 'json_object' }, isRecord),
  jsonFormat(
    'json-schema',
    { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    (value) => Number.isInteger(at(value, 'touchstone')),
  ),
  {
    slug: 'tools',
    names: ['tools', 'tool_choice'],
    members: { tools: [LOOK_UP], tool_choice: 'required' },
    effect(exchange) {
      const calls = at(choicesOf(json(exchange))[0], 'message', 'tool_calls')
      const called = Array.isArray(calls) && calls.length > 0
      return called || isUnfinished(exchange)
        ? undefined
        : { expected: 'a call, which was required', actual: show(calls) }
    },
  },
  {
    slug: 'logprobs',
    names: ['logprobs'],
    members: { logprobs: true },
    effect(exchange) {
      const logprobs = at(choicesOf(json(exchange))[0], 'logprobs')
      return isRecord(logprobs) ? undefined : { expected: 'logprobs, an object', actual: show(logprobs) }
    },
  },
  {
    slug: 'stream-options',
    names: ['stream_options'],
    members: { stream: true, stream_options: { include_usage: true } },
    effect(exchange) {
      const { chunks } = readStream(exchange)
      const usage = chunks.some((chunk) => isUsageChunk(chunk) || isRecord(at(chunk, 'usage')))
      return usage ? undefined : { expected: 'a chunk with usage', actual: show(chunks.at(-1)) }
    },
  },
]

async function refusedOrSeen(t: CaseContext, { names, members, effect }: UsedField): Promise<void> {
  const exchange = await t.chat({ messages: messagesOf(PROMPT), ...members })
  if (isSuccess(exchange)) return t.expect(exchange, succeeded, effect)
  await plainAnswer(t)
  t.expect(exchange, status(400), named(names))
}

export const unsupportedCases: readonly Case[] = [
  ...usedFields.map((used) =>
    defineCase({
      id: `wire.${used.slug}-not-ignored`,
      requirement: 'WIRE-12',
      title: `\`${used.slug.replaceAll('-', '_')}\`: refused by name, or seen in the answer`,
      run: (t) => refusedOrSeen(t, used),
    }),
  ),
  ...mediaCases,
  defineCase({
    id: 'wire.unknown-field',
    requirement: 'WIRE-23',
    title: 'a field that the format does not know',
    async run(t) {
      const exchange = await post(t, { ...validBody(t), touchstone_unknown: true })
      t.expect(exchange, status(400), named(['touchstone_unknown']))
    },
  }),
]
