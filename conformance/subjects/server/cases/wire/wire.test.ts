// The members of a completion, the request fields and the refusals of those that are not supported: which faults the
// cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { bodyOfCall } from '../../../../../fixtures/faulty/calls.ts'
import { sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import { chain, editReplies } from '../../../../../fixtures/faulty/edits.ts'
import { asNumber } from '../../../../../fixtures/faulty/json-types.ts'
import { editChunkChoices, editFinishReason } from '../../../../../fixtures/faulty/stream-edits.ts'
import { judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { completionCases } from './completion-shape.ts'
import { fieldCases } from './field-effects.ts'
import { unsupportedCases } from './unsupported.ts'

it('judges what two choices show at a service that refuses more by name', async () => {
  const two: Start = () =>
    sendError((_, call) => asNumber(bodyOfCall(call)?.['n']) > 2, 400, {
      message: "Field 'n' must be between 1 and 2.",
      code: 'no',
    })
  expect(notPassed(await judgeFault(two, [...completionCases, ...fieldCases]))).toEqual([
    expect.stringMatching(/^wire\.choice-indexes: not-applicable/),
    expect.stringMatching(/^wire\.n-3: not-applicable/),
    expect.stringMatching(/^wire\.text-of-each-choice: not-applicable/),
  ])
})

it('concludes nothing from an answer that was cut', async () => {
  const cut: Start = () => (call, forward) =>
    (bodyOfCall(call)?.['response_format'] ?? null) === null
      ? forward(call)
      : chain(
          editFinishReason(() => 'length'),
          editReplies((message) => ({ ...message, content: '{"touch' })),
          editChunkChoices((choice, delta) => ({
            ...choice,
            delta: { ...delta, content: typeof choice['finish_reason'] === 'string' ? '{"touch' : '' },
          })),
        )(call, forward)
  expect(notPassed(await judgeFault(cut, unsupportedCases))).toEqual([
    expect.stringMatching(/^wire\.json-object-not-ignored: inconclusive/),
    expect.stringMatching(/^wire\.json-object-not-ignored-streamed: inconclusive/),
    expect.stringMatching(/^wire\.json-schema-not-ignored: inconclusive/),
    expect.stringMatching(/^wire\.json-schema-not-ignored-streamed: inconclusive/),
  ])
})
