// Numbers that a double does not hold, in the schemas of strict tools and of strict answers: they come back as they were sent
// (TOOL-4, WIRE-18, WIRE-37).
import { type Case, type CaseContext } from '../../case.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { messagesOf } from '../requests/chat-calls.ts'
import { eitherWay } from '../streaming/streamed-answers.ts'
import { answerIn, contentMatches, strictFormat } from '../wire/json-answers.ts'
import { numbersAsSent } from '../wire/strict-json.ts'
import {
  argumentsOf,
  askWithTools,
  callsOf,
  forcedCalls,
  requireTaken,
  strictObject,
  tool,
} from '../tools/tool-requests.ts'
import { validates } from '../tools/schema-matching.ts'

/** The first integer that a double does not hold, and both ends of 64 bits. */
const [FIRST, HIGHEST, LOWEST] = ['9007199254740993', '9223372036854775807', '-9223372036854775808'] as const

const constant = (type: string, source: string) => ({ type, const: JSON.rawJSON(source) })

const integers = {
  enum: [
    'an enumeration of 64-bit integers',
    strictObject({ id: { type: 'integer', enum: [FIRST, HIGHEST, LOWEST].map(JSON.rawJSON) } }),
  ],
  const: [
    'constants, 64-bit integers',
    strictObject({
      first: constant('integer', FIRST),
      highest: constant('integer', HIGHEST),
      lowest: constant('integer', LOWEST),
    }),
  ],
} satisfies Readonly<Record<string, readonly [title: string, schema: object]>>

const FRACTIONS = strictObject({
  share: constant('number', '0.12345678901234567891'),
  amount: constant('number', '-1234567890.0123456789'),
})

/** An answer with the call of a strict tool, if the target takes its schema. */
async function strictCall(t: CaseContext, parameters: object, way: Members): Promise<Exchange> {
  const tools = [tool('take', 'Takes a number of an order.', parameters, true)]
  const request = { tools, tool_choice: 'required', ...way }
  requireTaken(t, await askWithTools(t, request))
  const exchange = await forcedCalls(t, request)
  if (argumentsOf(callsOf(exchange)[0]) === undefined)
    t.inconclusive('the arguments are not JSON, which TOOL-1 judges')
  return exchange
}

export const exactCallCases: readonly Case[] = Object.entries(integers).flatMap(([kind, [title, schema]]) =>
  eitherWay(`tools.exact-${kind}`, 'TOOL-4', `arguments of a strict tool, ${title}`).run(
    async (t, { members }) => {
      const exchange = await strictCall(t, schema, members)
      const value = argumentsOf(callsOf(exchange)[0])
      t.expect(
        exchange,
        validates(schema, 'a value of arguments', () => [value]),
      )
    },
  ),
)

export const exactAnswerCases: readonly Case[] = [
  ...Object.entries(integers).flatMap(([kind, [title, schema]]) =>
    eitherWay(`wire.exact-${kind}`, 'WIRE-18', `\`response_format\`: a strict json_schema, ${title}`).run(
      async (t, { streamed }) => {
        const response_format = strictFormat(`exact_${kind}`, schema)
        await t.target.requireField('response_format')
        const bound = await t.target.brief(1)
        requireTaken(
          t,
          await t.chat({ ...bound, messages: messagesOf('Give the numbers.'), response_format }),
        )
        t.expect(await answerIn(t, response_format, { streamed }), contentMatches(schema))
      },
    ),
  ),
  ...eitherWay('wire.exact-fractions', 'WIRE-37', 'arguments of a strict tool, constants with long fractions')
    .with({ alwaysQuick: true })
    .run(async (t, { members }) => t.expect(await strictCall(t, FRACTIONS, members), numbersAsSent)),
]
