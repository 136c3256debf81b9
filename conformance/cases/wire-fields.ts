// What the fields of a request do where they are supported: `n`, token limits, `stop` and `seed` (WIRE-6, 7, 8, 14).
import fc from 'fast-check'
import { type Case, type CaseContext, defineCase } from '../case.ts'
import { type Exchange, json } from '../probe.ts'
import { property } from '../property.ts'
import { choicesOf, contentOf } from '../verify-completion.ts'
import { type Verifier, at, show } from '../verify.ts'
import { PROMPT, messagesOf, succeeded } from './chat-requests.ts'
import { sameText } from './chat-text.ts'
import { steadyMembers } from './streaming-parity.ts'

/** Asks any model for an answer of many tokens. */
export const LONG_PROMPT =
  'Count from 1 to 100 in words, each number on its own line, and write nothing else.'

/** The limits that are tried, in tokens. */
const TOKENS = [1, 5] as const

/** No token of any vocabulary is longer than this in text, in characters. */
const LONGEST_TOKEN = 128

/** Sends a request with a supported field: it must be answered. */
export async function answerWith(
  t: CaseContext,
  members: Readonly<Record<string, unknown>>,
): Promise<Exchange> {
  const exchange = await t.chat(members)
  t.expect(exchange, succeeded())
  return exchange
}

/** There are so many choices. */
function choiceCount(n: number): Verifier {
  return (exchange) => {
    const { length } = choicesOf(json(exchange))
    return length === n ? undefined : { expected: `${n} choices`, actual: String(length) }
  }
}

/** At most so many tokens came: by the usage where it is given, and by a bound on the length of the text. */
function atMostTokens(limit: number): Verifier {
  return (exchange) => {
    const counted = at(json(exchange), 'usage', 'completion_tokens')
    if (typeof counted === 'number' && counted > limit)
      return { expected: `at most ${limit} completion_tokens`, actual: String(counted) }
    const length = contentOf(exchange)?.length ?? 0
    if (length <= limit * LONGEST_TOKEN) return undefined
    return { expected: `the text of at most ${limit} tokens`, actual: `${length} characters` }
  }
}

/** The first choice ended for this reason. */
function finishedBy(reason: string): Verifier {
  return (exchange) => {
    const got = at(choicesOf(json(exchange))[0], 'finish_reason')
    return got === reason ? undefined : { expected: `finish_reason ${show(reason)}`, actual: show(got) }
  }
}

/** The text does not hold a stop string. */
export function textWithout(stop: string): Verifier {
  return (exchange) => {
    const content = contentOf(exchange) ?? ''
    return content.includes(stop)
      ? { expected: `text without ${show(stop)}`, actual: show(content) }
      : undefined
  }
}

const tokenLimits: readonly Case[] = (['max_tokens', 'max_completion_tokens'] as const).flatMap((field) => {
  const slug = field.replaceAll('_', '-')
  return [
    defineCase({
      id: `wire.${slug}-bound`,
      requirement: 'WIRE-7',
      title: `\`${field}\` bounds the output`,
      async run(t: CaseContext) {
        await t.target.requireField(field)
        const echoes = await t.target.echoes()
        for (const limit of TOKENS) {
          const exchange = await answerWith(t, { messages: messagesOf(LONG_PROMPT), [field]: limit })
          t.expect(exchange, atMostTokens(limit))
          const cut = contentOf(exchange) !== LONG_PROMPT
          t.assert(!echoes || cut, { expected: 'less than the whole echo', actual: 'all of it' }, exchange)
        }
      },
    }),
    defineCase({
      id: `wire.${slug}-length`,
      requirement: 'WIRE-7',
      title: `an answer that \`${field}\` cuts ends with \`length\``,
      async run(t) {
        await t.target.requireField(field)
        const whole = await longerAnswer(t, field)
        const exchange = await answerWith(t, { ...whole.request, [field]: 2 })
        // Where the limit did not cut, `wire.*-bound` judges it.
        if ((contentOf(exchange) ?? '').length >= whole.length) t.notApplicable('the answer was not cut')
        t.expect(exchange, finishedBy('length'))
      },
    }),
  ]
})

/** A request whose answer is always the same, and the length of that answer where it is cut late or never. */
async function longerAnswer(
  t: CaseContext,
  field: string,
): Promise<{ readonly request: Readonly<Record<string, unknown>>; readonly length: number }> {
  const request = { messages: messagesOf(LONG_PROMPT), ...(await steadyMembers(t)) }
  if (await t.target.echoes()) return { request, length: LONG_PROMPT.length }
  await t.target.requireDeterministic()
  const exchange = await answerWith(t, { ...request, [field]: 16 })
  return { request, length: (contentOf(exchange) ?? '').length }
}

interface StoppedText {
  readonly text: string
  readonly stop: string | readonly string[]
  readonly wanted: string
}

/** Sends a text to a model that echoes, with what it stops at, and holds what comes back against what is due. */
async function stopsAt(t: CaseContext, { text, stop, wanted }: StoppedText): Promise<void> {
  const messages = messagesOf(text)
  const exchange = await answerWith(t, { messages, stop })
  const due = endsAt(wanted)
  const survives = async (): Promise<boolean> => contentOf(await answerWith(t, { messages })) === text
  // A text that does not survive by itself is CHAT-8's to judge.
  if (due(exchange, t.target) !== undefined && !(await survives()))
    t.inconclusive('the text does not survive without `stop` either, which CHAT-8 judges')
  t.expect(exchange, due)
}

