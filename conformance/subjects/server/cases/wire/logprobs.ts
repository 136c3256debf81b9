// Log probabilities of the tokens of an answer, plain and streamed (WIRE-19).
import { Buffer } from 'node:buffer'
import type { Members } from '../../../../contract/capabilities.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { property } from '../../../../generate/property.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Mismatch, Verifier } from '../../../../../harness/verify/verify.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import { messagesOf } from '../requests/chat-calls.ts'
import { hostileText } from '../../../../generate/hostile-text.ts'
import { examplesFor } from '../requests/known-text.ts'
import { answerEitherWay, eitherWay } from '../streaming/streamed-answers.ts'
import { readsAsStream } from '../requests/asked.ts'

/** Text whose tokens have one to four bytes. */
const TEXT = 'A stone, \u00E9t\u00E9 \u4E2D\u6587 \u{1F600}.'

/** Fewer tokens than the text has. */
const CUT_TOKENS = 3

/**
 * The texts of each choice, plain or streamed, and the tokens that it reports for them; `entries` is undefined without a
 * list. An answer that was `cut` may end inside a character.
 */
export function reportedTokens(exchange: Exchange) {
  const names = ['content', 'refusal'] as const
  if (!readsAsStream(exchange))
    return choicesOf(json(exchange)).map((choice) => ({
      index: at(choice, 'index'),
      cut: at(choice, 'finish_reason') === 'length',
      lists: names.map((name) => ({
        name,
        text: textIn(at(choice, 'message', name)),
        entries: listIn(at(choice, 'logprobs', name)),
      })),
    }))
  const parts = readStream(exchange).chunks.flatMap((chunk) => choicesOf(chunk))
  return readStream(exchange).choices.map((choice) => {
    const own = parts.filter((part) => at(part, 'index') === choice.index)
    return {
      index: choice.index,
      cut: choice.finishReasons.includes('length'),
      lists: names.map((name) => {
        const lists = own
          .map((part) => listIn(at(part, 'logprobs', name)))
          .filter((list) => list !== undefined)
        return { name, text: choice[name] ?? '', entries: lists.length === 0 ? undefined : lists.flat() }
      }),
    }
  })
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const listIn = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)

/** Every entry of every choice is as expected; a text has at least one entry. */
function eachEntry(judge: (entry: unknown, path: string) => Mismatch | undefined): Verifier {
  return (exchange) => {
    for (const { index, lists } of reportedTokens(exchange))
      for (const { name, text, entries = [] } of lists) {
        const where = `logprobs.${name}`
        if (entries.length === 0 && text !== '')
          return {
            expected: `${where} of choice ${show(index)}, an entry for each token`,
            actual: show(entries),
          }
        for (const [place, entry] of entries.entries()) {
          const mismatch = judge(entry, `${where}[${place}]`)
          if (mismatch !== undefined) return mismatch
        }
      }
    return undefined
  }
}

function tokenMismatch(entry: unknown, path: string): Mismatch | undefined {
  const [token, logprob, bytes] = [at(entry, 'token'), at(entry, 'logprob'), at(entry, 'bytes')]
  if (typeof token !== 'string') return { expected: `${path}.token, a string`, actual: show(token) }
  if (typeof logprob !== 'number' || logprob > 0)
    return { expected: `${path}.logprob, a number of at most 0`, actual: show(logprob) }
  const isByte = (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255
  if (bytes === null) return undefined
  if (!Array.isArray(bytes) || !bytes.every(isByte))
    return { expected: `${path}.bytes, a list of bytes or null`, actual: show(bytes) }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(bytes))
  if (!isTrimmed(token, text)) return undefined
  return { expected: `${path}, a token and bytes of one text`, actual: `${show(token)} and ${show(text)}` }
}

/**
 * Two texts differ in nothing but the white space around them. Any other difference is a notation: a token that is not a
 * whole character has none of its own, and services write the ids or the bytes of tokens.
 */
function isTrimmed(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short !== long && [long.trim(), long.trimStart(), long.trimEnd()].includes(short)
}

/** Every entry has its members, and so has every candidate: at most `asked` of them. Any number is allowed if none was requested. */
export function entryForms(asked: number | undefined): Verifier {
  return eachEntry((entry, path) => {
    const own = tokenMismatch(entry, path)
    if (own !== undefined) return own
    const top = at(entry, 'top_logprobs')
    // If no candidates were requested, none are needed.
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
    return undefined
  })
}

/** The logprobs of the candidates of every entry. */
function candidateLogprobs(exchange: Exchange) {
  const lists = reportedTokens(exchange).flatMap((choice) => choice.lists)
  return lists.flatMap(({ name, entries = [] }) =>
    entries.map((entry, place) => ({
      path: `logprobs.${name}[${place}].top_logprobs`,
      values: listAt(entry, 'top_logprobs').map((candidate) => at(candidate, 'logprob')),
    })),
  )
}

