// What is told of tokens, and done to them: log probabilities (WIRE-19) and `logit_bias` (WIRE-20).
import { Buffer } from 'node:buffer'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { readStream } from '../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { property } from '../../generate/property.ts'
import { choicesOf } from '../../../harness/verify/verify-completion.ts'
import type { Mismatch, Verifier } from '../../../harness/verify/verify.ts'
import { at, show } from '../../../harness/verify/json-value.ts'
import { PROMPT, answerWith, messagesOf } from '../requests/chat.ts'
import { hostileText } from '../../generate/hostile-text.ts'
import { answerEitherWay, bothWays, readsAsStream } from '../streaming/answers.ts'
import { textOf } from './json.ts'

/** Text whose tokens have one to four bytes. */
const TEXT = 'A stone, \u00E9t\u00E9 \u4E2D\u6587 \u{1F600}.'

/** The entries of the first choice, in order; undefined where there is no list of them. */
function entriesOf(exchange: Exchange): readonly unknown[] | undefined {
  if (!readsAsStream(exchange)) {
    const entries = at(choicesOf(json(exchange))[0], 'logprobs', 'content')
    return Array.isArray(entries) ? entries : undefined
  }
  const lists = readStream(exchange)
    .chunks.flatMap((chunk) => choicesOf(chunk))
    .filter((choice) => (at(choice, 'index') ?? 0) === 0)
    .map((choice) => at(choice, 'logprobs', 'content'))
    .filter((list) => Array.isArray(list))
  return lists.length === 0 ? undefined : lists.flat()
}

