// What the fields of a request do where they are supported: `n` and `seed` (WIRE-6, WIRE-14).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { json } from '../../../harness/http/exchange.ts'
import { choicesOf, contentOf } from '../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { show } from '../../../harness/verify/json-value.ts'
import {
  PROMPT,
  answerWith,
  chatWithChoices,
  isSuccess,
  messagesOf,
  plainAnswer,
  succeeded,
} from '../requests/chat.ts'

/** There are so many choices. */
function choiceCount(n: number): Verifier {
  return (exchange) => {
    const { length } = choicesOf(json(exchange))
    return length === n ? undefined : { expected: `${n} choices`, actual: String(length) }
  }
}

export const fieldCases: readonly Case[] = [
  ...[1, 2, 3].map((n) =>
    defineCase({
      id: `wire.n-${n}`,
      requirement: 'WIRE-6',
      title: `\`n\`: ${n}`,
      async run(t) {
        const exchange = await chatWithChoices(t, n)
        if (!isSuccess(exchange)) await plainAnswer(t)
        t.expect(exchange, succeeded, choiceCount(n))
      },
    }),
  ),
  defineCase({
    id: 'wire.same-seed',
    requirement: 'WIRE-14',
    title: 'the same `seed` at temperature 0, three times',
    async run(t: CaseContext) {
      await t.target.requireField('seed')
      await t.target.requireField('temperature')
      const request = { messages: messagesOf(PROMPT), temperature: 0, seed: 1 }
      const texts = new Set<string | undefined>()
      for (let round = 0; round < 3; round++) {
        const exchange = await answerWith(t, request)
        texts.add(contentOf(exchange))
        t.assert(
          texts.size === 1,
          { expected: 'the same text each time', actual: show([...texts]) },
          exchange,
        )
      }
    },
  }),
]
