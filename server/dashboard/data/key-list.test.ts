import { describe, expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { apiKey } from '../dashboard.fixture.ts'
import {
  holdsSecret,
  listAddress,
  type ListQuery,
  PAGE_SIZE,
  readListQuery,
  viewOf,
  withoutSecret,
} from './key-list.ts'

const plainList: ListQuery = { search: '', state: 'active', order: 'newest', page: 1 }

function numbered(number: number, change: Partial<ApiKey> = {}): ApiKey {
  return apiKey(`key_${number}`, { name: `name ${number}`, createdAt: new Date(number), ...change })
}

const anyQuery: fc.Arbitrary<ListQuery> = fc.record({
  search: fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.trim()),
  state: fc.constantFrom('active', 'revoked', 'all'),
  order: fc.constantFrom('newest', 'oldest', 'name', 'name-down', 'used', 'unused'),
  page: fc.integer({ min: 1, max: 999_999 }),
})

describe('the address of a view', () => {
  test('is parsed back to the same view', () => {
    forAll(anyQuery, (query) => {
      const { searchParams } = new URL(listAddress('/dashboard', query), 'http://dashboard.test')
      expect(readListQuery(searchParams)).toEqual(query)
    })
  })

  test.each([
    '',
    'state=other&order=toString&page=0',
    'page=-1',
    'page=1e3',
    'order=__proto__',
    'page=9999999',
  ])('has defaults for %j', (query) => {
    expect(readListQuery(new URLSearchParams(query))).toEqual(plainList)
    expect(listAddress('/dashboard', plainList)).toBe('/dashboard')
  })

  test('contains no secret', () => {
    const secret = `svc_sk_${'s'.repeat(39)}-end`
    const query = { ...plainList, search: ` ${secret}` }
    expect(holdsSecret(query)).toBe(true)
    expect(withoutSecret(query)).toEqual({ ...plainList, search: '-end' })
    for (const search of ['', 'svc_sk_', 'svc_sk_…-end', '-end', 'name'])
      expect(holdsSecret({ ...plainList, search })).toBe(false)
  })
})

describe('a view', () => {
  const anyKeys = fc
    .array(fc.record({ revoked: fc.boolean(), name: fc.string(), used: fc.option(fc.nat()) }), {
      maxLength: 130,
    })
    .map((made) =>
      made.map(({ revoked, name, used }, number) => ({
        key: numbered(number, { name, revokedAt: revoked ? new Date(0) : null }),
        used,
      })),
    )

  test('shows each matching key on exactly one page, in any order', () => {
    forAll(anyKeys, anyQuery, (made, { state, order }) => {
      const keys = made.map(({ key }) => key)
      const lastUsed = new Map(made.flatMap(({ key, used }) => (used === null ? [] : [[key.id, used]])))
      const query = { ...plainList, state, order }
      const { pages, found } = viewOf(keys, query, lastUsed)
      const shown = Array.from({ length: pages }, (_, at) =>
        viewOf(keys, { ...query, page: at + 1 }, lastUsed),
      )
      expect(shown.every((view) => view.shown.length <= PAGE_SIZE)).toBe(true)
      expect(shown.flatMap((view) => view.shown.map(({ id }) => id)).toSorted()).toEqual(
        keys
          .filter(({ revokedAt }) => state === 'all' || (revokedAt === null) === (state === 'active'))
          .map(({ id }) => id)
          .toSorted(),
      )
      expect(found).toMatchObject({ all: keys.length, active: found.all - found.revoked })
    })
  })

  const b = numbered(1, { name: 'b2', models: ['svc-9-huge'] })
  const a = numbered(2, { name: 'B10', lastFour: 'AbCd' })
  const c = numbered(3, { name: 'Ärger', revokedAt: new Date(0) })
  const lastUsed = new Map([
    ['key_2', 5],
    ['key_3', 9],
  ])
  const view = (change: Partial<ListQuery>) =>
    viewOf([c, a, b], { ...plainList, state: 'all', ...change }, lastUsed).shown.map(({ id }) => id)

  test.each([
    ['newest', ['key_3', 'key_2', 'key_1']],
    ['oldest', ['key_1', 'key_2', 'key_3']],
    ['name', ['key_3', 'key_1', 'key_2']],
    ['name-down', ['key_2', 'key_1', 'key_3']],
    ['used', ['key_3', 'key_2', 'key_1']],
    ['unused', ['key_1', 'key_2', 'key_3']],
  ] as const)('is ordered by %s', (order, ids) => {
    expect(view({ order })).toEqual(ids)
  })

  test.each([
    ['b', ['key_2', 'key_1']],
    ['ÄRGER', ['key_3']],
    ['HUGE', ['key_1']],
    ['abcd', ['key_2']],
    ['svc_sk_…AbCd', ['key_2']],
    ['key_3', ['key_3']],
    ['nothing', []],
  ])('of a search for %j has the matching keys', (search, ids) => {
    expect(view({ search })).toEqual(ids)
  })

  test('beyond the last page is the last page', () => {
    const keys = Array.from({ length: PAGE_SIZE + 1 }, (_, number) => numbered(number))
    expect(viewOf(keys, { ...plainList, page: 99 }, new Map())).toMatchObject({ page: 2, pages: 2 })
    expect(viewOf([], plainList, new Map())).toMatchObject({ page: 1, pages: 1, shown: [] })
  })
})
