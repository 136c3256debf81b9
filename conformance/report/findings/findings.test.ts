// The findings of a report: each open check in one of them, those of one cause together and no others, the worst first.
import { expect, it, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { causesAmong, everyRefusalIn, statedCauseOf } from './causes.ts'
import {
  accepted,
  answered,
  apart,
  broken,
  check,
  html,
  misnamed,
  other,
  refused,
  together,
  unjudged,
} from './checks.fixture.ts'
import { FOREIGN_KEY } from '../../facts/discover-target.ts'
import { madeReport } from '../report.fixture.ts'
import { runNotes } from './describe.ts'
import { findingsOf } from './findings.ts'

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
  // The same statuses in a failure and a warning would be one cause.
  const warned = outcomes.map(({ expected, actual }) => ({
    expected,
    actual: actual.replace(/(?<=status \d)\d/, '3'),
  }))
  const failures = outcomes.map((values) => check(values))
  const warnings = warned.map((values) => check({ outcome: 'warn', requirement: 'WIRE-23', ...values }))
  const order = [...outcomes.toReversed(), ...warned.toReversed()]
  expect(findingsOf({ checks: [...warnings, ...failures] }).map(({ example }) => example.actual)).toEqual(
    order.map(({ actual }) => actual),
  )
})

it('takes a check and the one that looks at every answer for one finding if they show the same answer', () => {
  const own = { requirement: 'TOOL-1', exchanges: answered(200, '{"id":"a"}') }
  const checks = [
    check({ ...own, id: 'tools.ids', expected: 'an id of every call, each another', actual: '[null]' }),
    check({ ...own, id: 'tools.every-call', expected: 'an id and a name of every call', actual: '{}' }),
  ]
  for (const order of [checks, checks.toReversed()])
    expect(findingsOf({ checks: order }).map(({ checks: all }) => all)).toEqual([order])
  const [first, second] = checks
  const others: readonly Partial<ReportCheck>[] = [
    { exchanges: answered(200, '{"id":"b"}') },
    { requirement: 'TOOL-2' },
    { outcome: 'warn' },
    { exchanges: [] },
    { id: 'tools.names' },
  ]
  for (const more of others)
    expect(findingsOf({ checks: [check({ ...first }), check({ ...second, ...more })] })).toHaveLength(2)
})

it('counts the checks of one status that comes for every 400, and says nothing if a 400 comes too', () => {
  const checks = ['a', 'b', 'c'].map((id) =>
    check({
      id,
      expected: 'status 400',
      actual: 'refused, but with 422, {}',
      exchanges: answered(422, '{}'),
    }),
  )
  const passed = { outcome: 'pass' } as const
  expect(everyRefusalIn([...checks, check(passed)])).toEqual({ status: 422, count: 3 })
  expect(everyRefusalIn([...checks, check({ ...passed, exchanges: answered(400, '{}') })])).toBeUndefined()
  expect(everyRefusalIn([...checks, check({ ...misnamed, actual: 'status 409, {}' })])).toBeUndefined()
  expect(everyRefusalIn(checks.slice(0, 1))).toBeUndefined()
  expect(everyRefusalIn([check(broken), check(accepted)])).toBeUndefined()
})

it('puts what breaks a MUST before what breaks a SHOULD, then the cause of more checks first', () => {
  const named = (id: string, requirement: string, actual: string, level: 'MUST' | 'SHOULD' = 'MUST') =>
    check({ id, requirement, level, expected: 'id, as it was', actual })
  const checks = [
    ...['should-1', 'should-2', 'should-3'].map((id) => named(id, 'AUTH-7', '"one"', 'SHOULD')),
    named('single', 'WIRE-1', '"two"'),
    named('many-1', 'WIRE-4', '"three"'),
    named('many-2', 'WIRE-4', '"three"'),
  ]
  expect(findingsOf({ checks }).map(({ example }) => example.id)).toEqual(['many-1', 'single', 'should-1'])
})