/** Holds every entry against one expectation. There is at least one where there is text. */
function eachEntry(judge: (entry: unknown, path: string) => Mismatch | undefined): Verifier {
  return (exchange) => {
    const entries = entriesOf(exchange)
    if (entries === undefined || (entries.length === 0 && textOf(exchange) !== ''))
      return { expected: 'logprobs.content, an entry for each token', actual: show(entries) }
    for (const [place, entry] of entries.entries()) {
      const mismatch = judge(entry, `logprobs.content[${place}]`)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
}

/** A token, its log probability, and its bytes. */
function tokenMismatch(entry: unknown, path: string): Mismatch | undefined {
  const [token, logprob, bytes] = [at(entry, 'token'), at(entry, 'logprob'), at(entry, 'bytes')]
  if (typeof token !== 'string') return { expected: `${path}.token, a string`, actual: show(token) }
  if (typeof logprob !== 'number' || logprob > 0)
    return { expected: `${path}.logprob, a number of at most 0`, actual: show(logprob) }
  const isByte = (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255
  if (bytes === null || (Array.isArray(bytes) && bytes.every(isByte))) return undefined
  return { expected: `${path}.bytes, a list of bytes or null`, actual: show(bytes) }
}

/**
 * Every entry is of the form, and so is every candidate: at most `asked` of them, from the most likely down. Where no
 * number was asked for, there may be any.
 */
function entryForms(asked: number | undefined): Verifier {
  return eachEntry((entry, path) => {
    const own = tokenMismatch(entry, path)
    if (own !== undefined) return own
    const top = at(entry, 'top_logprobs')
    // Where none were asked for there need be none.
    if ((asked ?? 0) === 0 && (top ?? null) === null) return undefined
    if (!Array.isArray(top) || top.length > (asked ?? Infinity))
      return {
        expected: `${path}.top_logprobs, ${asked === undefined ? 'a list' : `at most ${asked}`}`,
        actual: show(top),
      }
    for (const [place, candidate] of top.entries()) {
      const mismatch = tokenMismatch(candidate, `${path}.top_logprobs[${place}]`)
      if (mismatch !== undefined) return mismatch
    }
    const values = top.map((candidate) => Number(at(candidate, 'logprob')))
    const falls = values.every((value, place) => place === 0 || value <= Number(values[place - 1]))
    return falls ? undefined : { expected: `${path}.top_logprobs in falling order`, actual: show(values) }
  })
}

/** The bytes of all entries (the tokens, where bytes are null) are the content. */
const entriesMakeContent: Verifier = (exchange) => {
  const pieces = (entriesOf(exchange) ?? []).map((entry) => {
    const bytes = at(entry, 'bytes')
    return Array.isArray(bytes) ? Buffer.from(bytes) : Buffer.from(String(at(entry, 'token')))
  })
  const joined = Buffer.concat(pieces)
  const content = textOf(exchange)
  if (joined.equals(Buffer.from(content))) return undefined
  return { expected: `entries that make ${show(content)}`, actual: show(joined.toString()) }
}

async function answerWithLogprobs(
  t: CaseContext,
  { content = TEXT, top, streamed }: { content?: string; top: number | undefined; streamed: boolean },
): Promise<Exchange> {
  await t.target.requireField('logprobs')
  if (top !== undefined) await t.target.requireField('top_logprobs')
  const request = {
    messages: messagesOf(content),
    logprobs: true,
    ...(top === undefined ? {} : { top_logprobs: top }),
  }
  return answerEitherWay(t, request, streamed)
}

const logprobCases = bothWays.flatMap(({ slug, title, streamed }) => [
  ...[undefined, 0, 2].map((top) =>
    defineCase({
      id: `wire.logprobs-${top === undefined ? 'alone' : `top-${top}`}${slug}`,
      requirement: 'WIRE-19',
      title: `\`logprobs\` ${top === undefined ? 'alone' : `with \`top_logprobs\`: ${top}`}${title}`,
      run: async (t) => t.expect(await answerWithLogprobs(t, { top, streamed }), entryForms(top)),
    }),
  ),
  defineCase({
    id: `wire.logprobs-make-content${slug}`,
    requirement: 'WIRE-19',
    title: `the bytes of \`logprobs\` joined are the content${title}`,
    run: async (t) => t.expect(await answerWithLogprobs(t, { top: undefined, streamed }), entriesMakeContent),
  }),
])

export const tokenCases: readonly Case[] = [
  ...logprobCases,
  defineCase({
    id: 'wire.logprobs-make-any-content',
    requirement: 'WIRE-19',
    title: 'the bytes of `logprobs` joined are the content, of any text that is echoed',
    async run(t) {
      await t.target.requireEcho()
      await property(t, hostileText(40), async (content) => {
        const exchange = await answerWithLogprobs(t, { content, top: undefined, streamed: false })
        t.expect(exchange, entriesMakeContent)
      })
    },
  }),
  ...bothWays.map(({ slug, title, streamed }) =>
    defineCase({
      id: `wire.logit-bias-removes${slug}`,
      requirement: 'WIRE-20',
      title: `\`logit_bias\`: −100 removes a token${title}`,
      async run(t: CaseContext) {
        await t.target.requireField('logit_bias')
        const { token } = t.target
        if (token === undefined)
          t.notApplicable('no token id is known (`token` in the config file names one)')
        const messages = messagesOf(`Say: ${token.text} ${token.text}${token.text}, then stop.`)
        const request = { messages, logit_bias: { [token.id]: -100 } }
        const exchange = await answerEitherWay(t, request, streamed)
        const text = textOf(exchange)
        // A model may spell the text with other tokens; where the tokens are reported, they decide.
        t.assert(
          !text.includes(token.text) || !(await t.target.echoes()),
          { expected: `text without ${show(token.text)}`, actual: show(text) },
          exchange,
        )
      },
    }),
  ),
  ...[-100, 100].map((bias) =>
    defineCase({
      id: `wire.logit-bias-${bias < 0 ? 'least' : 'most'}`,
      requirement: 'WIRE-20',
      title: `\`logit_bias\`: ${bias} is in the range`,
      async run(t) {
        await t.target.requireField('logit_bias')
        await answerWith(t, { messages: messagesOf(PROMPT), logit_bias: { '0': bias } })
      },
    }),
  ),
]
