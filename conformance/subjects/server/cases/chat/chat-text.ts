// Text survives unchanged in both directions (CHAT-8). A model that echoes returns what was sent; another one answers a
// text and what a fault would make of it in two ways.
import { hostileText } from '../../../../generate/hostile-text.ts'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { property } from '../../../../generate/property.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { choicesOf, contentOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { HALVES, isSuccess, plainAnswer, postRaw, steadyMembers, succeeded } from '../requests/chat-calls.ts'
import { examplesFor } from '../requests/known-text.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { notServerError } from './hostile-bodies.ts'

/** The longest text that has to survive, in bytes of UTF-8. */
const LONGEST_TEXT_BYTES = 64 * 1024

/** The shortest text that is tried where longer ones are refused, in bytes of UTF-8. */
const LEAST_LONG_TEXT_BYTES = 1024

/** Text shown on either side of the first difference between two texts, in UTF-16 units. */
const SHOWN_AROUND = 20

export function sameText(wanted: string): Verifier {
  return (exchange) => {
    const got = contentOf(exchange)
    if (got === wanted) return undefined
    if (got === undefined) return { expected: `the text ${show(wanted)}`, actual: 'no text' }
    let place = 0
    while (wanted[place] === got[place]) place++
    const around = (text: string): string =>
      show(text.slice(Math.max(0, place - SHOWN_AROUND), place + SHOWN_AROUND))
    return {
      expected: `${around(wanted)} around character ${place} of ${wanted.length}`,
      actual: `${around(got)}, ${got.length} characters in all`,
    }
  }
}

/** Writes every UTF-16 unit of a text as a JSON escape: `\u0041`. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

/** Sends a text, written in JSON as `literal`, to the model. */
async function ask(t: CaseContext, literal: string, more: Members = {}): Promise<Exchange> {
  const members = { model: t.target.model, ...more }
  const body = `${JSON.stringify(members).slice(0, -1)},"messages":[{"role":"user","content":${literal}}]}`
  return postRaw(t, body)
}

async function echo(t: CaseContext, text: string, literal: string = JSON.stringify(text)): Promise<void> {
  t.expect(await ask(t, literal), succeeded, sameText(text))
}

/** The prompt tokens of a text, and its answer: what two texts differ in if the model reads them as two. */
async function readingOf(t: CaseContext, literal: string): Promise<{ exchange: Exchange; reading: string }> {
  const exchange = await ask(t, literal, { ...(await steadyMembers(t)), ...(await t.target.brief()) })
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded)
  return {
    exchange,
    reading: `${show(contentOf(exchange))}, prompt_tokens ${show(at(json(exchange), 'usage', 'prompt_tokens'))}`,
  }
}

/**
 * A model that does not echo distinguishes a text from its form after a fault. If it does not, the row is not judged: its
 * template may trim texts, and its tokenizer may normalise them.
 */
async function isDistinguished(t: CaseContext, text: string, changed: readonly string[]): Promise<void> {
  await t.target.requireDeterministic()
  const { reading } = await readingOf(t, JSON.stringify(text))
  for (const other of changed)
    if ((await readingOf(t, JSON.stringify(other))).reading === reading)
      t.notApplicable(`the model reads ${show(text)} as ${show(other)}, which its own template may cause`)
}

/** Two JSON forms of a text are the same text to a model that does not echo. */
async function isReadAlike(t: CaseContext, text: string, literal: string): Promise<void> {
  await t.target.requireDeterministic()
  const own = await readingOf(t, JSON.stringify(text))
  const other = await readingOf(t, literal)
  // The answer may change for another reason, and the count may be an estimate from the length of the body.
  if (own.reading !== other.reading) {
    const again = await readingOf(t, JSON.stringify(text))
    const [plain, escapes] = [await readingOf(t, '"hello"'), await readingOf(t, escaped('hello'))]
    if (again.reading !== own.reading || plain.reading !== escapes.reading)
      t.inconclusive('the readings of the same text differ from each other')
  }
  t.assert(
    own.reading === other.reading,
    { expected: `${own.reading}, as for the same text in another JSON form`, actual: other.reading },
    other.exchange,
  )
}

/** A text whose length is `bytes` bytes of UTF-8. */
function longText(bytes: number): string {
  const line = 'a\u00E9\u4E2D\u{1F600} 0123456789\n'
  const lines = line.repeat(Math.floor(bytes / Buffer.byteLength(line)))
  return lines.padEnd(lines.length + bytes - Buffer.byteLength(lines), '.')
}

/** Whether the service ended the answer by a bound of its own, which the request did not state: that shows nothing about the text. */
function isCutByDefault(exchange: Exchange, text: string): boolean {
  const [choice] = choicesOf(json(exchange))
  return at(choice, 'finish_reason') === 'length' && text.startsWith(contentOf(exchange) ?? text)
}

/** A long text may be refused with these, because the specification names no size. */
const isTooLong = ({ response }: Exchange): boolean => response.status === 400 || response.status === 413

