// A row of the key database is a key if each of its values is one that this program writes.
import { expect, test } from 'vitest'
import { damagedKey, makeKey, readKey } from './key-record.ts'

const { key, row } = makeKey({ name: 'a', models: ['m'], limit: { requests: 1, windowSeconds: 2 } }, {})
/** The record without its hash. */
const values = row.slice(1)
const COLUMNS = [
  'id',
  'name',
  'last four',
  'created',
  'revoked',
  'models',
  'requests',
  'window',
  'concurrency',
  'tokens',
]
const TEXTS = new Set([0, 1, 2])

test('a row that was made is read as its key', () => {
  expect(readKey(values)).toEqual(key)
})

const wrong = COLUMNS.flatMap((column, at) =>
  [7.5e15 * 2, 'never', '[1]', '{', -1, 0, true, undefined, Buffer.from('x'), null].flatMap((value) => {
    const isValid =
      (TEXTS.has(at) && typeof value === 'string') ||
      (column === 'created' && (value === -1 || value === 0)) ||
      (column === 'revoked' && (value === -1 || value === 0 || value === null)) ||
      (['models', 'concurrency', 'tokens'].includes(column) && value === null) ||
      (['requests', 'window', 'concurrency', 'tokens'].includes(column) && value === 1.5e16)
    return isValid ? [] : [{ column, at, value }]
  }),
)

test.each(wrong)('$value does not belong in the column $column', ({ at, value }) => {
  const damaged = values.with(at, value as null)
  expect(readKey(damaged)).toBeUndefined()
  expect(damagedKey(damaged)).toMatchObject({ isDamaged: true, models: [] })
})
