import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { requirements } from '../../spec/catalogue/requirements.ts'
import {
  type Judgement,
  type VerdictOptions,
  coverage,
  exitCode,
  rollUp,
  rowsOf,
  stale,
  tierCounts,
  totals,
} from './verdict.ts'
import { headOf } from './check.ts'
import { OUTCOMES, worst } from './outcome.ts'

const serverRows = rowsOf('service')
const judgement = fc
  .record({ row: fc.constantFrom(...serverRows), outcome: fc.constantFrom(...OUTCOMES), id: fc.uuid() })
  .map(({ row, outcome, id }): Judgement => ({ id, requirement: row.id, level: row.level, outcome }))
const judgements = fc.array(judgement, { maxLength: 30 })
const passing: Judgement = { id: 'a.c', requirement: 'WIRE-4', level: 'MUST', outcome: 'pass' }
const none: VerdictOptions = { expected: new Set(), allowIncomplete: false, missing: [], unknown: [] }

test('WIRE-23 is only reported in profile wire', () => {
  const check = { id: 'a.b', requirement: 'WIRE-23', title: 'an unknown field' } as const
  const levels = (['service', 'wire'] as const).map((profile) => [
    rowsOf(profile).find(({ id }) => id === 'WIRE-23')?.level,
    headOf(check, profile).level,
    rollUp([{ ...check, level: 'SHOULD', outcome: 'warn' }], profile)[0]?.level,
  ])
  expect(levels).toEqual([Array(3).fill('SHOULD'), Array(3).fill('MAY')])
})

test('each tier counts the rows that were judged and hold: MUST and SHOULD, and a warning does not hold', () => {
  const rows = [
    ['CHAT-1', 'MUST', 'pass'],
    ['WIRE-14', 'SHOULD', 'warn'],
    ['WIRE-3', 'MUST', 'inconclusive'],
    ['WIRE-29', 'MAY', 'pass'],
    ['CHAT-3', 'MUST', 'fail'],
    ['WIRE-21', 'SHOULD', 'pass'],
    ['WIRE-16', 'SHOULD', 'not-applicable'],
    ['RETRY-1', 'MUST', 'pass'],
  ] as const
  const judged = rows.map(([id, level, outcome]) => ({ id, level, outcome }))
  expect(tierCounts(judged)).toEqual({ interop: { judged: 2, hold: 1 }, strict: { judged: 2, hold: 1 } })
  expect(tierCounts(judged.slice(-1))).toBeUndefined()
})

test('the tiers judge every applicable MUST that the coverage counts as judged', () => {
  forAll(judgements, (checks) => {
    const rows = rollUp(checks)
    const { interop, strict } = tierCounts(rows.filter(({ level }) => level === 'MUST')) ?? {}
    const { judged } = coverage(checks, serverRows, new Set(), false)
    expect((interop?.judged ?? 0) + (strict?.judged ?? 0)).toBe(judged)
  })
})

test('a requirement is as bad as its worst check, whatever the order', () => {
  forAll(judgements, (checks) => {
    const rows = rollUp(checks)
    expect(rollUp(checks.toReversed())).toEqual(rows)
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(checks.map((check) => check.requirement)))
    for (const { id, outcome } of rows) {
      const own = checks.filter((check) => check.requirement === id).map((check) => check.outcome)
      expect(own).toContain(outcome)
      for (const other of own) expect(OUTCOMES.indexOf(outcome)).toBeLessThanOrEqual(OUTCOMES.indexOf(other))
    }
  })
})

test('one more check never makes an outcome better', () => {
  forAll(fc.array(fc.constantFrom(...OUTCOMES)), fc.constantFrom(...OUTCOMES), (outcomes, more) => {
    const before = OUTCOMES.indexOf(worst(outcomes))
    const after = OUTCOMES.indexOf(worst([...outcomes, more]))
    expect(after).toBeLessThanOrEqual(before)
  })
})

test('every check is counted once', () => {
  forAll(judgements, (checks) => {
    const sum = Object.values(totals(checks)).reduce((all, count) => all + count, 0)
    expect(sum).toBe(checks.length)
  })
})

