// The effect of supported request fields: `n` and `seed` (WIRE-6, WIRE-14), `service_tier` (WIRE-25).
import { type Case, type CaseContext, check } from '../../case.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import { choiceCount, choicesOf, contentOf } from '../../../../../harness/verify/verify-completion.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { answerEitherWay, eitherWay } from '../streaming/streamed-answers.ts'
import { readsAsStream } from '../requests/asked.ts'
import {
  PROMPT,
  answerWith,
  chatWithChoices,
  isSuccess,
  messagesOf,
  plainAnswer,
  succeeded,
} from '../requests/chat-calls.ts'

export const fieldCases: readonly Case[] = [
  ...[1, 2, 3].map((n) =>
    check(`wire.n-${n}`, 'WIRE-6', `\`n\`: ${n}`).run(async (t) => {
      const exchange = await chatWithChoices(t, n)
      if (!isSuccess(exchange)) await plainAnswer(t)
      t.expect(exchange, succeeded, choiceCount(n))
    }),
  ),
  check('wire.same-seed', 'WIRE-14', 'the same `seed` at temperature 0, three times').run(
    async (t: CaseContext) => {
      await t.target.requireField('seed')
      await t.target.requireField('temperature')
      const request = { messages: messagesOf(PROMPT), temperature: 0, seed: 1 }
      const texts = new Set<string | undefined>()
      for (let round = 0; round < 3; round++) {
        const exchange = await answerWith(t, request)
        texts.add(contentOf(exchange))
        const mismatch = { expected: 'the same text each time', actual: show([...texts]) }
        t.assert(texts.size === 1, mismatch, exchange)
      }
    },
  ),
  check('wire.n-at-temperature-0', 'WIRE-6', '`n`: 2 with `temperature`: 0').run(async (t: CaseContext) => {
    for (const field of ['n', 'temperature']) await t.target.requireField(field)
    const exchange = await answerWith(t, { messages: messagesOf(PROMPT), n: 2, temperature: 0 })
    const count = choicesOf(json(exchange)).length
    t.assert(count === 2, { expected: '2 choices', actual: String(count) }, exchange)
  }),
  ...eitherWay(
    'wire.service-tier-reported',
    'WIRE-25',
    '`service_tier`: the answer says which one served it',
  ).run(async (t: CaseContext, { streamed }) => {
    await t.target.requireField('service_tier')
    const request = { messages: messagesOf(PROMPT), service_tier: 'auto' }
    const exchange = await answerEitherWay(t, request, streamed)
    const records = readsAsStream(exchange) ? readStream(exchange).chunks : [json(exchange)]
    const tiers = records.map((record) => at(record, 'service_tier'))
    const isNamed = tiers.some((tier) => typeof tier === 'string' && tier !== '')
    const actual = show(tiers[0])
    t.assert(isNamed, { expected: 'service_tier, the name of a tier', actual }, exchange)
  }),
  check(
    'wire.text-of-each-choice',
    'CHAT-8',
    'the text of each of three choices, of a model that echoes',
  ).run(async (t: CaseContext) => {
    await t.target.requireEcho()
    const exchange = await chatWithChoices(t, 3)
    if (!isSuccess(exchange)) t.inconclusive('three choices did not come, which WIRE-6 judges')
    const texts = choicesOf(json(exchange)).map((choice) => at(choice, 'message', 'content'))
    const areSame = texts.every((text) => text === PROMPT)
    const expected = `the text ${show(PROMPT)} of each choice`
    t.assert(areSame, { expected, actual: show(texts) }, exchange)
  }),
]
