// `stop` ends the text before the stop string (WIRE-8): in an echo, or in a text that the model always gives.
import fc from 'fast-check'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import { property } from '../../../../generate/property.ts'
import { choicesOf, contentOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Mismatch, Verifier } from '../../../../../harness/verify/verify.ts'
import { show } from '../../../../../harness/json-value.ts'
import { textsOf } from '../requests/asked.ts'
import { answerWith, finishedBy, messagesOf } from '../requests/chat-calls.ts'
import { type KnownText, examplesFor, knownText, partOf } from '../requests/known-text.ts'
import { sameText } from '../chat/chat-text.ts'
import { requireNoMarkup } from '../requests/markup.ts'

/** No text of the answer, plain or streamed, contains this stop string. */
export function textWithout(stop: string): Verifier {
  return (exchange) => {
    const content = textsOf(exchange).find((text) => text.includes(stop))
    return content === undefined ? undefined : unstopped(content.slice(content.indexOf(stop)), stop)
  }
}

/** The mismatch of a text that goes on with `rest` instead of its end. */
function unstopped(rest: string, stop: Stop): Mismatch {
  const stops = [stop].flat()
  const does = stops.some((each) => rest.startsWith(each)) ? 'with' : 'after'
  return {
    expected: `text that ends before the stop string ${stops.map(show).join(' or ')}`,
    actual: `text that goes on ${does} the stop string: ${show(rest)}`,
  }
}

type Stop = string | readonly string[]

/** The text before the first stop string. */
export function endedBy(text: string, stop: Stop): string {
  const places = [stop].flat().map((one) => text.indexOf(one))
  return text.slice(0, Math.min(text.length, ...places.filter((place) => place >= 0)))
}

/** Repeats the request of a known text with stop strings, and verifies the end of the answer. */
async function stopsAt(t: CaseContext, { request, text }: KnownText, stop: Stop): Promise<void> {
  const wanted = endedBy(text, stop)
  const due = endsAt(wanted, wanted === text ? undefined : stop)
  const exchange = await answerWith(t, { ...request, stop })
  if (due(exchange, t.target) !== undefined) {
    if (contentOf(await answerWith(t, request)) !== text)
      t.inconclusive('the text without `stop` is not always the same, which CHAT-8 judges of an echo')
    const got = contentOf(exchange) ?? ''
    const isOther = !got.startsWith(wanted) && !wanted.startsWith(got)
    if (isOther && !(await t.target.echoes()))
      t.inconclusive('with `stop` the model says something else from the start')
  }
  t.expect(exchange, due)
}

/** The words of a text, each of at least two characters. */
const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]{2,}/gu) ?? []

/** A word from the middle of a text. */
function innerWord(text: string): string | undefined {
  const words = wordsOf(text)
  return words[Math.floor(words.length / 2)]
}

/** A stop string that the text has, among others that it does not have, at this place. */
function amongOthers(
  place: number,
  others: readonly string[],
): (text: string) => readonly string[] | undefined {
  return (text) => {
    const word = innerWord(text)
    const absent = others.filter((other) => !text.includes(other))
    return word === undefined ? undefined : absent.toSpliced(place, 0, word)
  }
}

const found =
  (part: RegExp): ((text: string) => string | undefined) =>
  (text) =>
    part.exec(text)?.[0]

