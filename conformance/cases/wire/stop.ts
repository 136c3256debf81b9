// `stop` ends the text before the stop string (WIRE-8), exactly on a model that echoes.
import fc from 'fast-check'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { json } from '../../../harness/http/exchange.ts'
import { property } from '../../generate/property.ts'
import { choicesOf, contentOf } from '../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { show } from '../../../harness/verify/json-value.ts'
import { answerWith, finishedBy, messagesOf } from '../requests/chat.ts'
import { sameText } from '../chat/text.ts'

/** The text does not hold a stop string. */
function textWithout(stop: string): Verifier {
  return (exchange) => {
    const content = contentOf(exchange) ?? ''
    return content.includes(stop)
      ? { expected: `text without ${show(stop)}`, actual: show(content) }
      : undefined
  }
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

export const stopCases: readonly Case[] = [
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
