// The reasoning of a model, streamed as it is plain, before a text and before a call (STREAM-6).
import { at } from '../../../../../harness/json-value.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { thoughtsOf } from '../requests/markup.ts'
import { LOOK_UP } from '../tools/tool-requests.ts'
import { bothAnswers, expectSame, sameAs } from '../streaming/parity.ts'

const plainThoughts = (choice: unknown): string => thoughtsOf([at(choice, 'message')])

/** The reasoning of the streamed choices is that of the plain ones, joined as it came. */
const sameThoughtsAs = sameAs('reasoning', plainThoughts, ({ deltas }) => thoughtsOf(deltas))

/** Compares the reasoning of two answers to a request. Returns whether one of them has any. */
async function compareThoughts(t: CaseContext, members: Members): Promise<boolean> {
  const both = await bothAnswers(t, members)
  const given = [
    ...choicesOf(both.plain).map(plainThoughts),
    ...both.stream.choices.map(({ deltas }) => thoughtsOf(deltas)),
  ]
  if (given.every((text) => text === '')) return false
  await expectSame(t, both, sameThoughtsAs(both.plain))
  return true
}

export const thoughtCases: readonly Case[] = [
  check('stream.same-thoughts', 'STREAM-6', 'the reasoning of a model that gives it, streamed and plain').run(
    async (t: CaseContext) => {
      await t.target.requireDeterministic()
      const beforeText = await compareThoughts(t, {})
      const calls = (await t.target.supports('tools')) && (await t.target.supports('tool_choice'))
      const call: Members = { tools: [LOOK_UP], tool_choice: 'required' }
      const beforeCall = calls && (await compareThoughts(t, call))
      if (!beforeText && !beforeCall) t.notApplicable('the model gives no reasoning')
    },
  ),
]
