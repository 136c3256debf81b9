// `null` for an optional field that may be null means the same as leaving it out (WIRE-13).
import { type Members, namesField } from '../../../../contract/capabilities.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { nullableFields } from '../../../../generate/request-schema.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import { PROMPT, isSuccess, messagesOf, plainAnswer, succeeded } from '../requests/chat-calls.ts'
import { sameText } from '../chat/chat-text.ts'
import { eitherWay, requestStream, streamedAnswer } from '../streaming/streamed-answers.ts'
import { LOOK_UP, strictObject } from '../tools/tool-requests.ts'

async function nullIsAbsent(t: CaseContext, field: string): Promise<void> {
  const echoes = await t.target.echoes()
  const content = echoes ? 'The text of an echo, long enough to be cut.' : PROMPT
  const exchange = await t.chat({ messages: messagesOf(content), [field]: null })
  if (exchange.response.status === 400 && field !== 'stream' && namesField(exchange, field))
    await t.target.requireField(field)
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded)
  const choices = choicesOf(json(exchange))
  if (choices.length !== 1 && choicesOf(json(await plainAnswer(t))).length !== 1)
    t.inconclusive('a plain answer has no single choice, which CHAT-1 judges')
  const mismatch = { expected: 'one choice in a plain answer', actual: String(choices.length) }
  t.assert(choices.length === 1, mismatch, exchange)
  if (echoes) t.expect(exchange, sameText(content))
}

/** Sends all null fields in one streamed request; if that is refused, sends each alone to find the field at fault. */
async function nullsInStreams(t: CaseContext): Promise<void> {
  const fields: string[] = []
  for (const field of nullableFields())
    if (field !== 'stream' && (await t.target.supports(field))) fields.push(field)
  const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))
  const all = await requestStream(t, nulls(fields))
  if (isSuccess(all)) return t.expect(all, succeeded)
  await streamedAnswer(t)
  for (const field of fields) t.expect(await requestStream(t, nulls([field])), succeeded)
  t.expect(all, succeeded)
}

const schema = strictObject({ answer: { type: 'string' } })

/** The members of a field that may be null by the format, in a use of that field. */
const inner = {
  response_format: (strict: boolean | null) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict } },
  }),
  tools: (strict: boolean | null) => ({
    tools: [LOOK_UP, { ...LOOK_UP, function: { ...LOOK_UP.function, name: 'look_up_again', strict } }],
  }),
}

async function innerNull(t: CaseContext, field: keyof typeof inner, form: Members): Promise<void> {
  const bound = await t.target.brief()
  const ask = (strict: boolean | null) =>
    t.chat({ messages: messagesOf(PROMPT), ...bound, ...inner[field](strict), ...form })
  await t.target.requireField(field, inner[field](false))
  const exchange = await ask(null)
  // If it is refused for every value of `strict`, other rows judge that.
  if (!isSuccess(exchange) && !isSuccess(await ask(false)))
    t.inconclusive(`\`${field}\` is refused with \`strict: false\` too`)
  t.expect(exchange, succeeded)
}

export const nullCases: readonly Case[] = [
  check('wire.nulls-streamed', 'WIRE-13', 'every field that may be null: null, with `stream: true`').run(
    nullsInStreams,
  ),
  ...(['response_format', 'tools'] as const).flatMap((field) =>
    eitherWay(
      `wire.null-strict-in-${field.replaceAll('_', '-')}`,
      'WIRE-13',
      `\`strict\` of \`${field}\`: null`,
    ).run((t, { members }) => innerNull(t, field, members)),
  ),
  ...nullableFields().map((field) =>
    check(`wire.null-${field.replaceAll('_', '-')}`, 'WIRE-13', `\`${field}\`: null`).run((t) =>
      nullIsAbsent(t, field),
    ),
  ),
]