const stopped: readonly (StoppedText & { readonly slug: string; readonly title: string })[] = [
  { slug: 'word', title: 'a word', text: 'one two three', stop: 'two', wanted: 'one ' },
  { slug: 'list', title: 'a list of one', text: 'one two three', stop: ['two'], wanted: 'one ' },
  {
    slug: 'four',
    title: 'the second of four',
    text: 'one two three',
    stop: ['six', 'two', 'ten', 'nine'],
    wanted: 'one ',
  },
  {
    slug: 'first-of-two',
    title: 'two in the text',
    text: 'one two three',
    stop: ['three', 'two'],
    wanted: 'one ',
  },
  { slug: 'character', title: 'one character', text: 'one,two', stop: ',', wanted: 'one' },
  {
    slug: 'pattern',
    title: 'the characters of a pattern',
    text: 'one two .* three',
    stop: '.*',
    wanted: 'one two ',
  },
  { slug: 'line-end', title: 'a line end', text: 'one\ntwo', stop: '\n', wanted: 'one' },
  {
    slug: 'astral',
    title: 'a character beyond the basic plane',
    text: 'one \u{1F600} two',
    stop: '\u{1F600}',
    wanted: 'one ',
  },
  { slug: 'start', title: 'the start of the text', text: 'one two', stop: 'one', wanted: '' },
  { slug: 'end', title: 'the end of the text', text: 'one two', stop: 'two', wanted: 'one ' },
  { slug: 'repeated-prefix', title: 'a start that is met twice', text: 'aaab c', stop: 'aab', wanted: 'a' },
  { slug: 'absent', title: 'a word that does not come', text: 'one two', stop: 'three', wanted: 'one two' },
]

const stopCases: readonly Case[] = [
  ...stopped.map(({ slug, title, text, stop, wanted }) =>
    defineCase({
      id: `wire.stop-${slug}`,
      requirement: 'WIRE-8',
      title: `\`stop\`: ${title}`,
      async run(t) {
        await t.target.requireField('stop')
        await t.target.requireEcho()
        await stopsAt(t, { text, stop, wanted })
      },
    }),
  ),
  defineCase({
    id: 'wire.stop-anywhere',
    requirement: 'WIRE-8',
    title: '`stop`: any word, anywhere in a text',
    async run(t) {
      await t.target.requireField('stop')
      await t.target.requireEcho()
      const unit = fc.constantFrom('a', 'b', ' ', '\u00E9', '\u{1F600}')
      const request = fc.record({
        text: fc.string({ unit, minLength: 1, maxLength: 40 }),
        stop: fc.string({ unit, minLength: 1, maxLength: 3 }),
      })
      await property(t, request, async ({ text, stop }) => {
        await stopsAt(t, { text, stop, wanted: text.split(stop)[0] ?? '' })
      })
    },
  }),
  defineCase({
    id: 'wire.stop-finish-reason',
    requirement: 'WIRE-8',
    title: '`stop`: the finish reason',
    async run(t) {
      await t.target.requireField('stop')
      await t.target.requireEcho()
      const exchange = await answerWith(t, { messages: messagesOf('one two three'), stop: 'two' })
      t.expect(exchange, finishedBy('stop'))
    },
  }),
  defineCase({
    id: 'wire.stop-not-returned',
    requirement: 'WIRE-8',
    title: '`stop`: not in the text of any model',
    async run(t) {
      await t.target.requireField('stop')
      const exchange = await answerWith(t, { messages: messagesOf('Say: a b c d e f g'), stop: ['c', 'e'] })
      t.expect(exchange, textWithout('c'), textWithout('e'))
    },
  }),
]

/** The text ends here. Empty text may be null. */
function endsAt(wanted: string): Verifier {
  return (exchange, target) => {
    const nothing = wanted === '' && contentOf(exchange) === undefined && choicesOf(json(exchange)).length > 0
    return nothing ? undefined : sameText(wanted)(exchange, target)
  }
}

export const fieldCases: readonly Case[] = [
  ...[1, 2, 3].map((n) =>
    defineCase({
      id: `wire.n-${n}`,
      requirement: 'WIRE-6',
      title: `\`n\`: ${n}`,
      async run(t) {
        await t.target.requireField('n')
        t.expect(await answerWith(t, { messages: messagesOf(PROMPT), n }), choiceCount(n))
      },
    }),
  ),
  ...tokenLimits,
  ...stopCases,
  defineCase({
    id: 'wire.same-seed',
    requirement: 'WIRE-14',
    title: 'the same `seed` at temperature 0, three times',
    async run(t: CaseContext) {
      await t.target.requireField('seed')
      await t.target.requireField('temperature')
      const request = { messages: messagesOf(PROMPT), temperature: 0, seed: 1 }
      const texts = new Set<string | undefined>()
      for (let round = 0; round < 3; round++) {
        const exchange = await answerWith(t, request)
        texts.add(contentOf(exchange))
        t.assert(
          texts.size === 1,
          { expected: 'the same text each time', actual: show([...texts]) },
          exchange,
        )
      }
    },
  }),
]
