import { expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import type { Case } from './case.ts'
import type { Observer } from '../../contract/observer.ts'
import { type Catalogue, collect, everyRowFirst, importantFirst, select, waitingFirst } from './selection.ts'
import { COSTS } from './costs.ts'
import { globMatcher } from '../../contract/selection.ts'
import { fullCatalogue } from './catalogue.ts'
import { rowsOf } from '../../contract/verdict.ts'
import type { Tier } from '../../../spec/catalogue/section.ts'
import { server } from './subject.ts'

const makeCase = (id: string, requirement: Case['requirement'] = 'AUTH-1'): Case => ({
  id,
  requirement,
  title: 'a test',
  run: async () => {},
})
const observer: Observer = { ...makeCase('errors.every', 'ERR-1'), applies: () => true, verifiers: [] }

test('every check has an id of its own, a title, and a row that judges servers', () => {
  const { cases, observers } = fullCatalogue()
  const checks = [...cases, ...observers]
  expect(checks.length).toBeGreaterThan(100)
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
  expect(checks.filter(({ title }) => title.trim() === '')).toEqual([])
})

test.each<[string, readonly Case[], RegExp]>([
  ['an id twice', [makeCase('a.b'), makeCase('a.b')], /two checks have the id a\.b/],
  ['an id that is not a valid check id', [makeCase('Auth.missing header')], /not a valid check id/],
  ['a row of clients', [makeCase('a.b', 'RETRY-1')], /a\.b: RETRY-1 does not judge a server/],
  ['a row of the dashboard', [makeCase('a.b', 'KEY-1')], /a\.b: KEY-1 does not judge a server/],
])('%s is refused', (_, cases, message) => {
  expect(() => collect([{ cases }])).toThrow(message)
})

test('an id of a case is not an id of an observer', () => {
  expect(() => collect([{ cases: [makeCase('errors.every')], observers: [observer] }])).toThrow(/two checks/)
})

const small: Catalogue = {
  cases: [makeCase('auth.a'), makeCase('auth.b', 'AUTH-7'), makeCase('chat.a', 'CHAT-1')],
  observers: [observer],
}
const ids = (checks: readonly { readonly id: string }[]): readonly string[] => checks.map(({ id }) => id)

test('a pattern selects by the id of a check or of its requirement, in any case', () => {
  expect(ids(select(small, { profile: 'service', only: 'auth.*' }).cases)).toEqual(['auth.a', 'auth.b'])
  expect(ids(select(small, { profile: 'service', only: 'auth-7' }).cases)).toEqual(['auth.b'])
  expect(ids(select(small, { profile: 'service', only: 'CHAT-?,auth.a' }).cases)).toEqual([
    'auth.a',
    'chat.a',
  ])
  expect(ids(select(small, { profile: 'service', only: undefined }).cases)).toHaveLength(3)
})

test('profile wire selects its own rows only', () => {
  const { cases, observers } = select(small, { profile: 'wire', only: undefined })
  expect([ids(cases), ids(observers)]).toEqual([['chat.a'], []])
})

test('a tier selects the checks of its rows', () => {
  const tierOfRows = (tier: Tier) => ids(select(small, { profile: 'service', tier }).cases)
  expect(tierOfRows('interop')).toEqual(['auth.a', 'chat.a'])
  expect(tierOfRows('strict')).toEqual(['auth.b'])
  const one = select(small, { profile: 'service', tier: 'strict', only: 'auth.*' })
  expect(ids(one.cases)).toEqual(['auth.b'])
})

test('the checks that wait begin first; each other one keeps its place', () => {
  const { cases } = fullCatalogue()
  const [waiting, others] = [true, false].map((waits) =>
    ids(cases.filter((one) => (one.waits ?? false) === waits)),
  )
  expect(waiting).toEqual(['keys.revoked-later', 'chat.framing-idle'])
  expect(ids(waitingFirst(cases))).toEqual([...(waiting ?? []), ...(others ?? [])])
})

test('both tiers together are the whole catalogue, in each profile', () => {
  for (const profile of ['service', 'wire'] as const) {
    const all = (tier?: Tier) => ids(server.select({ profile, tier }))
    expect([...all('interop'), ...all('strict')].toSorted()).toEqual(all().toSorted())
  }
})

test('an observer without a case of its own row gets a small traffic, always the same', () => {
  const { traffic } = select(fullCatalogue(), { profile: 'service', only: 'WIRE-29' })
  expect(traffic.length).toBeGreaterThan(20)
  expect(traffic.some(({ exclusive }) => exclusive)).toBe(false)
  expect(new Set(traffic.map(({ requirement }) => requirement)).size).toBe(traffic.length)
  expect(select(small, { profile: 'service', only: 'ERR-1' })).toMatchObject({
    cases: [],
    observers: [observer],
    traffic: small.cases,
  })
  expect(select(small, { profile: 'service', only: 'auth.a' }).traffic).toEqual([])
  expect(select(fullCatalogue(), { profile: 'service', only: 'CHAT-7' }).traffic).toEqual([])
})

test('every requirement has one check before any has its second, and none is lost', () => {
  const checks = fc.array(fc.record({ requirement: fc.constantFrom('AUTH-1', 'KEY-1', 'CHAT-1', 'WIRE-1') }))
  forAll(checks, (given) => {
    const ordered = everyRowFirst(given)
    const rows = new Set(given.map(({ requirement }) => requirement))
    expect(new Set(ordered.slice(0, rows.size).map(({ requirement }) => requirement))).toEqual(rows)
    expect(ordered).toHaveLength(given.length)
    expect(new Set(ordered)).toEqual(new Set(given))
  })
})

test('a run of limited time judges each MUST first, and the checks with many requests last', () => {
  const { cases } = fullCatalogue()
  expect(new Set(importantFirst(cases, 'service'))).toEqual(new Set(cases))
  const [dearest, dear] = ['STREAM-13', 'CHAT-9'] as const
  expect(COSTS[dearest]?.requests).toBeGreaterThan(COSTS[dear]?.requests ?? 0)
  const given = [
    makeCase('a.dearest', dearest),
    makeCase('a.dear', dear),
    { ...makeCase('a.thorough', 'AUTH-3'), thorough: true },
    makeCase('a.may', 'KEY-9'),
    makeCase('a.should', 'AUTH-7'),
    makeCase('a.must', 'AUTH-1'),
    makeCase('a.second', 'AUTH-1'),
    makeCase('a.other-must', 'AUTH-3'),
  ]
  expect(ids(importantFirst(given, 'service'))).toEqual([
    'a.must',
    'a.other-must',
    'a.second',
    'a.should',
    'a.may',
    'a.thorough',
    'a.dear',
    'a.dearest',
  ])
})

test('a pattern without stars matches itself alone', () => {
  const id = fc.stringMatching(/^[a-z]{1,5}\.[a-z0-9-]{1,9}$/)
  forAll(id, id, (one, other) => {
    expect(globMatcher(one)(other)).toBe(one === other)
    expect(globMatcher('*')(other)).toBe(true)
    expect(globMatcher(`${other.slice(0, 2)}*`)(other)).toBe(true)
  })
})

test('every row that a case stands for is a row of its profile', () => {
  const rows = new Set<string>(rowsOf('service').map(({ id }) => id))
  for (const check of fullCatalogue().cases) expect(rows).toContain(check.requirement)
})
