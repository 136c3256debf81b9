// Conversations in an unusual order, and the length of a prompt, and the text of answers (WIRE-26 to 29).
import { describe, expect, it } from 'vitest'
import { chain, editReplies } from '../../../../../fixtures/faulty/edits.ts'
import { editDeltas } from '../../../../../fixtures/faulty/stream-edits.ts'
import { judgeFault } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { completionCases } from '../wire/completion-shape.ts'
import { reasoningObservers } from '../requests/markup.ts'
import { usageCases } from '../wire/usage-counts.ts'

describe('the name of reasoning', () => {
  const section = {
    cases: [...completionCases, ...usageCases],
    observers: reasoningObservers,
    rows: ['WIRE-29'],
  } as const

  it('reports another name in streams than in completions, as an optional row', async () => {
    const twoNames: Start = () =>
      chain(
        editReplies((message) => ({ ...message, reasoning_content: 'Be brief.' })),
        editDeltas((delta) => ({ ...delta, reasoning: 'Be brief.' })),
      )
    const verdicts = await judgeFault(twoNames, section.cases, section)
    expect(verdicts.filter(({ requirement }) => requirement === 'WIRE-29')).toEqual([
      expect.objectContaining({
        id: 'wire.every-reasoning',
        outcome: 'not-applicable',
        reason: expect.stringContaining('got reasoning_content and reasoning'),
      }),
    ])
  })
})
