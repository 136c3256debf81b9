// The findings of a report: each open check in one of them, those of one cause together and no others, the worst first.
import { expect, it, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { causesAmong, statedCauseOf } from './causes.ts'
import { findingsOf } from './findings.ts'

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

/** An exchange whose answer has this status, body and headers. */
function answered(status: number, body: string, headers: [string, string][] = []) {
  const request = { method: 'POST', url: 'http://h/v1/chat/completions', headers: [] }
  return [{ request, response: { status, headers, body }, timings: null }]
}

const said = (message: string) => answered(400, JSON.stringify({ error: { message } }))
const cut = { expected: 'an answer that ends', actual: 'the connection broke after 122 bytes' }
const html = { exchanges: answered(200, '<html></html>', [['content-type', 'text/html']]) }
const unjudged = (reason: string) => ({ outcome: 'inconclusive', reason }) as const

/** Checks of different rows that show one cause. */
const together: Readonly<Record<string, readonly Partial<ReportCheck>[]>> = {
  'a refusal with another status': [
    { requirement: 'CHAT-3', expected: 'status 400', actual: 'status 422, {"error":{}}' },
    { requirement: 'WIRE-10', expected: 'status 400 (n: 129)', actual: 'status 422, {"detail":[]}' },
    { requirement: 'ERR-7', outcome: 'warn', expected: 'status 400, 401, 404', actual: 'status 422' },
  ],
  'a missing member of an answer': [
    { requirement: 'WIRE-1', expected: 'id, a non-empty string', actual: 'nothing' },
    { requirement: 'STREAM-3', expected: 'id, the same on every chunk', actual: 'nothing' },
    { requirement: 'GATE-2', expected: 'id "chatcmpl-PUkvoZhmK27A"', actual: 'nothing at the client' },
  ],
  'a missing member of an error': [
    { requirement: 'AUTH-3', expected: 'error.code "missing_api_key"', actual: 'nothing' },
    { requirement: 'ERR-1', expected: 'error.code, a string', actual: 'nothing' },
  ],
  'errors without an envelope': [
    {
      requirement: 'AUTH-2',
      expected: 'error.type "a"',
      actual: 'nothing',
      exchanges: answered(401, '{"detail":"a"}'),
    },
    {
      requirement: 'ERR-1',
      expected: 'error.message, a string',
      actual: 'nothing',
      exchanges: answered(404, '{}'),
    },
  ],
  'answers that are cut': [
    { requirement: 'CHAT-9', ...cut },
    {
      requirement: 'SDK-1',
      expected: 'a call that works',
      actual: 'TypeError: the answer ended early: broken',
    },
    {
      requirement: 'STREAM-6',
      ...unjudged('the stream did not come to its end (broken), which STREAM-2 judges'),
    },
    { requirement: 'CHAT-10', ...unjudged('the answer was cut (broken), also when asked again') },
  ],
  'no answer': [
    { requirement: 'CHAT-9', expected: 'an answer', actual: 'no answer within 30 s' },
    { requirement: 'WIRE-1', ...unjudged('no answer, also when asked again: no answer within 12.5 s') },
  ],
  'a page of HTML': [
    { requirement: 'CHAT-3', expected: 'status 400', actual: 'status 200, "<html></html>"', ...html },
    { requirement: 'WIRE-6', expected: '2 choices', actual: '0', ...html },
  ],
  'a 5xx with one text': [
    { requirement: 'CHAT-3', ...broken, exchanges: answered(500, '{"detail":"Oh","id":"a1b2c3d4"}') },
    { requirement: 'CHAT-4', ...broken, exchanges: answered(500, '{"detail":"Oh","id":"d4c3b2a1"}') },
  ],
  'a refusal of valid requests with one text': [
    { requirement: 'TOOL-1', ...refused, exchanges: said('tools need --jinja') },
    { requirement: 'WIRE-12', ...refused, exchanges: said('tools need --jinja') },
  ],
  'no verdict for one reason': [
    { requirement: 'KEY-5', ...unjudged('the port 18080 is in use') },
    { requirement: 'AUTH-4', ...unjudged('the port 18081 is in use') },
  ],
  'no verdict because of a row that fails': [
    { requirement: 'CHAT-1', ...refused },
    { requirement: 'WIRE-1', ...unjudged('a valid request was answered with 400, which CHAT-1 judges') },
  ],
  'one row, with other values of the request': [
    { requirement: 'WIRE-6', expected: '1 choices', actual: '0' },
    { requirement: 'WIRE-6', expected: '3 choices', actual: '1' },
  ],
}

test.each(Object.entries(together))('%s is one finding, which names all rows', (_, parts) => {
  const checks = parts.map((part, at) => check({ id: `${at}`, ...part }))
  const [finding, ...none] = findingsOf({ checks })
  expect(none).toEqual([])
  expect(finding?.checks).toEqual(checks)
  expect(new Set(finding?.requirements)).toEqual(new Set(checks.map(({ requirement }) => requirement)))
})

/** Pairs of checks that look alike and have different causes. */
const apart: Readonly<Record<string, readonly [Partial<ReportCheck>, Partial<ReportCheck>]>> = {
  'values that are answered, of two rows': [accepted, { requirement: 'WIRE-10', ...accepted }],
  'one value in two rows': [
    { requirement: 'WIRE-2', ...other },
    { requirement: 'WIRE-17', ...other },
  ],
  'a 422 for a 400, and for a 404': [misnamed, { ...misnamed, expected: 'status 404' }],
  'a 422 and a 409 for a 400': [misnamed, { ...misnamed, actual: 'status 409, {}' }],
  'a 422 for a 400, and for a success': [misnamed, { ...misnamed, expected: 'a success' }],
  'members that are missing': [
    { expected: 'id, a string', actual: 'nothing' },
    { expected: 'created, a number', actual: 'nothing' },
  ],
  'members of an error that are missing': [
    { expected: 'error.code "a"', actual: 'nothing' },
    { expected: 'error.type "a"', actual: 'nothing' },
  ],
  'a member that is missing, and one that is wrong': [
    { expected: 'id, a string', actual: 'nothing' },
    { expected: 'id, a string', actual: '7' },
  ],
  'error codes that are wrong': [
    { expected: 'error.code "a"', actual: '"no_key"' },
    { expected: 'error.code "a"', actual: '"bad_key"' },
  ],
  'a missing code, and no envelope': [
    { expected: 'error.code "a"', actual: 'nothing', exchanges: said('a') },
    { expected: 'error.code "a"', actual: 'nothing', exchanges: answered(400, '{}') },
  ],
  'the sides of a gateway': [
    { requirement: 'GATE-2', ...other, attribution: 'gateway' },
    { requirement: 'GATE-2', ...other, attribution: 'upstream' },
  ],
  'answers that are cut, and shorter than announced': [
    cut,
    { ...cut, exchanges: answered(200, '{', [['Content-Length', '200']]) },
  ],
  'answers that are cut, and that are late': [cut, { ...cut, actual: 'time ran out after 122 bytes' }],
  'pages of HTML with two statuses': [
    { ...other, ...html },
    { ...other, exchanges: answered(502, '', [['content-type', 'text/html']]) },
  ],
  'crashes with two texts in two rows': [
    { ...broken, exchanges: answered(500, 'KeyError') },
    { requirement: 'CHAT-4', ...broken, exchanges: answered(500, 'TypeError') },
  ],
  'fields that are refused, of two rows': [
    { ...refused, exchanges: said("unknown field 'n'") },
    { requirement: 'WIRE-6', ...refused, exchanges: said("unknown field 'stop'") },
  ],
  'rows that a reason names': [
    unjudged('no chunk came, which STREAM-1 judges'),
    unjudged('no chunk came, which STREAM-2 judges'),
  ],
  'statuses that a reason names': [unjudged('the key got status 500'), unjudged('the key got status 401')],
  'an error of the suite, and no verdict': [
    unjudged('x is not a function'),
    { outcome: 'error', reason: 'x is not a function' },
  ],
  'a page of HTML that the scripted service sends a client': [
    { requirement: 'READ-2', expected: 'an error', actual: 'an answer', ...html },
    { requirement: 'READ-3', expected: 'the text', actual: 'nothing of it', ...html },
  ],
}

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