/** Whether an answer has candidates that have an order. */
export const hasCandidates = (exchange: Exchange): boolean =>
  candidateLogprobs(exchange).some(({ values }) => values.length > 1)

/** Candidates fall; `entryForms` judges entries that are missing or that have no numbers. */
export const candidatesFall: Verifier = (exchange) => {
  const rises = candidateLogprobs(exchange).find(({ values }) =>
    values.some((value, place) => Number(value) > Number(values[place - 1])),
  )
  return rises && { expected: `${rises.path} in falling order`, actual: show(rises.values) }
}

const withoutBrokenEnd = (text: string): string => text.replace(/\uFFFD+$/, '')

/**
 * The bytes of all entries (the tokens, if bytes are null) make the text of each choice. Bytes that are not a character
 * are U+FFFD in the text; an answer that was cut inside a character may leave the rest of it out.
 */
export const entriesMakeText = joinedEntries((joined, text) => joined === text)

/** The entries of an answer that a stop string ended: they may go on to the end of the stop string. */
export const entriesBeginWithText = joinedEntries((joined, text) => joined.startsWith(text))

function joinedEntries(fits: (joined: string, text: string) => boolean) {
  return (exchange: Exchange): Mismatch | undefined => {
    for (const { cut, lists } of reportedTokens(exchange))
      for (const { name, text, entries } of lists) {
        if (entries === undefined && text === '') continue
        const pieces = (entries ?? []).map((entry) => {
          const bytes = at(entry, 'bytes')
          return Array.isArray(bytes) ? Buffer.from(bytes) : Buffer.from(String(at(entry, 'token')))
        })
        const joined = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(pieces))
        if (fits(joined, text) || (cut && withoutBrokenEnd(joined) === withoutBrokenEnd(text))) continue
        return { expected: `entries of logprobs.${name} that make ${show(text)}`, actual: show(joined) }
      }
    return undefined
  }
}

/** An answer with log probabilities, and with `top` candidates for each token if that is given. */
async function answerWithLogprobs(t: CaseContext, streamed: boolean, top?: number, members: Members = {}) {
  await t.target.requireField('logprobs')
  if (top !== undefined) await t.target.requireField('top_logprobs')
  const candidates = top === undefined ? {} : { top_logprobs: top }
  const request = { messages: messagesOf(TEXT), logprobs: true, ...candidates, ...members }
  return answerEitherWay(t, request, streamed)
}

export const logprobCases: readonly Case[] = [
  ...[undefined, 0, 2].flatMap((top) =>
    eitherWay(
      `wire.logprobs-${top === undefined ? 'alone' : `top-${top}`}`,
      'WIRE-19',
      `\`logprobs\` ${top === undefined ? 'alone' : `with \`top_logprobs\`: ${top}`}`,
    ).run(async (t, { streamed }) => t.expect(await answerWithLogprobs(t, streamed, top), entryForms(top))),
  ),
  ...eitherWay('wire.logprobs-falling', 'WIRE-19', 'the order of the candidates of `top_logprobs`')
    .with({ level: 'SHOULD' })
    .run(async (t, { streamed }) => {
      const exchange = await answerWithLogprobs(t, streamed, 2)
      if (!hasCandidates(exchange)) t.notApplicable('the answer has no entry with two candidates')
      t.expect(exchange, candidatesFall)
    }),
  ...eitherWay('wire.logprobs-make-content', 'WIRE-19', 'the bytes of `logprobs` joined are the content').run(
    async (t, { streamed }) => t.expect(await answerWithLogprobs(t, streamed), entriesMakeText),
  ),
  ...eitherWay('wire.logprobs-of-each-choice', 'WIRE-19', '`logprobs` of each of two choices').run(
    async (t, { streamed }) => {
      await t.target.requireField('n')
      const exchange = await answerWithLogprobs(t, streamed, undefined, { n: 2 })
      t.expect(exchange, entryForms(undefined), entriesMakeText)
    },
  ),
  ...eitherWay('wire.logprobs-cut', 'WIRE-19', '`logprobs` of an answer that is cut').run(
    async (t, { streamed }) => {
      await t.target.requireField('max_tokens')
      const top = (await t.target.supports('top_logprobs')) ? 1 : undefined
      const exchange = await answerWithLogprobs(t, streamed, top, { max_tokens: CUT_TOKENS })
      t.expect(exchange, entryForms(top), entriesMakeText)
    },
  ),
  check(
    'wire.logprobs-make-any-content',
    'WIRE-19',
    'the bytes of `logprobs` joined are the content, of the answer to any text',
  ).run(async (t) => {
    const runs = await examplesFor(t)
    const judge = async (content: string): Promise<void> => {
      const messages = messagesOf(content)
      t.expect(await answerWithLogprobs(t, false, undefined, { messages }), entriesMakeText)
    }
    await property(t, hostileText(40), judge, { runs })
  }),
]