it('puts what more of the users of a service meet before a worse failure that fewer meet', () => {
  const checks = [
    check({ id: 'odd', requirement: 'CHAT-9', ...broken }),
    check({ id: 'tools', requirement: 'TOOL-1', ...html }),
    check({ id: 'chat', requirement: 'CHAT-1', ...html }),
    check({ id: 'strict', requirement: 'WIRE-10', ...other }),
  ]
  expect(findingsOf({ checks }).map(({ example }) => example.id)).toEqual(['chat', 'odd', 'strict'])
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

it('takes a count that is the same for every prompt for one finding, in each row that compares counts', () => {
  const counted = (count: number) =>
    answered(200, JSON.stringify({ usage: { prompt_tokens: count, total_tokens: count + 2 } }))
  const compared = (requirement: string, expected: string, count: number) =>
    check({
      id: `${requirement} ${expected}`,
      requirement,
      expected,
      actual: `${count}`,
      exchanges: counted(count),
    })
  const same = [
    compared('WIRE-9', 'prompt_tokens above 10, the count with one less', 10),
    compared('WIRE-9', 'prompt_tokens above 10, the count without a system message', 10),
    compared('WIRE-28', 'a 400, or prompt_tokens well above the 10 of a prompt of 5000 words', 10),
  ]
  const [finding, ...none] = findingsOf({ checks: same })
  expect(none).toEqual([])
  expect([finding?.requirement, finding?.checks.length]).toEqual(['WIRE-9', 3])
  expect(finding?.what).toBe('counts 10 `prompt_tokens` whatever the prompt')
  // One prompt with another count: the service counts, so each failure has a cause of its own.
  const passed = check({ outcome: 'pass', requirement: 'WIRE-3', exchanges: counted(11) })
  expect(findingsOf({ checks: [...same, passed] })).toHaveLength(3)
  const ofStream = compared('STREAM-6', 'prompt_tokens 10, as of the plain answer', 12)
  expect(findingsOf({ checks: [...same, { ...ofStream, exchanges: [] }] })).toHaveLength(2)
})

test.each(Object.entries(together))('%s is one finding, which names all rows', (_, parts) => {
  const checks = parts.map((part, at) => check({ id: `${at}`, ...part }))
  const [finding, ...none] = findingsOf({ checks })
  expect(none).toEqual([])
  expect(finding?.checks).toEqual(checks)
  expect(new Set(finding?.requirements)).toEqual(new Set(checks.map(({ requirement }) => requirement)))
})

test.each(Object.entries(apart))('%s are two findings', (_, [one, two]) => {
  expect(findingsOf({ checks: [check({ id: 'one', ...one }), check({ id: 'two', ...two })] })).toHaveLength(2)
})

it('leaves to streams no failure of a library if streams fail for the reason of other answers', () => {
  const checks = [
    check({ id: 'page', requirement: 'STREAM-1', ...other, ...html }),
    check({ id: 'one', requirement: 'SDK-1', expected: 'models with ids', actual: '[]' }),
    check({ id: 'two', requirement: 'SDK-1', expected: 'a call that ends', actual: 'it goes on' }),
  ]
  expect(findingsOf({ checks })).toHaveLength(3)
})

it('leaves to streams no check that met a rate limit', () => {
  const request = { method: 'POST', url: 'http://h', headers: [], body: '{"stream":true}' }
  const refusedWith = (status: number) => [
    { request, response: { status, headers: [], body: '{}' }, timings: null },
  ]
  const found = (status: number) =>
    findingsOf({
      checks: [
        check({ id: 'stream', requirement: 'STREAM-1', ...other }),
        check({ id: 'open', ...unjudged('it is refused'), exchanges: refusedWith(status) }),
      ],
    })
  expect(found(400)).toHaveLength(1)
  expect(found(429)).toHaveLength(2)
})

const anyCheck = fc.record({
  requirement: fc.constantFrom('CHAT-1', 'CHAT-5', 'WIRE-10', 'STREAM-1', 'SDK-1', 'GATE-2', 'READ-2'),
  outcome: fc.constantFrom('pass', 'fail', 'warn', 'error', 'inconclusive', 'not-applicable'),
  values: fc.oneof(
    fc.constantFrom(accepted, refused, broken, misnamed, other, { reason: 'no answer' }),
    fc.constantFrom(...[...Object.values(together), ...Object.values(apart)].flat()),
  ),
})
const anyChecks = fc
  .array(anyCheck, { maxLength: 30 })
  .map((all) => all.map(({ values, ...more }, place) => check({ ...values, id: `${place}`, ...more })))

it('has each check that fails, warns or is not judged in one finding, and no other check', () => {
  forAll(anyChecks, (checks) => {
    const found = findingsOf({ checks }).flatMap((finding) => finding.checks)
    const open = checks.filter(({ outcome }) => ['fail', 'warn', 'error', 'inconclusive'].includes(outcome))
    expect(found.toSorted((one, two) => Number(one.id) - Number(two.id))).toEqual(open)
  })
})

it('finds the same groups in any order of the checks', () => {
  const groups = (checks: readonly ReportCheck[]) =>
    new Set(
      findingsOf({ checks: [...checks] }).map((finding) =>
        finding.checks
          .map(({ id }) => id)
          .toSorted()
          .join(),
      ),
    )
  const shuffled = anyChecks.chain((checks) =>
    fc.tuple(fc.constant(checks), fc.shuffledSubarray(checks, { minLength: checks.length })),
  )
  forAll(shuffled, ([checks, others]) => {
    expect(groups(others)).toEqual(groups(checks))
  })
})

it('joins rows only by a shared cause, by a stated one, or by a reason that names a row of the finding', () => {
  forAll(anyChecks, (checks) => {
    const causeOf = causesAmong(checks)
    for (const { checks: own, requirements } of findingsOf({ checks })) {
      if (requirements.length === 1) continue
      const main = own.filter(
        ({ outcome, reason = '' }) =>
          outcome !== 'inconclusive' || !requirements.some((row) => reason.includes(`which ${row} judges`)),
      )
      const keys = main.map((each) => causeOf(each)?.key ?? statedCauseOf(each)?.key)
      const isOneRow = new Set(main.map(({ requirement }) => requirement)).size === 1
      if (isOneRow) continue
      expect(keys).not.toContain(undefined)
      expect(new Set(keys).size).toBe(1)
    }
  })
})

it('reads hostile text in little time', () => {
  const texts = ['123, ', '"', "' ", '{', 'a1-', '\\"', 'status 400, ', '… ('].map((part) =>
    part.repeat(60_000),
  )
  const checks = texts.flatMap((text) => [
    check({ expected: text, actual: text }),
    check({ ...broken, actual: `status 500, ${text}`, exchanges: answered(500, text) }),
    check(unjudged(text)),
  ])
  expect(findingsOf({ checks }).flatMap((finding) => finding.checks)).toHaveLength(checks.length)
})

test('a wrong profile has a note, which counts the failures that profile wire does not judge', () => {
  const report = madeReport()
  const facts = [{ name: FOREIGN_KEY, value: true, learned: 'CONFORMANCE_API_KEY' }]
  const of = (profile: 'service' | 'wire') =>
    runNotes({ ...report, target: { ...report.target, facts, profile } })
  expect(of('service')).toContainEqual(
    expect.stringMatching(/^keys here do not begin .*`--profile wire`.* without 1 of the /),
  )
  expect([of('wire'), runNotes(report)].flat().filter((note) => note.startsWith('keys here'))).toEqual([])
})
