// Hard text in every other place of a request: descriptions, metadata and the like are taken (WIRE-10), the arguments and
// results of a history are read and answered (TOOL-6), and nothing of it is a server error (CHAT-9).
import {
  everyHardText,
  hardMembers,
  hardNames,
  hardNumbers,
  hardObjectText,
  hardTexts,
  objectText,
} from '../../../../generate/hard-values.ts'
import { type Members, smallestMembers } from '../../../../contract/capabilities.ts'
import { type Exchange } from '../../../../../harness/http/exchange.ts'
import { completeAnswer } from '../../../../../harness/verify/verify.ts'
import { show } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { notServerError } from '../chat/hostile-bodies.ts'
import { isSuccess, isTooLongForModel, postRaw, shortBody, succeeded } from '../requests/chat-calls.ts'
import { eitherWay, readAnswer, streamedAnswer, textOf } from '../streaming/streamed-answers.ts'
import { chatWithHistory } from '../tools/history.ts'
import { LOOK_UP, tool } from '../tools/tool-requests.ts'
import { finalAnswer } from '../tools/verifiers.ts'
import { strictFormat } from '../wire/json-answers.ts'
import { type Value, takenTogether } from './taken-together.ts'

/** The most characters of a name and a value of `metadata`, and of an identifier of a user. */
const METADATA_NAME = 64
const METADATA_VALUE = 512
const IDENTIFIER = 64

/** The texts of a function: its description, that of its parameter, the words that this may be, and other parameters. */
interface Texts {
  readonly whole: string
  readonly part: string
  readonly words: readonly string[]
  readonly names: readonly string[]
}

const HARD: Texts = {
  whole: everyHardText,
  part: hardTexts['three-bytes'],
  words: Object.values(hardTexts),
  names: hardNames,
}
const USUAL: Texts = {
  whole: 'Looks a word up.',
  part: 'An old word.',
  words: ['stone', 'gold'],
  names: ['language'],
}

/** A function that is described down to the words of its parameters. No tool is strict: the schema is a hint. */
const toolOf = ({ whole, part, words, names }: Texts) =>
  tool('look_up', whole, {
    type: 'object',
    properties: {
      word: { type: 'string', description: part, enum: words },
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    },
  })

/** An object that says what the answer is, and its description. */
function formatOf(texts: Texts) {
  const { type, json_schema } = strictFormat('hard', toolOf(texts).function.parameters)
  return { type, json_schema: { ...json_schema, strict: false, description: texts.whole } }
}

/** The fields with schemas. A service may refuse what a schema of this form needs by name, whatever its text is. */
const usualSchemas: Readonly<Record<string, Members>> = {
  tools: { tools: [toolOf(USUAL)] },
  response_format: { response_format: formatOf(USUAL) },
}

/** The places by the field that has them. Each holds text, of which no row says which characters it may not have. */
const places: Readonly<Record<string, Members>> = {
  tools: { tools: [toolOf(HARD)] },
  response_format: { response_format: formatOf(HARD) },
  metadata: {
    metadata: Object.fromEntries(
      Object.values(hardTexts)
        .filter((text) => text !== '')
        .slice(0, 16)
        .map((text) => [text.slice(0, METADATA_NAME), text.slice(0, METADATA_VALUE)]),
    ),
  },
  stop: {
    stop: [
      hardTexts['four-bytes'],
      hardTexts['line-separators'],
      hardTexts['looks-escaped'],
      hardTexts.quotes,
    ],
  },
  user: { user: everyHardText.slice(0, IDENTIFIER) },
  safety_identifier: { safety_identifier: hardTexts['three-bytes'] },
  prompt_cache_key: { prompt_cache_key: hardTexts['three-bytes'] },
}

async function valuesOf(t: CaseContext): Promise<Readonly<Record<string, Value>>> {
  const values: Record<string, Value> = {}
  for (const [field, members] of Object.entries(places))
    if (await t.target.supports(field))
      values[`${field} with hard text`] = {
        members,
        usual: usualSchemas[field] ?? smallestMembers(field) ?? {},
      }
  return values
}

const ASKED = { role: 'user', content: 'What does this word mean?' }
const USUAL_RESULT = 'It is an old word, and a short one.'

/** The most that the ids of calls of common services have, in characters. */
const LONG_ID = `call_${'a1B2'.repeat(8)}`

/** A conversation with a call and its result. */
function historyOf(args: string, result: string, id: string): readonly Members[] {
  const call = { id, type: 'function', function: { name: LOOK_UP.function.name, arguments: args } }
  return [
    ASKED,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: result },
  ]
}

