// The arguments of a long call arrive as they are produced (STREAM-11).
import { type Case, check } from '../../case.ts'
import { messagesOf } from '../requests/chat-calls.ts'
import { readAnswer } from '../streaming/streamed-answers.ts'
import { expectStreamSpread } from '../streaming/time.ts'
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

export const longCallCases: readonly Case[] = [
  check('stream.as-produced-of-calls', 'STREAM-11', 'the arguments of a long call arrive one after the other')
    .with({ since: 2 })
    .run(async (t) => {
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
      )
    }),
]
