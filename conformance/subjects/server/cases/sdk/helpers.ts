// The library's helpers that read more of an answer than its text: `.parse()` and `.runTools()`, and its error class of
// a limit (SDK-1). A schema or a call is forced where the format can force it; what a model chooses is not judged.
import { z } from 'zod'
import type { Members } from '../../../../contract/capabilities.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import { messagesOf } from '../requests/chat-calls.ts'
import { exhaustLimit } from '../requests/limited-key.ts'
import { client, describe, loadLibrary, question, throwOwn, works } from './sdk-client.ts'
import { ownNames } from '../tools/history.ts'
import { named, strictObject, tool } from '../tools/tool-requests.ts'

/** More completions than this are not spent on one run of tools; a model may go on calling. */
const MOST_COMPLETIONS = 4

/** A schema without a number: a model may write one that no program can hold, which says nothing about the service. */
const STONE = z.object({ name: z.string(), isHeavy: z.boolean() })
/**
 * The schema of `STONE`, smaller than the library writes it: a target that refuses it does not support schemas.
 */
const PLAIN_SCHEMA = {
  messages: messagesOf('Describe a stone in JSON.'),
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'stone',
      strict: true,
      schema: strictObject({ name: { type: 'string' }, isHeavy: { type: 'boolean' } }),
    },
  },
}

const WORD = z.object({ word: z.string() })

const ASK = `Look the word stone up, with one call of look_up, then say what you found.
#call look_up {"word":"stone"}`

/** `look_up`, smaller than the library writes it. */
const PLAIN_TOOL = tool(
  'look_up',
  'Looks a word up in the dictionary.',
  strictObject({ word: { type: 'string' } }),
  true,
)

const loadHelpers = () => import('openai/helpers/zod')

/** A function that looks a word up and reports every call. */
async function lookUp(onCall: (word: string) => void = () => {}) {
  const { zodFunction } = await loadHelpers()
  return zodFunction({
    name: 'look_up',
    description: 'Looks a word up in the dictionary.',
    parameters: WORD,
    function({ word }) {
      onCall(word)
      return `A ${word} is what mountains are made of.`
    },
  })
}

/** Ends the case as not applicable in profile `wire` if the target refuses a field of such a request by name. */
async function requireTools(t: CaseContext, members: Members): Promise<void> {
  if (t.target.profile !== 'wire') return
  await t.target.requireField('tools')
  const fields = ['strict', 'tool_choice'].filter(
    (field) => field === 'strict' || Object.hasOwn(members, field),
  )
  for (const field of fields)
    await t.target.requireField(field, { messages: messagesOf(ASK), tools: [PLAIN_TOOL], ...members })
}

/** Lets a helper work as `works` does, and again with four times the tokens where the answer was cut: it cannot be parsed. */
async function parses<Result>(t: CaseContext, call: (tokens: number) => Promise<Result>): Promise<Result> {
  return works(t, async () => {
    const { ContentFilterFinishReasonError, LengthFinishReasonError } = await import('openai/error')
    const { BadRequestError } = await loadLibrary()
    const { wholeTokens, mostTokens } = t.target.plan()
    for (let tokens = wholeTokens; ; tokens = Math.min(4 * tokens, mostTokens)) {
      try {
        return await call(tokens)
      } catch (error) {
        const cut =
          error instanceof LengthFinishReasonError || error instanceof ContentFilterFinishReasonError
        if (tokens > wholeTokens && error instanceof BadRequestError)
          t.inconclusive(`the answer was cut, and a bound of ${tokens} tokens is refused`)
        if (!cut) throw error
        if (tokens >= mostTokens) t.inconclusive(`the answer was cut, also at ${tokens} tokens`)
      }
    }
  })
}

function requireNoRefusal(t: CaseContext, message: unknown): void {
  if ((at(message, 'refusal') ?? '') !== '') t.inconclusive('the answer is a refusal')
}

