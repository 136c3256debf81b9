// Every default that a request states: it is a value of the range of its field, and is taken if another value is (WIRE-10).
import { annotation } from '../../../../../spec/schemas/annotate.ts'
import { chatCompletionFields } from '../../../../../spec/schemas/request.ts'
import { type Members, smallestMembers } from '../../../../contract/capabilities.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isSuccess, noted, plainAnswer, succeeded } from '../requests/chat-calls.ts'
import { eitherWay } from '../streaming/streamed-answers.ts'
import { FLAT_FORMAT } from '../wire/json-answers.ts'
import { LOOK_UP } from '../tools/tool-requests.ts'
import { type Value, takenTogether } from './taken-together.ts'

/** The defaults of the fields of a request, by field. Whether an answer is streamed is not a value of these requests. */
const ofFields: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(chatCompletionFields.shape).flatMap(([field, schema]) => {
    const stated = annotation(schema)['default']
    return stated === undefined || field === 'stream' ? [] : [[field, stated]]
  }),
)

/** The requests that state a default, by the field that has it or in which it is. */
const stated: Readonly<Record<string, Members>> = {
  ...Object.fromEntries(Object.entries(ofFields).map(([field, value]) => [field, { [field]: value }])),
  tools: { tools: [{ ...LOOK_UP, function: { ...LOOK_UP.function, strict: false } }] },
  tool_choice: { tools: [LOOK_UP], tool_choice: 'auto' },
  parallel_tool_calls: { tools: [LOOK_UP], parallel_tool_calls: ofFields['parallel_tool_calls'] },
}

/** Those that only a stream can state. */
const statedInStreams: Readonly<Record<string, Members>> = {
  stream_options: { stream_options: { include_usage: false } },
}

/** Other values of fields whose smallest use is the default. */
const others: Readonly<Record<string, Members>> = {
  tool_choice: { tools: [LOOK_UP], tool_choice: 'required' },
  service_tier: { service_tier: 'default' },
}

async function valuesOf(t: CaseContext, streamed: boolean): Promise<Readonly<Record<string, Value>>> {
  const values: Record<string, Value> = {}
  for (const [field, members] of Object.entries({ ...stated, ...(streamed ? statedInStreams : {}) })) {
    const usual = others[field] ?? smallestMembers(field) ?? {}
    if (await t.target.supports(field, usual)) values[`${field}, its default`] = { members, usual }
  }
  return values
}

/** How closely a picture is looked at: the default, stated or not, and other values. */
const DEFAULT_DETAILS = [undefined, 'auto'] as const
const OTHER_DETAILS = ['low', 'high'] as const

function pictureOf(detail: string | undefined): Members {
  const smallest = smallestMembers('image_url') ?? {}
  const [text, picture] = [
    at(smallest, 'messages', 0, 'content', 0),
    at(smallest, 'messages', 0, 'content', 1),
  ]
  const image_url = { ...Object(at(picture, 'image_url')), ...(detail === undefined ? {} : { detail }) }
  return { messages: [{ role: 'user', content: [text, { type: 'image_url', image_url }] }] }
}

export const defaultCases: readonly Case[] = [
  ...eitherWay('wire.stated-defaults', 'WIRE-10', 'the default of each field that is offered, stated').run(
    async (t, { streamed, members }) => takenTogether(t, await valuesOf(t, streamed), members),
  ),
  ...eitherWay(
    'wire.stated-strict-false',
    'WIRE-10',
    '`response_format` with a json_schema whose `strict`, false, is stated',
  ).run(async (t, { members }) => {
    await t.target.requireField('response_format', { response_format: FLAT_FORMAT })
    const json_schema = { ...FLAT_FORMAT.json_schema, strict: false }
    const response_format = { ...FLAT_FORMAT, json_schema }
    const value = { members: { response_format }, usual: { response_format: FLAT_FORMAT } }
    await takenTogether(t, { 'response_format.json_schema.strict, its default': value }, members)
  }),
  check('wire.image-details', 'WIRE-10', 'an image with each `detail`, and without one').run(
    async (t: CaseContext) => {
      const ask = async (detail: string | undefined) => ({
        detail: detail ?? 'absent',
        exchange: await t.chat(pictureOf(detail)),
      })
      const defaults = await Promise.all(DEFAULT_DETAILS.map(ask))
      const others = await Promise.all(OTHER_DETAILS.map(ask))
      const isTaken = ({ exchange }: { readonly exchange: Exchange }): boolean => isSuccess(exchange)
      if (![...defaults, ...others].some(isTaken)) {
        await plainAnswer(t)
        t.notApplicable('images are refused, whatever their `detail`')
      }
      // Where only the default is taken, the member is not offered.
      for (const { detail, exchange } of [...defaults, ...(others.some(isTaken) ? others : [])])
        t.expect(exchange, noted(succeeded, `detail: ${detail}`))
    },
  ),
]
