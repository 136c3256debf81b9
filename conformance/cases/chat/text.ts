// Text survives unchanged in both directions (CHAT-8). A model that echoes returns what was sent; of another model, the
// count of prompt tokens shows whether the text was read whole, and alike in each form that JSON has for it.
import { hostileText } from '../../generate/hostile-text.ts'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { property } from '../../generate/property.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { contentOf } from '../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { at, show } from '../../../harness/verify/json-value.ts'
import { HALVES, isSuccess, plainAnswer, postRaw, succeeded } from '../requests/chat.ts'
import { examplesFor } from '../requests/known-text.ts'
import type { TokenBound } from '../../target/target.ts'
import { notServerError } from './hostile-bodies.ts'

/** The longest text that has to survive, in bytes of UTF-8. */
const LONGEST_TEXT_BYTES = 64 * 1024

/** The shortest text that is tried where longer ones are refused, in bytes of UTF-8. */
const LEAST_LONG_TEXT_BYTES = 1024

/** Text shown on either side of the first difference between two texts, in UTF-16 units. */
const SHOWN_AROUND = 20

/** The text of the first choice is this one. */
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
async function ask(t: CaseContext, literal: string, bound: TokenBound = {}): Promise<Exchange> {
  const members = { model: t.target.model, ...bound }
  const body = `${JSON.stringify(members).slice(0, -1)},"messages":[{"role":"user","content":${literal}}]}`
  return postRaw(t, body)
}

/** The text reaches the model: an echo is the text, and another model reads all of it. */
async function survives(t: CaseContext, text: string, literal: string = JSON.stringify(text)): Promise<void> {
  if (!(await t.target.echoes())) return readWhole(t, text, literal)
  t.expect(await ask(t, literal), succeeded, sameText(text))
}

/** Words after a text: fewer prompt tokens show that it was cut before them. */
const TAIL = ' and then come twelve more words that only a whole text has'
const TAIL_TOKENS = 6

/** The text has as many prompt tokens in another JSON form, and more with words behind it. */
async function readWhole(t: CaseContext, text: string, literal: string): Promise<void> {
  const bound = await t.target.brief(1)
  const count = async (written: string): Promise<readonly [number, Exchange]> => {
    const exchange = await ask(t, written, bound)
    if (!isSuccess(exchange)) await plainAnswer(t)
    t.expect(exchange, succeeded)
    const tokens = at(json(exchange), 'usage', 'prompt_tokens')
    if (typeof tokens !== 'number') return t.notApplicable('the answer has no `usage.prompt_tokens`')
    return [tokens, exchange]
  }
  const [own] = await count(literal)
  const [longer, cut] = await count(JSON.stringify(text + TAIL))
  t.assert(
    longer >= own + TAIL_TOKENS,
    { expected: `prompt_tokens above ${own} with ${show(TAIL)} behind the text`, actual: String(longer) },
    cut,
  )
  const [same, other] = await count(escaped(text))
  // An estimate from the length of the body differs for any text.
  if (same !== own && (await count('"hello"'))[0] !== (await count(escaped('hello')))[0])
    t.inconclusive('`prompt_tokens` depends on how JSON writes a text')
  t.assert(
    same === own,
    { expected: `prompt_tokens ${own}, as of the same text in another JSON form`, actual: String(same) },
    other,
  )
}

/** A text of so many bytes of UTF-8. */
function longText(bytes: number): string {
  const line = 'a\u00E9\u4E2D\u{1F600} 0123456789\n'
  const lines = line.repeat(Math.floor(bytes / Buffer.byteLength(line)))
  return lines.padEnd(lines.length + bytes - Buffer.byteLength(lines), '.')
}

/** A long text may be refused with these, because the specification names no size. */
function isTooLong({ response }: Exchange): boolean {
  return response.status === 400 || response.status === 413
}

/** Text that is often changed on its way, each by another kind of fault. */
const texts: Readonly<Record<string, readonly [title: string, text: string]>> = {
  nul: ['NUL', 'a\u0000b'],
  'control-characters': [
    'every control character',
    `a${String.fromCharCode(...Array.from({ length: 0x20 }, (_, code) => code))}\u007F\u0080\u009Fz`,
  ],
  'line-ends': ['CR, LF, CRLF, NEL, U+2028 and U+2029', 'a\rb\nc\r\nd\u0085e\u2028f\u2029g\n\nh'],
  'outer-white-space': ['white space on both sides', ' \t\n a b \u00A0\u3000\n'],
  astral: ['characters beyond the basic plane', 'a\u{1F600}b\u{1D11E}c\u{10FFFF}d'],
  combining: ['combining and precomposed forms', 'e\u0301 \u00E9 \u212B A\u030A \u1112\u1161\u11AB'],
  'joined-emoji': ['emoji joined by U+200D', '\u{1F469}\u{1F3FD}\u200D\u{1F4BB}\uFE0F'],
  bidi: [
    'text in both directions and its marks',
    'a \u202Eb\u202C \u0634\u0643\u0631 \u2067\u05D0\u2069 \u200F',
  ],
  'byte-order-mark': ['U+FEFF at the start', '\uFEFFa\uFEFF'],
  noncharacters: ['noncharacters and U+FFFD', 'a\uFFFE\uFFFF\uFDD0\u{1FFFE}\uFFFDz'],
  'escapes-in-text': ['text that looks like escapes', String.raw`\n \u0041 \" \\ %41 &amp; \0`],
  'markup-in-text': ['text that looks like markup', '<b>&lt;</b> <|im_end|> </s> {{x}} ${x}'],
  'records-in-text': ['text that looks like JSON and records', '{"a":[1]}\n\ndata: [DONE]\n\n'],
}

export const textCases: readonly Case[] = [
  ...Object.entries(texts).map(([slug, [title, text]]) =>
    defineCase(`chat.echo-${slug}`, 'CHAT-8', title, (t) => survives(t, text)),
  ),
  defineCase('chat.echo-unicode', 'CHAT-8', 'any well-formed Unicode', async (t) => {
    const runs = await examplesFor(t)
    await property(t, hostileText(200), (text) => survives(t, text), { runs })
  }),
  defineCase(
    'chat.echo-json-escapes',
    'CHAT-8',
    'text that is written in JSON escapes throughout',
    async (t) => {
      const text = 'Az/ \u00E9\u4E2D\u{1F600}\n"\\'
      await survives(t, text, escaped(text))
      await survives(t, '/\b\f\n\r\t"\\', String.raw`"\/\b\f\n\r\t\"\\"`)
    },
  ),
  defineCase('chat.echo-64-kib', 'CHAT-8', '64 KiB of text, or the longest that is accepted', async (t) => {
    await t.target.requireEcho()
    for (let bytes = LONGEST_TEXT_BYTES; bytes >= LEAST_LONG_TEXT_BYTES; bytes /= 2) {
      const text = longText(bytes)
      const exchange = await ask(t, JSON.stringify(text))
      if (isTooLong(exchange)) continue
      t.expect(exchange, succeeded, sameText(text))
      return
    }
    t.notApplicable(`texts of ${LEAST_LONG_TEXT_BYTES} bytes and more are refused`)
  }),
  defineCase('chat.lone-surrogates', 'CHAT-8', 'half of a surrogate pair', async (t) => {
    for (const half of HALVES) t.expect(await ask(t, JSON.stringify(half)), notServerError)
  }),
]
