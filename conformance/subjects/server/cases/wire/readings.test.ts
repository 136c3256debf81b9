// The reading of requests, and streams that say something else than a plain answer: which faults the cases find, and what they
// leave alone.
import { expect, it } from 'vitest'
import { readingFaults } from '../../../../../fixtures/faulty/faults/answers/readings-faults.ts'
import { framingCases } from '../chat/framing.ts'
import { failed, judgeFault, outcomeOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { overflowCases } from '../conversation/streamed-overflow.ts'
import { errorCases } from '../streaming/stream-errors.ts'
import { thoughtCases } from '../values/streamed-thoughts.ts'
import { candidateCases, candidateObservers } from './candidates.ts'
import { countCases } from './honest-counts.ts'
import { positionCases } from '../conversation/message-positions.ts'

const cases = [
  ...positionCases,
  ...countCases,
  ...candidateCases,
  ...thoughtCases,
  ...errorCases,
  ...overflowCases,
  ...framingCases,
].filter(
  // Those that wait or exhaust a limit are tested elsewhere.
  ({ waits, exclusive }) => waits !== true && exclusive !== true,
)

it.each(Object.entries(readingFaults).map(([id, { requirement }]) => [id, requirement] as const))(
  'finds %s by %s',
  async (id, row) => {
    const own = cases.filter(({ requirement }) => requirement === row)
    expect(redRows(await judgeFault(id, own, { observers: candidateObservers }))).toEqual([row])
  },
)

it.each([
  'odd-jitters-logprobs',
  'odd-rounds-streamed-logprobs',
  'odd-thinks-under-two-names',
  'odd-deepseek-reasoning',
  'odd-refuses-long-prompts',
  'odd-joins-messages',
  'odd-demands-a-last-user',
  'odd-counts-its-template',
])('leaves %s alone', async (id) => {
  expect(failed(await judgeFault(id, cases, { observers: candidateObservers }))).toEqual([])
})

it('does not compare reasoning that differs from one plain answer to the next', async () => {
  const verdicts = await judgeFault('odd-thinks-otherwise-each-time', thoughtCases)
  expect(outcomeOf(verdicts, 'stream.same-thoughts')).toBe('not-applicable')
})

it('leaves a second system message that is refused to WIRE-26', async () => {
  expect(failed(await judgeFault('wire-refuses-late-systems', positionCases))).toEqual([])
})