const USUAL_ARGUMENTS = JSON.stringify({ word: 'stone' })

/** A hard history, by the part of it that is hard. */
const histories = {
  arguments: ['arguments of every hard value', historyOf(objectText(hardMembers), USUAL_RESULT, 'call_1')],
  results: ['a result of every hard text', historyOf(USUAL_ARGUMENTS, everyHardText, 'call_1')],
  ids: ['ids of calls as other services make them', historyOf(USUAL_ARGUMENTS, USUAL_RESULT, LONG_ID)],
} as const

/** The answer to a history. Inconclusive if the same one with usual values is refused, too. */
async function answerTo(t: CaseContext, messages: readonly Members[], form: Members): Promise<Exchange> {
  const ask = (asked: readonly Members[]) =>
    t.finished((bound) => chatWithHistory(t, { ...bound, messages: asked, tools: [LOOK_UP], ...form }))
  const exchange = await ask(messages)
  if (isTooLongForModel(exchange)) t.notApplicable('the context of the model is too short for it')
  if (!isSuccess(exchange) && !isSuccess(await ask(historyOf(USUAL_ARGUMENTS, USUAL_RESULT, 'call_1')))) {
    if (form['stream'] === true) await streamedAnswer(t)
    t.inconclusive('a call and its result with usual values are refused, too, which TOOL-6 judges')
  }
  if (isSuccess(exchange) && form['stream'] === true) readAnswer(t, exchange)
  return exchange
}

/** A history of hard text in every place. Services may refuse members of a message that they do not know. */
const HARD_HISTORY = [
  { role: 'system', content: everyHardText },
  { role: 'user', content: everyHardText },
  { role: 'assistant', content: everyHardText, reasoning_content: everyHardText },
  ...historyOf(hardObjectText, everyHardText, everyHardText),
]

/** Bodies with hard values in places whose refusal no row forbids. */
function hardBodies(body: Members): readonly string[] {
  const numbers = objectText({
    type: '"object"',
    properties: objectText({ n: `{"enum":[${Object.values(hardNumbers).join()}]}` }),
  })
  const strict = `[{"type":"function","function":{"name":"look_up","strict":true,"parameters":${numbers}}}]`
  const withText = (members: string): string => `${JSON.stringify(body).slice(0, -1)},${members}}`
  return [
    JSON.stringify({ ...body, messages: HARD_HISTORY }),
    JSON.stringify({ ...body, messages: [{ ...ASKED, name: hardNames[1] }] }),
    JSON.stringify({ ...body, metadata: { [everyHardText]: everyHardText } }),
    withText(`"tools":${strict},"tool_choice":"required"`),
    ...['seed', 'temperature', 'max_tokens'].map((field) =>
      withText(`"${field}":${hardNumbers['beyond-64-bits']}`),
    ),
  ]
}

export const hardPlaceCases: readonly Case[] = [
  ...eitherWay('wire.hard-text-taken', 'WIRE-10', 'hard text in each field of text that is offered').run(
    async (t, { members }) => takenTogether(t, await valuesOf(t), members),
  ),
  ...Object.entries(histories).flatMap(([slug, [title, messages]]) =>
    eitherWay(`tools.hard-history-${slug}`, 'TOOL-6', `the answer to a history with ${title}`).run(
      async (t, { members }) => t.expect(await answerTo(t, messages, members), succeeded, finalAnswer),
    ),
  ),
  ...eitherWay(
    'chat.echo-hard-results',
    'CHAT-8',
    'the result of a call with every hard text, of a model that echoes results',
  ).run(async (t, { members }) => {
    await t.target.requireEcho()
    const usual = await answerTo(t, historyOf(USUAL_ARGUMENTS, USUAL_RESULT, 'call_1'), members)
    if (textOf(usual) !== USUAL_RESULT) t.notApplicable('the model does not echo the results of calls')
    const exchange = await answerTo(t, histories.results[1], members)
    t.expect(exchange, succeeded, (got) =>
      textOf(got) === everyHardText
        ? undefined
        : { expected: show(everyHardText), actual: show(textOf(got)) },
    )
  }),
  check('chat.hard-values', 'CHAT-9', 'hard values in places where they may be refused').run(
    async (t: CaseContext) => {
      for (const body of hardBodies(await shortBody(t)))
        t.expect(await postRaw(t, body), notServerError, completeAnswer)
    },
  ),
]
