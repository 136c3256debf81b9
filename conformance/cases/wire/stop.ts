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
import { requireNoMarkup } from '../conversation/markup.ts'

/** The text does not hold a stop string. */
function textWithout(stop: string): Verifier {
  return (exchange) => {
    const content = contentOf(exchange) ?? ''
    if (!content.includes(stop)) return undefined
    return { expected: `text without ${show(stop)}`, actual: show(content) }
  }
}

/** Sends a text and its stop strings to a model that echoes, and verifies that the echo ends at `wanted`. */
async function stopsAt(
  t: CaseContext,
  text: string,
  stop: string | readonly string[],
  wanted: string,
): Promise<void> {
  const messages = messagesOf(text)
  const exchange = await answerWith(t, { messages, stop })
  const due = endsAt(wanted)
  const survives = async (): Promise<boolean> => contentOf(await answerWith(t, { messages })) === text
  // A text that does not survive by itself is CHAT-8's to judge.
  if (due(exchange, t.target) !== undefined && !(await survives()))
    t.inconclusive('the text does not survive without `stop` either, which CHAT-8 judges')
  t.expect(exchange, due)
}

/** Texts, what they are stopped at, and what is then left of them. */
const stopped: Readonly<
  Record<string, readonly [title: string, text: string, stop: string | readonly string[], wanted: string]>
> = {
  word: ['a word', 'one two three', 'two', 'one '],
  list: ['a list of one', 'one two three', ['two'], 'one '],
  four: ['the second of four', 'one two three', ['six', 'two', 'ten', 'nine'], 'one '],
  third: ['the third of four', 'one two three', ['six', 'ten', 'two', 'nine'], 'one '],
  last: ['the last of four', 'one two three', ['six', 'ten', 'nine', 'two'], 'one '],
  'first-of-two': ['two in the text', 'one two three', ['three', 'two'], 'one '],
  character: ['one character', 'one,two', ',', 'one'],
  pattern: ['the characters of a pattern', 'one two .* three', '.*', 'one two '],
  'line-end': ['a line end', 'one\ntwo', '\n', 'one'],
  astral: ['a character beyond the basic plane', 'one \u{1F600} two', '\u{1F600}', 'one '],
  start: ['the start of the text', 'one two', 'one', ''],
  end: ['the end of the text', 'one two', 'two', 'one '],
  'repeated-prefix': ['a start that is met twice', 'aaab c', 'aab', 'a'],
  absent: ['a word that does not come', 'one two', 'three', 'one two'],
}

export const stopCases: readonly Case[] = [
  ...Object.entries(stopped).map(([slug, [title, text, stop, wanted]]) =>
    defineCase(`wire.stop-${slug}`, 'WIRE-8', `\`stop\`: ${title}`, async (t) => {
      await t.target.requireField('stop')
      await t.target.requireEcho()
      await stopsAt(t, text, stop, wanted)
    }),
  ),
  defineCase('wire.stop-anywhere', 'WIRE-8', '`stop`: any word, anywhere in a text', async (t) => {
    await t.target.requireField('stop')
    await t.target.requireEcho()
    const unit = fc.constantFrom('a', 'b', ' ', '\u00E9', '\u{1F600}')
    const request = fc.record({
      text: fc.string({ unit, minLength: 1, maxLength: 40 }),
      stop: fc.string({ unit, minLength: 1, maxLength: 3 }),
    })
    await property(t, request, async ({ text, stop }) => {
      await stopsAt(t, text, stop, text.split(stop)[0] ?? '')
    })
  }),
  defineCase('wire.stop-finish-reason', 'WIRE-8', '`stop`: the finish reason', async (t) => {
    await t.target.requireField('stop')
    await t.target.requireEcho()
    const exchange = await answerWith(t, { messages: messagesOf('one two three'), stop: 'two' })
    t.expect(exchange, finishedBy('stop'))
  }),
  defineCase('wire.stop-not-returned', 'WIRE-8', '`stop`: not in the text of any model', async (t) => {
    await t.target.requireField('stop')
    const exchange = await answerWith(t, { messages: messagesOf('Say: a b c d e f g'), stop: ['c', 'e'] })
    requireNoMarkup(t, exchange)
    t.expect(exchange, textWithout('c'), textWithout('e'))
  }),
]

/** The text ends here. Empty text may be null. */
function endsAt(wanted: string): Verifier {
  return (exchange, target) => {
    const nothing = wanted === '' && contentOf(exchange) === undefined && choicesOf(json(exchange)).length > 0
    return nothing ? undefined : sameText(wanted)(exchange, target)
  }
}
