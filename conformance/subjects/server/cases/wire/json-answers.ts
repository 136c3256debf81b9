// Answers in JSON: `response_format` with `json_object`, and with a strict schema (WIRE-17, WIRE-18).
import { type Case, type CaseContext, check } from '../../case.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { property } from '../../../../generate/property.ts'
import { type Verifier, showStatus } from '../../../../../harness/verify/verify.ts'
import { exactJson } from '../../../../../harness/json-text.ts'
import { isRecord, parseJson, show } from '../../../../../harness/json-value.ts'
import { isSuccess, messagesOf } from '../requests/chat-calls.ts'
import { hostileText } from '../../../../generate/hostile-text.ts'
import { answerEitherWay, eitherWay, finishedChoices } from '../streaming/streamed-answers.ts'
import {
  isUnfinished,
  MOST_TRIES,
  requireFinished,
  requireTaken,
  strictObject,
} from '../tools/tool-requests.ts'
import { validates } from '../tools/schema-matching.ts'
import type { TokenBound } from '../../../../contract/target.ts'
import { strictSchemas } from '../tools/strict-schemas.ts'

const PROMPT = 'Describe a stone in JSON.'
export const JSON_OBJECT = { type: 'json_object' } as const

/** The text of each choice that came to its end without calls, streamed or not; an empty one if there is none. */
function wholeTexts(exchange: Exchange): readonly string[] {
  const choices = finishedChoices(exchange).filter(({ calls }) => calls.length === 0)
  const texts = choices.map(({ content }) => (typeof content === 'string' ? content : ''))
  return texts.length > 0 ? texts : ['']
}

/** The text of each choice is a JSON object. */
export const jsonObject: Verifier = (exchange) => {
  const odd = wholeTexts(exchange).find((text) => !isRecord(parseJson(text)))
  return odd === undefined ? undefined : { expected: 'content that is a JSON object', actual: show(odd) }
}

/** The text of each choice is JSON that validates against a schema. */
export const contentMatches = (schema: object): Verifier =>
  validates(schema, 'content', (exchange) =>
    wholeTexts(exchange).map((text) => exactJson(text) ?? parseJson(text)),
  )

/** An answer that came to its end, in this format. */
export async function answerIn(
  t: CaseContext,
  response_format: object,
  { content = PROMPT, streamed = false }: { readonly content?: string; readonly streamed?: boolean } = {},
): Promise<Exchange> {
  const request = { messages: messagesOf(content), response_format }
  for (let tries = 1; ; tries += 1) {
    const ask = (bound: TokenBound): Promise<Exchange> =>
      answerEitherWay(t, { ...bound, ...request }, streamed)
    const exchange = await t.finished(ask)
    if (tries < MOST_TRIES && isUnfinished(exchange)) continue
    requireFinished(t, exchange)
    return exchange
  }
}

export const jsonCases: readonly Case[] = [
  ...eitherWay('wire.json-object', 'WIRE-17', '`response_format`: json_object').run(
    async (t, { streamed }) => {
      await t.target.requireField('response_format')
      t.expect(await answerIn(t, JSON_OBJECT, { streamed }), jsonObject)
    },
  ),
  check(
    'wire.json-object-any-text',
    'WIRE-17',
    '`response_format`: json_object, any text that is asked of a model that echoes',
  ).run(async (t) => {
    await t.target.requireField('response_format')
    // A model that thinks about each of them would take too long, and echoes are where text gets through unread.
    await t.target.requireEcho()
    await property(t, hostileText(60), async (text) => {
      t.expect(await answerIn(t, JSON_OBJECT, { content: `JSON ${text}` }), jsonObject)
    })
  }),
  check(
    'wire.json-schema-unknown-type',
    'WIRE-18',
    '`response_format`: a schema with a type that JSON Schema does not have is refused, or taken',
  ).run(async (t: CaseContext) => {
    await t.target.requireField('response_format')
    const schema = strictObject({ stone: { type: 'touchstone' } })
    const response_format = strictFormat('unknown', schema)
    const exchange = await t.chat({ messages: messagesOf(PROMPT), response_format })
    const actual = showStatus(exchange, [400])
    t.assert(
      exchange.response.status === 400 || isSuccess(exchange),
      { expected: 'status 400, or a success', actual },
      exchange,
    )
  }),
  ...Object.entries(strictSchemas).flatMap(([kind, schema]) =>
    eitherWay(
      `wire.json-schema-${kind}`,
      'WIRE-18',
      `\`response_format\`: a strict json_schema, ${kind}`,
    ).run((t, { streamed }) => followsSchema(t, kind, schema, streamed)),
  ),
]

/** An answer of this strict schema matches it. Not applicable if the target refuses the schema, unless it is the simplest. */
export async function followsSchema(t: CaseContext, kind: string, schema: object, streamed: boolean) {
  const response_format = strictFormat(kind, schema)
  await t.target.requireField('response_format', { response_format })
  if (kind !== 'flat') {
    const bound = await t.target.brief(1)
    requireTaken(t, await t.chat({ ...bound, messages: messagesOf(PROMPT), response_format }))
  }
  t.expect(await answerIn(t, response_format, { streamed }), contentMatches(schema))
}

export function strictFormat(kind: string, schema: object) {
  return { type: 'json_schema', json_schema: { name: `touchstone_${kind}`, strict: true, schema } }
}

/** The simplest strict schema, in a `response_format`. */
export const FLAT_FORMAT = strictFormat('flat', strictSchemas.flat)
