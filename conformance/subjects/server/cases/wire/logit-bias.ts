// `logit_bias`: what is forbidden does not come, what is favoured changes the answer, and the bounds are in range
// (WIRE-20).
import { type Case, type CaseContext, check } from '../../case.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { PROMPT, answerWith, messagesOf, steadyMembers } from '../requests/chat-calls.ts'
import { answerEitherWay, eitherWay, textOf } from '../streaming/streamed-answers.ts'
import { reportedTokens } from './logprobs.ts'
import { requireNoMarkup } from '../requests/markup.ts'

/**
 * Ids that every vocabulary has, tried in turn until one has an effect. An answer may begin with one of them anyway,
 * and others may be so unlikely that no bias helps.
 */
const BIASED_TOKENS = ['40', '60', '100', '104', '110', '120', '150', '200'] as const

const NO_TOKEN = 'no token id is known (`token` in the config file names one)'

/** Enough to see another answer. */
const FEW_TOKENS = 4

/** Where −100 on a token stands: alone, or behind an entry that says nothing. */
const biases = [
  { kind: '', of: '', before: {} },
  { kind: '-later', of: ', behind another entry', before: { '0': 0 } },
] as const

/** A forbidden token does not occur in the text of an echo, or among the reported tokens of another model. */
async function removesToken(t: CaseContext, before: object, streamed: boolean): Promise<void> {
  await t.target.requireField('logit_bias')
  const token = await t.target.token()
  if (token === undefined) return t.notApplicable(NO_TOKEN)
  const asked = { messages: messagesOf(`Say: ${token.text} ${token.text}${token.text}, then stop.`) }
  const request = { ...(token.request ?? asked), logit_bias: { ...before, [token.id]: -100 } }
  if (await t.target.echoes()) {
    const exchange = await answerEitherWay(t, request, streamed)
    requireNoMarkup(t, exchange)
    const text = textOf(exchange)
    const mismatch = { expected: `text without ${show(token.text)}`, actual: show(text) }
    return t.assert(!text.includes(token.text), mismatch, exchange)
  }
  // A model may spell the text with other tokens: those that are reported decide, by their ids if they have any.
  await t.target.requireField('logprobs')
  const exchange = await answerEitherWay(t, { ...request, logprobs: true }, streamed)
  const tokens = reportedTokens(exchange).flatMap(({ lists }) => lists.flatMap(({ entries = [] }) => entries))
  t.assert(
    tokens.every((entry) => {
      const id = at(entry, 'id')
      return Number.isInteger(id) ? String(id) !== token.id : at(entry, 'token') !== token.text
    }),
    { expected: `no token ${show(token.text)}`, actual: 'one, beside a bias of -100' },
    exchange,
  )
}

export const logitBiasCases: readonly Case[] = [
  ...biases.flatMap(({ kind, of, before }) =>
    eitherWay(`wire.logit-bias-removes${kind}`, 'WIRE-20', `\`logit_bias\`: −100 removes a token${of}`).run(
      (t, { streamed }) => removesToken(t, before, streamed),
    ),
  ),
  check(
    'wire.logit-bias-acts',
    'WIRE-20',
    '`logit_bias`: 100 on one token after another gives another answer',
  ).run(async (t: CaseContext) => {
    await t.target.requireField('logit_bias')
    await t.target.requireDeterministic()
    // An echo is certain: a bias for another token changes nothing.
    if (await t.target.echoes()) t.notApplicable('the model echoes, whatever else is likely')
    // If no token is known, no id need mean anything: WIRE-20 then judges the range alone.
    const token = (await t.target.token()) ?? t.notApplicable(NO_TOKEN)
    const tokens = new Set([token.id, ...BIASED_TOKENS])
    const request = {
      messages: messagesOf(PROMPT),
      ...(await steadyMembers(t)),
      ...(await t.target.brief(FEW_TOKENS)),
    }
    const plain = await answerWith(t, request)
    requireNoMarkup(t, plain)
    let last = plain
    for (const id of tokens) {
      last = await answerWith(t, { ...request, logit_bias: { [id]: 100 } })
      if (textOf(last) !== textOf(plain)) return
    }
    const expected = `another answer for one of the tokens ${[...tokens].join(', ')}`
    t.expect(last, (exchange) => ({ expected, actual: show(textOf(exchange)) }))
  }),
  ...[-100, 100].map((bias) =>
    check(
      `wire.logit-bias-${bias < 0 ? 'least' : 'most'}`,
      'WIRE-20',
      `\`logit_bias\`: ${bias} is in the range`,
    ).run(async (t) => {
      await t.target.requireField('logit_bias')
      await answerWith(t, { messages: messagesOf(PROMPT), logit_bias: { '0': bias } })
    }),
  ),
]
