// Invalid bodies: which faults of validation the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { forAllWith } from '../../../../../spec/property.fixture.ts'
import { parseChatCompletionRequest } from '../../../../../spec/schemas/parse-request.ts'
import { bodyText } from '../../../../generate/chat-requests.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { bodyChecks, brokenBodies, cases } from './random-bodies.ts'

it.each(bodyChecks.map((one) => [one.slug, one] as const))('%s sends bodies that break it', (_, one) => {
  forAllWith({ numRuns: 20 }, brokenBodies('m', [one]), ({ body, at, place }) => {
    const read = parseChatCompletionRequest(JSON.parse(bodyText(body)))
    expect([at, place.kind, 'issue' in read]).toEqual([at, place.kind, true])
    expect(at.replaceAll(/\[\d+\]/g, '[]')).toMatch(new RegExp(`^${RegExp.escape(one.at ?? '')}`))
    expect(one.kinds).toContain(place.kind)
  })
})

it('does not judge the ranges of fields that are refused by name', async () => {
  const verdicts = await judgeFault(() => refuseFields(['tools']), cases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-tools')).toBe('not-applicable')
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-temperature')).toBe('pass')
})