export const cases: readonly Case[] = [
  check('sdk.parse-response-format', 'SDK-1', '`.parse()` of an answer in a schema').run(
    async (t: CaseContext) => {
      const { zodResponseFormat } = await loadHelpers()
      const response_format = zodResponseFormat(STONE, 'stone')
      await t.target.requireField('response_format', PLAIN_SCHEMA)
      const completion = await parses(t, async (tokens) =>
        (await client(t)).chat.completions.parse({
          ...(await question(t, 'Describe a stone in JSON.', tokens)),
          response_format,
        }),
      )
      const message = completion.choices[0]?.message
      requireNoRefusal(t, message)
      const right = STONE.safeParse(message?.parsed).success
      t.assert(right, { expected: 'an object with name and isHeavy', actual: show(message?.parsed) })
    },
  ),
  check('sdk.parse-function', 'SDK-1', '`.parse()` of the arguments of a call').run(
    async (t: CaseContext) => {
      const tool_choice = named('look_up')
      await requireTools(t, { tool_choice })
      const completion = await parses(t, async (tokens) =>
        (await client(t)).chat.completions.parse({
          ...(await question(t, ASK, tokens)),
          tools: [await lookUp()],
          tool_choice,
        }),
      )
      const message = completion.choices[0]?.message
      requireNoRefusal(t, message)
      const call = message?.tool_calls?.[0]
      if (call === undefined) t.inconclusive('no call came, which TOOL-3 judges')
      const right = WORD.safeParse(at(call, 'function', 'parsed_arguments')).success
      t.assert(right, { expected: 'a call of look_up with a word', actual: show(call) })
    },
  ),
  check('sdk.run-tools', 'SDK-1', '`.runTools()`').run(async (t: CaseContext) => {
    await requireTools(t, {})
    const words: string[] = []
    const tools = [await lookUp((word) => void words.push(word))]
    const [library, { BadRequestError }] = [await client(t), await loadLibrary()]
    const messages = await parses(t, async (tokens) => {
      words.length = 0
      const options = { maxChatCompletions: MOST_COMPLETIONS }
      const runner = library.chat.completions.runTools(
        { ...(await question(t, ASK, tokens)), tools },
        options,
      )
      try {
        await runner.done()
      } catch (error) {
        // The library leaves such members of the service's messages out of the next request.
        const answers = runner.messages.filter(({ role }) => role === 'assistant')
        const [own] = error instanceof BadRequestError ? answers.flatMap(ownNames) : []
        if (own === undefined) throw error
        t.notApplicable(`the library does not send ${own} back, and the service may demand it (TOOL-6)`)
      }
      return runner.messages
    })
    const calls = messages.flatMap((message) => callsOf(message))
    if (calls.length === 0) t.notApplicable('the model chose no call')
    const reached = words.length === calls.length
    t.assert(reached, { expected: 'calls that reach look_up', actual: show(calls) })
    const last = messages.at(-1)
    if (at(last, 'role') !== 'assistant') t.notApplicable('the model went on calling')
    const text = at(last, 'content')
    t.assert(typeof text === 'string', { expected: 'a text after the calls', actual: show(text) })
  }),
  check('sdk.rate-limit-error', 'SDK-1', 'the error class of a request over the limit')
    .with({ exclusive: true })
    .run(async (t: CaseContext) => {
      const request = await question(t, undefined, 1)
      const errors = await exhaustLimit(t, async (key) => {
        try {
          await (await client(t, key)).chat.completions.create(request)
        } catch (error) {
          throwOwn(t, error)
          return error
        }
        return undefined
      })
      const error = errors.find((thrown) => at(thrown, 'status') === 429) ?? errors[0]
      const status = at(error, 'status')
      if (typeof status === 'number' && status !== 429)
        t.notApplicable(`the answer has status ${status}, not 429`)
      const { RateLimitError } = await loadLibrary()
      const right = error instanceof RateLimitError
      t.assert(right, { expected: 'RateLimitError', actual: describe(error) })
    }),
]

const callsOf = (message: unknown) =>
  at(message, 'role') === 'assistant' ? listAt(message, 'tool_calls') : []
