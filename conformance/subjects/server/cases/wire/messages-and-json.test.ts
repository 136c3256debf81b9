// Forms of messages and answers in JSON: which faults the cases find, and what they leave alone (WIRE-9, WIRE-17,
// WIRE-18, WIRE-24).
import { describe, expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { chain } from '../../../../../fixtures/faulty/edits.ts'
import { editFormatted } from '../../../../../fixtures/faulty/faults/answers/json-faults.ts'
import { editFinishReason } from '../../../../../fixtures/faulty/stream-edits.ts'
import { judgeFault, notPassed, outcomesOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { jsonCases } from './json-answers.ts'
import { messageCases } from '../conversation/message-forms.ts'

describe('answers in JSON', () => {
  const section = { cases: jsonCases, runs: 3 }

  it.each(['length', 'content_filter'])('judges no answer that ends with %s', async (reason) => {
    const cut: Start = () =>
      chain(
        editFinishReason(() => reason),
        editFormatted('json_object', () => '{"cut'),
        editFormatted('json_schema', () => '{"cut'),
      )
    const ofAnswers = jsonCases.filter(({ id }) => id !== 'wire.json-schema-unknown-type')
    const verdicts = await judgeFault(cut, ofAnswers, section)
    expect(outcomesOf(verdicts)).toEqual(['inconclusive'])
  })

  it('judges no service that refuses response_format by name', async () => {
    const verdicts = await judgeFault(() => refuseFields(['response_format']), jsonCases, section)
    expect(outcomesOf(verdicts)).toEqual(['not-applicable'])
  })
})

describe('forms of a message', () => {
  it('judges no media that a service refuses by name', async () => {
    const others = notPassed(await judgeFault('odd-proxy', messageCases))
    expect(others).toEqual(
      ['image-url', 'input-audio', 'file'].map((name) =>
        expect.stringMatching(`^wire.message-${name}: not-applicable`),
      ),
    )
  })
})
