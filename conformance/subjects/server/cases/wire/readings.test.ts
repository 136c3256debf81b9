// The reading of requests, and streams that say something else than a plain answer: which faults the cases find, and what they
// leave alone.
import { expect, it } from 'vitest'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { thoughtCases } from '../values/streamed-thoughts.ts'
import { positionCases } from '../conversation/message-positions.ts'

it('does not compare reasoning that differs from one plain answer to the next', async () => {
  const verdicts = await judgeFault('odd-thinks-otherwise-each-time', thoughtCases)
  expect(outcomeOf(verdicts, 'stream.same-thoughts')).toBe('not-applicable')
})

it('leaves a second system message that is refused to WIRE-26', async () => {
  expect(failed(await judgeFault('wire-refuses-late-systems', positionCases))).toEqual([])
})