/** Text that is often changed on its way, each by another kind of fault, and what that makes of it. */
const texts: Variants<[text: string, ...changed: readonly string[]]> = {
  nul: ['NUL', 'a\u0000b', 'ab', 'a'],
  'control-characters': [
    'every control character',
    `a${String.fromCharCode(...Array.from({ length: 0x20 }, (_, code) => code))}\u007F\u0080\u009Fz`,
    'az',
  ],
  'line-ends': [
    'CR, LF, CRLF, NEL, U+2028 and U+2029',
    'a\rb\nc\r\nd\u0085e\u2028f\u2029g\n\nh',
    'ab\nc\nd\u0085e\u2028f\u2029g\n\nh',
  ],
  'outer-white-space': ['white space on both sides', ' \t\n a b \u00A0\u3000\n', 'a b'],
  astral: [
    'characters beyond the basic plane',
    'a\u{1F600}b\u{1D11E}c\u{10FFFF}d',
    'a\uFFFDb\uFFFDc\uFFFDd',
    'a?b?c?d',
  ],
  combining: [
    'combining and precomposed forms',
    'e\u0301 \u00E9 \u212B A\u030A \u1112\u1161\u11AB',
    '\u00E9 \u00E9 \u00C5 \u00C5 \uD55C',
  ],
  'joined-emoji': [
    'emoji joined by U+200D',
    '\u{1F469}\u{1F3FD}\u200D\u{1F4BB}\uFE0F',
    '\u{1F469}\u{1F3FD}\u{1F4BB}',
  ],
  bidi: [
    'text in both directions and its marks',
    'a \u202Eb\u202C \u0634\u0643\u0631 \u2067\u05D0\u2069 \u200F',
    'a b \u0634\u0643\u0631 \u05D0 ',
  ],
  'byte-order-mark': ['U+FEFF at the start', '\uFEFFa\uFEFF', 'a\uFEFF', 'a'],
  noncharacters: ['noncharacters and U+FFFD', 'a\uFFFE\uFFFF\uFDD0\u{1FFFE}\uFFFDz', 'a\uFFFDz'],
  'escapes-in-text': [
    'text that looks like escapes',
    String.raw`\n \u0041 \" \\ %41 &amp; \0`,
    '\n A " \\ %41 &amp; \u0000',
    '\n \\u0041 \\" \\\\ %41 &amp; \\0',
  ],
  'markup-in-text': [
    'text that looks like markup',
    '<b>&lt;</b> <|im_end|> </s> {{x}} ${x}',
    '&lt;b&gt;&amp;lt;&lt;/b&gt; &lt;|im_end|&gt; &lt;/s&gt; {{x}} ${x}',
  ],
  'records-in-text': ['text that looks like JSON and records', '{"a":[1]}\n\ndata: [DONE]\n\n', '{"a":[1]}'],
}

export const textCases: readonly Case[] = [
  ...checkEach('chat.echo-*', 'CHAT-8', '*', texts).run(async (t, text, ...changed) =>
    (await t.target.echoes()) ? echo(t, text) : isDistinguished(t, text, changed),
  ),
  check('chat.echo-unicode', 'CHAT-8', 'any well-formed Unicode').run(async (t) => {
    const [echoes, runs] = [await t.target.echoes(), await examplesFor(t)]
    const judge = (text: string): Promise<void> =>
      echoes ? echo(t, text) : isReadAlike(t, text, escaped(text))
    await property(t, hostileText(200), judge, { runs })
  }),
  check('chat.echo-json-escapes', 'CHAT-8', 'text that is written in JSON escapes throughout').run(
    async (t) => {
      const text = 'Az/ \u00E9\u4E2D\u{1F600}\n"\\'
      const judge = (await t.target.echoes()) ? echo : isReadAlike
      await judge(t, text, escaped(text))
      await judge(t, '/\b\f\n\r\t"\\', String.raw`"\/\b\f\n\r\t\"\\"`)
    },
  ),
  check('chat.echo-64-kib', 'CHAT-8', '64 KiB of text, or the longest that is accepted').run(async (t) => {
    await t.target.requireEcho()
    for (let bytes = LONGEST_TEXT_BYTES; bytes >= LEAST_LONG_TEXT_BYTES; bytes /= 2) {
      const text = longText(bytes)
      const exchange = await ask(t, JSON.stringify(text))
      if (isTooLong(exchange) || isCutByDefault(exchange, text)) continue
      t.expect(exchange, succeeded, sameText(text))
      return
    }
    t.notApplicable(`texts of ${LEAST_LONG_TEXT_BYTES} bytes and more are refused, or cut by a default`)
  }),
  check('chat.lone-surrogates', 'CHAT-8', 'half of a surrogate pair').run(async (t) => {
    for (const half of HALVES) t.expect(await ask(t, JSON.stringify(half)), notServerError)
  }),
]