/** Stop strings for an echo of the second member, or for any other text that has such a part. */
const stopped: Variants<[echoed: string, stop: (text: string) => Stop | undefined]> = {
  word: ['a word', 'one two three', innerWord],
  list: ['a list of one', 'one two three', amongOthers(0, [])],
  four: ['the second of four', 'one two three', amongOthers(1, ['six', 'ten', 'nine'])],
  third: ['the third of four', 'one two three', amongOthers(2, ['six', 'ten', 'nine'])],
  last: ['the last of four', 'one two three', amongOthers(3, ['six', 'ten', 'nine'])],
  'first-of-two': [
    'two in the text',
    'one two three',
    (text) => {
      const words = wordsOf(text)
      const [middle, last] = [innerWord(text), words.at(-1)]
      return middle === undefined || last === undefined || middle === last ? undefined : [last, middle]
    },
  ],
  character: ['one character', 'one,two', found(/(?<=.)[^\p{L}\p{N}]/su)],
  pattern: ['the characters of a pattern', 'one two .* three', () => '.*'],
  'line-end': ['a line end', 'one\ntwo', found(/\n/)],
  astral: ['a character beyond the basic plane', 'one \u{1F600} two', found(/[\u{10000}-\u{10FFFF}]/u)],
  start: ['the start of the text', 'one two', found(/^\S+/u)],
  end: ['the end of the text', 'one two', found(/[\p{L}\p{N}]+$/u)],
  // A search that starts again after the wrong character, and not within the text before it, misses it.
  'repeated-prefix': ['a start that is met twice', 'aaab c', found(/(?<=(\S))\1+(?!\1)\S/u)],
  absent: ['a word that does not come', 'one two', (text) => (text.includes('quux') ? undefined : 'quux')],
}

export const stopCases: readonly Case[] = [
  ...checkEach('wire.stop-*', 'WIRE-8', '`stop`: *', stopped).run(async (t, echoed, stopIn) => {
    await t.target.requireField('stop')
    const known = await knownText(t, echoed)
    const stop = stopIn(known.text)
    if (stop === undefined) return t.notApplicable('the text that the model always gives has no such part')
    await stopsAt(t, known, stop)
  }),
  check('wire.stop-anywhere', 'WIRE-8', '`stop`: any word, anywhere in a text').run(async (t) => {
    await t.target.requireField('stop')
    if (await t.target.echoes()) {
      const unit = fc.constantFrom('a', 'b', ' ', '\u00E9', '\u{1F600}')
      const request = fc.record({
        text: fc.string({ unit, minLength: 1, maxLength: 40 }),
        stop: fc.string({ unit, minLength: 1, maxLength: 3 }),
      })
      return property(t, request, async ({ text, stop }) => stopsAt(t, await knownText(t, text), stop))
    }
    const known = await knownText(t, '')
    const runs = await examplesFor(t)
    await property(t, partOf(known.text), (stop) => stopsAt(t, known, stop), { runs })
  }),
  check('wire.stop-finish-reason', 'WIRE-8', '`stop`: the finish reason').run(async (t) => {
    await t.target.requireField('stop')
    const { request, text } = await knownText(t, 'one two three')
    const stop = innerWord(text)
    if (stop === undefined) return t.notApplicable('the text that the model always gives has no word')
    const exchange = await answerWith(t, { ...request, stop })
    if (contentOf(exchange) !== endedBy(text, stop) && !(await t.target.echoes()))
      t.inconclusive('the text is not stopped there, which `wire.stop-word` judges')
    t.expect(exchange, finishedBy('stop'))
  }),
  check('wire.stop-not-returned', 'WIRE-8', '`stop`: not in the text of any model').run(async (t) => {
    await t.target.requireField('stop')
    const exchange = await answerWith(t, { messages: messagesOf('Say: a b c d e f g'), stop: ['c', 'e'] })
    requireNoMarkup(t, exchange)
    t.expect(exchange, textWithout('c'), textWithout('e'))
  }),
]

/** The text ends here, at the stop string if there is one. Empty text may be null. */
function endsAt(wanted: string, stop: Stop | undefined): Verifier {
  return (exchange, target) => {
    const nothing = wanted === '' && contentOf(exchange) === undefined && choicesOf(json(exchange)).length > 0
    const got = contentOf(exchange) ?? ''
    if (stop !== undefined && got !== wanted && got.startsWith(wanted))
      return unstopped(got.slice(wanted.length), stop)
    return nothing ? undefined : sameText(wanted)(exchange, target)
  }
}
