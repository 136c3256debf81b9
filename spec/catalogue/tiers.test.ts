// Each row of a server has a tier, no other row has one, and the list of tier `strict` is the published one.
import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'
import { tierOf } from './tiers.ts'

const rowsOfTier = (tier: string) => requirements.filter(({ id }) => tierOf(id) === tier).map(({ id }) => id)

test('the rows of servers have a tier, and no others', () => {
  for (const { id, subject } of requirements) expect(tierOf(id) !== undefined).toBe(subject === 'server')
  for (const id of ['AUTH-0', 'constructor', '']) expect(tierOf(id)).toBeUndefined()
})

test('tier strict has the refusals of invalid requests, and formalities', () => {
  expect(rowsOfTier('strict').join(' ')).toBe(
    [
      'AUTH-2 AUTH-4 AUTH-6 AUTH-7 AUTH-8 KEY-6 KEY-9 KEY-11 MODEL-2 MODEL-3 MODEL-5 MODEL-6 MODEL-7 MODEL-8',
      'CHAT-3 CHAT-4 CHAT-5 CHAT-6 ERR-2 ERR-5 ERR-7 ERR-8 ERR-9 LIMIT-4 LIMIT-5 LIMIT-6 VERS-1 VERS-2',
      'WIRE-10 WIRE-11 WIRE-12 WIRE-16 WIRE-21 WIRE-23 WIRE-25 WIRE-30 WIRE-33 STREAM-13',
    ].join(' '),
  )
})
