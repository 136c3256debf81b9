// The findings of a report: each failed check in one of them, the worst first.
import { expect, it } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { findingsOf } from './findings.ts'
import type { ReportCheck } from '../contract/report.ts'

function check(more: Partial<ReportCheck>): ReportCheck {
  return {
    id: 'chat.one',
    requirement: 'CHAT-5',
    level: 'MUST',
    outcome: 'fail',
    title: '`n`: a value of another type',
    durationMs: 1,
    exchanges: [],
    ...more,
  }
}

const accepted = { expected: 'status 400 (n: "1")', actual: 'status 200, {"id":"a"}' }
const refused = { expected: 'a success (top_p: 0 is in range)', actual: 'status 400, {"error":{}}' }
const broken = { expected: 'status 400', actual: 'status 500, {"error":{}}' }
const misnamed = { expected: 'status 400', actual: 'status 422, {"detail":[]}' }
const other = { expected: 'content that is a JSON object', actual: '"no"' }

it('takes the values of many fields that are answered instead of refused for one finding', () => {
  const fields = ['frequency_penalty', 'n', 'seed', 'store', 'top_p', 'user', 'verbosity']
  const checks = fields.map((field) => check({ id: field, title: `\`${field}\`: another type`, ...accepted }))
  const [finding, ...none] = findingsOf({ checks })
  expect(none).toEqual([])
  expect(finding?.checks).toEqual(checks)
  expect(finding?.what).toBe(
    'answers requests that it should refuse: frequency_penalty, n, seed, store, top_p, user and 1 more',
  )
})

it('begins with the worst: failures before warnings, 5xx before refusals of what is valid', () => {
  const outcomes = [misnamed, accepted, other, refused, broken]
  const checks = (['warn', 'fail'] as const).flatMap((outcome) =>
    outcomes.map((values) => check({ outcome, ...values })),
  )
  const order = outcomes.toReversed()
  expect(findingsOf({ checks }).map(({ outcome, checks: [first] }) => [outcome, first?.actual])).toEqual(
    (['fail', 'warn'] as const).flatMap((outcome) => order.map(({ actual }) => [outcome, actual])),
  )
})

it('takes what fails because no stream can be read for one finding with that, and nothing else', () => {
  const asked = (stream: boolean, body: string) => ({
    requirement: 'TOOL-2',
    exchanges: [
      {
        request: {
          method: 'POST',
          url: '/v1/chat/completions',
          headers: [],
          body: JSON.stringify({ stream }),
        },
        response: { status: 200, headers: [], body },
        timings: null,
      },
    ],
  })
  const checks = [
    check({ id: 'library', requirement: 'SDK-1', ...other }),
    check({ id: 'unread', outcome: 'warn', ...asked(true, '{"delta":{}}'), ...other }),
    check({ id: 'stream', requirement: 'STREAM-1', ...other }),
    check({ id: 'read', ...asked(true, 'data: {"choices":[]}\n\n'), ...other }),
    check({ id: 'plain', ...asked(false, '{}'), ...other }),
  ]
  const found = findingsOf({ checks }).map((finding) => [
    finding.requirement,
    finding.checks.map(({ id }) => id),
  ])
  expect(found).toEqual([
    ['STREAM-1', ['library', 'unread', 'stream']],
    ['TOOL-2', ['read', 'plain']],
  ])
  expect(findingsOf({ checks })[0]?.what).toContain('; 2 checks of other rows for this reason')
})

it('has each failed check in one finding, and no other check', () => {
  const some = fc.record({
    requirement: fc.constantFrom('CHAT-5', 'WIRE-10', 'STREAM-1'),
    outcome: fc.constantFrom('pass', 'fail', 'warn', 'error', 'inconclusive', 'not-applicable'),
    values: fc.constantFrom(accepted, refused, broken, misnamed, other, { reason: 'no answer' }),
  })
  forAll(fc.array(some), (all) => {
    const checks = all.map(({ values, ...more }, place) => check({ id: `${place}`, ...more, ...values }))
    const found = findingsOf({ checks }).flatMap((finding) => finding.checks)
    const failed = checks.filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))
    expect(found.toSorted((one, two) => Number(one.id) - Number(two.id))).toEqual(failed)
  })
})
