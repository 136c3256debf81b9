import { expect, test } from 'vitest'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import { FAST_PLAN } from './pace.ts'
import type { Target, TokenBound } from '../contract/target.ts'
import { wholeAnswer } from './whole-answer.ts'

const target = () =>
  ({
    brief: async (tokens = 8): Promise<TokenBound> => ({ max_tokens: tokens }),
    plan: () => ({ ...FAST_PLAN, wholeTokens: 10, mostTokens: 100 }),
  }) as unknown as Target

/** Answers that need so many tokens; `bounds` are those of the requests. */
function answers(neededTokens: number, more: object = {}) {
  const bounds: unknown[] = []
  const ask = async ({ max_tokens: bound = 0 }: TokenBound): Promise<Exchange> => {
    bounds.push(bound)
    return madeExchange({
      requestBody: JSON.stringify({ max_tokens: bound, ...more }),
      body: JSON.stringify({ choices: [{ finish_reason: bound < neededTokens ? 'length' : 'stop' }] }),
    })
  }
  return { bounds, ask }
}

test('the bound grows until the answer is whole', async () => {
  const { bounds, ask } = answers(90)
  await wholeAnswer(target(), ask, false)
  expect(bounds).toEqual([10, 40, 100])
})

test('after three of a kind that were never whole, the next gets one attempt; another kind gets all', async () => {
  const slow = target()
  const endless = answers(1000, { tools: [], tool_choice: 'required' })
  for (let time = 0; time < 4; time += 1)
    await expect(wholeAnswer(slow, endless.ask, false)).rejects.toThrow(/the answer was cut/)
  const all = [10, 40, 100]
  expect(endless.bounds).toEqual([...all, ...all, ...all, 10])
  const plain = answers(90)
  await wholeAnswer(slow, plain.ask, false)
  expect(plain.bounds).toEqual(all)
  // One that is whole at once shows that the kind can end.
  await wholeAnswer(slow, answers(5, { tools: [], tool_choice: 'required' }).ask, false)
  const again = answers(90, { tools: [], tool_choice: 'required' })
  await wholeAnswer(slow, again.ask, false)
  expect(again.bounds).toEqual(all)
})

test('a quick run of a slow model gets the longer of the first two bounds, and a fast model the same as in a full run', async () => {
  const slow = answers(30)
  await wholeAnswer(target(), slow.ask, true)
  expect(slow.bounds).toEqual([40])
  const fast = { ...target(), plan: () => FAST_PLAN } as Target
  const long = answers(1000)
  await wholeAnswer(fast, long.ask, true)
  expect(long.bounds).toEqual([512, 2048])
})
