// The arguments of a long call arrive as they are produced (STREAM-11).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, listAt, parseJson } from '../../../../../harness/json-value.ts'
import { type Case, check } from '../../case.ts'
import { messagesOf } from '../requests/chat-calls.ts'
import { readAnswer } from '../streaming/streamed-answers.ts'
import { EARLY_SHARE, expectStreamSpread, spreadOf } from '../streaming/time.ts'
import { forcedCalls, named, strictObject, tool } from './tool-requests.ts'

const WRITE = tool('write', 'Writes a text down.', strictObject({ text: { type: 'string' } }))

/** The words of the argument of a fast model, the fewest of a slow one, and the tokens that a word may have. */
const MOST_WORDS = 120
const LEAST_WORDS = 16
const WORD_TOKENS = 2

const WORDS = 'stone gold silver copper iron tin lead zinc'.split(' ')

function requestOf(count: number) {
  const text = Array.from({ length: count }, (_, at) => WORDS[at % WORDS.length]).join(' ')
  const content = `Write this text down with one call of write: ${text}\n#call write ${JSON.stringify({ text })}`
  return { messages: messagesOf(content), tools: [WRITE], tool_choice: named(WRITE.function.name) }
}

/** The texts of a delta: of its calls, and of the thoughts and the text before them. */
function textsIn(delta: unknown): readonly unknown[] {
  const calls = listAt(delta, 'tool_calls').map((fragment) => at(fragment, 'function', 'arguments'))
  return [...calls, ...['content', 'reasoning_content', 'reasoning'].map((name) => at(delta, name))]
}

/** The characters of text in the record of a stream. */
function charactersIn(record: string): number {
  const data = /^data: ?(.*)$/m.exec(record)?.[1] ?? ''
  const texts = listAt(parseJson(data), 'choices').flatMap((choice) => textsIn(at(choice, 'delta')))
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
}

/**
 * The time between the end of the first quarter of the text of an answer, arguments included, and its last piece, in
 * milliseconds. Bytes would not show it: a record has more of them than the text that it carries.
 */
function textSpreadOf(exchange: Exchange): number {
  const { body, chunks } = exchange.response
  const ends = chunks.map((_, place) => chunks.slice(0, place + 1).reduce((sum, { size }) => sum + size, 0))
  let offset = 0
  const pieces = Buffer.from(body)
    .toString('latin1')
    .split(/(?<=\n\r?\n)/)
    .map((record) => {
      offset += record.length
      const atMs = chunks[ends.findIndex((end) => end >= offset)]?.atMs ?? 0
      return { atMs, characters: charactersIn(record) }
    })
    .filter(({ characters }) => characters > 0)
  const all = pieces.reduce((sum, { characters }) => sum + characters, 0)
  let early = 0
  const first = pieces.find(({ characters }) => (early += characters) >= EARLY_SHARE * all)
  return first === undefined ? spreadOf(exchange) : (pieces.at(-1)?.atMs ?? 0) - first.atMs
}

export const longCallCases: readonly Case[] = [
  check(
    'stream.as-produced-of-calls',
    'STREAM-11',
    'the arguments of a long call arrive one after the other',
  ).run(async (t) => {
    // The pace is known when the model has answered.
    await t.target.brief()
    const { wholeTokens } = t.target.plan()
    const request = requestOf(
      Math.max(LEAST_WORDS, Math.min(MOST_WORDS, Math.floor(wholeTokens / WORD_TOKENS))),
    )
    await expectStreamSpread(
      t,
      () => forcedCalls(t, request),
      async () => {
        const exchange = await forcedCalls(t, { ...request, stream: true })
        return readAnswer(t, exchange).exchange
      },
      textSpreadOf,
    )
  }),
]
