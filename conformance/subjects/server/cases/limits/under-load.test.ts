// Limits under load with keys that were given: the faults and odd servers of these rows are tested in `limits.test.ts`.
import { expect, it, vi } from 'vitest'
import { bearerWord } from '../../../../../fixtures/faulty/calls.ts'
import { limited } from '../../../../../fixtures/faulty/error-edits.ts'
import { editAnswer } from '../../../../../fixtures/faulty/edits.ts'
import { type Answer, type Call, withHeader } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { LIMIT_HEADER } from '../../../../../fixtures/faulty/kinds-of-answers.ts'
import type { Case } from '../../case.ts'
import type { LimitedKey } from '../../../../contract/target.ts'
import { judgeFault, noKeyCommand, type Verdict } from '../scripted/judge-fault.fixture.ts'
import { cases } from './under-load.ts'

/** Judges a service that edits answers, with a limited key that was given; `used` is the number of its requests. */
async function judgeGiven(
  judged: readonly Case[],
  limitedKey: Omit<LimitedKey, 'key'>,
  edit: (answer: Answer, used: number) => Answer,
  isMeant: (call: Call, key: string) => boolean = (call, key) => bearerWord(call) === key,
): Promise<readonly Verdict[]> {
  let given = ''
  let used = 0
  return judgeFault(
    ({ key }) => {
      given = key
      return editAnswer(
        (_, call) => isMeant(call, key),
        (answer, call) => edit(answer, bearerWord(call) === key ? (used += 1) : Infinity),
      )
    },
    judged,
    { target: { createKey: noKeyCommand, limited: async () => ({ ...limitedKey, key: given }) } },
  )
}

it('reads the limit of a given key from its header, and assumes the shortest window', async () => {
  // All requests must fit into one second, even on a busy machine: this clock runs slowly.
  const now = performance.now.bind(performance)
  using clock = vi.spyOn(performance, 'now').mockImplementation(() => now() / 50)
  const [verdict] = await judgeGiven(cases.slice(0, 1), {}, (answer, used) =>
    withHeader(used > 40 ? limited(answer, 1) : answer, LIMIT_HEADER, '10'),
  )
  expect(verdict).toMatchObject({ requirement: 'LIMIT-4', outcome: 'fail' })
  expect(verdict?.reason).toMatch(/29 of 30 admitted|30 of 30 admitted/)
  expect(clock).toHaveBeenCalled()
})

it('leaves LIMIT-4 inconclusive if the limit is not known', async () => {
  const verdicts = await judgeGiven(cases, {}, (answer, used) => (used > 10 ? limited(answer, 1) : answer))
  expect(verdicts.map(({ outcome }) => outcome)).toEqual(['inconclusive', 'pass'])
  expect(verdicts[0]?.reason).toContain('--limit')
})

it('leaves LIMIT-5 inconclusive if the other key is a given one that is refused too', async () => {
  const limit = { requests: 3, windowSeconds: 60 }
  const verdicts = await judgeGiven(
    cases.slice(1),
    { limit },
    (answer, used) => (used > limit.requests ? limited(answer, 1) : answer),
    () => true,
  )
  expect(verdicts).toMatchObject([{ requirement: 'LIMIT-5', outcome: 'inconclusive' }])
  expect(verdicts[0]?.reason).toContain('may have exhausted its limit itself')
})