test('the exit code: 2 before 1 before 3, and 0 only if none of them applies', () => {
  forAll(judgements, fc.boolean(), (checks, allowIncomplete) => {
    const code = exitCode(checks, { ...none, allowIncomplete })
    const outcomes = new Set(checks.map(({ outcome }) => outcome))
    const judged = new Set(['pass', 'warn', 'fail'])
    const musts = checks.filter(({ outcome, level }) => level === 'MUST' && outcome !== 'not-applicable')
    const isJudged = (musts.length > 0 ? musts : checks).some(({ outcome }) => judged.has(outcome))
    const openMust = musts.some(({ outcome }) => outcome === 'inconclusive')
    if (checks.length === 0 || outcomes.has('error')) expect(code).toBe(2)
    else if (outcomes.has('fail')) expect(code).toBe(1)
    else expect(code).toBe(!isJudged || (openMust && !allowIncomplete) ? 3 : 0)
  })
})

test('an entry of what is not offered does not excuse a failure, and fails the run if it passes', () => {
  const notOffered = new Set(['a.b'])
  const code = (outcome: Judgement['outcome'], more: Partial<VerdictOptions> = {}) =>
    exitCode([{ id: 'a.b', level: 'MUST', outcome }, passing], {
      ...none,
      notOffered,
      ...more,
    })
  expect([code('not-applicable'), code('fail'), code('pass')]).toEqual([0, 1, 1])
  expect(code('not-applicable', { withdrawn: ['a.b'] })).toBe(1)
  expect([code('pass', { allowStale: true }), code('fail', { allowStale: true })]).toEqual([0, 1])
})

test('an expected failure does not count, and one that passes now fails the run', () => {
  forAll(judgements, (checks) => {
    const expected = new Set(checks.map(({ id }) => id))
    const code = exitCode(checks, { ...none, expected })
    const passes = checks.some(({ outcome }) => outcome === 'pass')
    expect(stale(checks, expected).length > 0).toBe(passes)
    if (checks.length > 0 && checks.every(({ outcome }) => outcome !== 'error'))
      expect(code === 1).toBe(passes)
  })
})

test('a run that judged nothing is not green', () => {
  const checks: Judgement[] = [{ id: 'a', requirement: 'AUTH-1', level: 'MUST', outcome: 'not-applicable' }]
  for (const allowIncomplete of [false, true]) expect(exitCode(checks, { ...none, allowIncomplete })).toBe(3)
  expect(exitCode([{ ...checks[0], outcome: 'pass' } as Judgement], { ...none, unknown: ['n'] })).toBe(3)
})

test('a SHOULD that holds makes no run green of which no MUST was judged, whatever is allowed', () => {
  const check = { id: 'a', requirement: 'AUTH-1' } as const
  const checks: Judgement[] = [
    { ...check, level: 'MUST', outcome: 'inconclusive' },
    { ...check, level: 'SHOULD', outcome: 'pass' },
  ]
  expect(exitCode(checks, { ...none, allowIncomplete: true })).toBe(3)
})

test('of some rows, those that were selected are all that can apply', () => {
  const checks: Judgement[] = [{ id: 'a', requirement: 'AUTH-1', level: 'MUST', outcome: 'pass' }]
  expect(coverage(checks, rowsOf('service'), new Set(['AUTH-1']), false)).toMatchObject({
    applicable: 1,
    judged: 1,
  })
})

test('a required capability that is missing fails the run', () => {
  const checks: Judgement[] = [{ id: 'a', requirement: 'AUTH-1', level: 'MUST', outcome: 'pass' }]
  expect(exitCode(checks, { ...none, missing: ['n'] })).toBe(1)
})

test('coverage counts a MUST as judged only if it passed, failed or warned', () => {
  forAll(judgements, (checks) => {
    const { applicable, judged, notCovered } = coverage(checks, rowsOf('service'), new Set(['AUTH-1']), true)
    const rows = rollUp(checks).filter(({ level }) => level === 'MUST')
    const notApplicable = rows.filter(({ outcome }) => outcome === 'not-applicable').length
    const musts = serverRows.filter(({ level }) => level === 'MUST').length
    expect(applicable).toBe(musts - notApplicable)
    const held = new Set(['pass', 'fail', 'warn'])
    expect(judged).toBe(rows.filter(({ outcome }) => held.has(outcome)).length)
    expect(notCovered).toHaveLength(serverRows.length - 1)
  })
})

test('profile wire is the rows of the format, the chat rows, ERR-6 and MODEL-8, and no other', () => {
  const ids = rowsOf('wire').map(({ id }) => id)
  const expected = requirements.filter(({ id, source }) => source === 'wire' || id.startsWith('CHAT-'))
  expect(ids.toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
  expect(serverRows.some(({ subject }) => subject !== 'server')).toBe(false)
})
