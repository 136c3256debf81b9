// The facts of the rows: each row of a server has a tier and no other row has one, the list of tier `strict` is the published
// one, and profile `wire` has the rows of the format.
import { expect, test } from 'vitest'
import { requirements, rowRequiring, tierOf } from './requirements.ts'

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

test('profile wire has the rows of the format, and those that are about it in other sections', () => {
  const wire = requirements.filter(
    ({ subject, profiles }) => subject === 'server' && profiles.includes('wire'),
  )
  const isOfFormat = (id: string): boolean => /^(?:WIRE|STREAM|TOOL|PARSE|SDK|CHAT)-/.test(id)
  const servers = requirements.filter(({ subject }) => subject === 'server').map(({ id }) => id)
  expect(wire.map(({ id }) => id).filter(isOfFormat)).toEqual(servers.filter(isOfFormat))
  expect(wire.map(({ id }) => id).filter((id) => !isOfFormat(id))).toEqual([
    'MODEL-8',
    'MODEL-9',
    'ERR-6',
    'ERR-10',
  ])
  for (const { profiles } of requirements) expect(profiles).toContain('service')
})

test('few rows are broken by a fault below HTTP: for the others it is inconclusive', () => {
  const broken = requirements.flatMap(({ id, brokenBy = [] }) =>
    brokenBy.length > 0 ? [`${id} ${brokenBy.join(' ')}`] : [],
  )
  expect(broken).toEqual([
    'KEY-7 connection',
    'CHAT-9 connection time',
    'CHAT-10 answer',
    'WIRE-31 end',
    'STREAM-1 framing end',
    'STREAM-2 end',
  ])
})

test('no two rows require the same answer', () => {
  const due = requirements.flatMap(({ requires }) => requires ?? [])
  expect(due.toSorted()).toEqual([
    'completion',
    'error',
    'model list',
    'model record',
    'prompt count',
    'stored completions',
    'stream',
  ])
  expect(rowRequiring('stream')).toBe('STREAM-1')
})

test('the rows about keys, headers and content types, which a recording may lack, are these', () => {
  const rowsAbout = (part: string) =>
    requirements.flatMap(({ id, about }) => (about === part ? [id] : [])).join(' ')
  expect(rowsAbout('header')).toBe('LIMIT-2 LIMIT-6 LIMIT-7 WIRE-21')
  expect(rowsAbout('content type')).toBe('WIRE-5 STREAM-1 STREAM-10')
  const keys = requirements.filter(({ about }) => about === 'key').map(({ id }) => id)
  expect(keys.filter((id) => !/^(?:AUTH|KEY)-/.test(id))).toEqual(['CALL-1', 'CALL-2'])
  for (const { id, about } of requirements) if (/^(?:AUTH|KEY)-/.test(id)) expect(about).toBe('key')
})

test('the rows that no recording shows have a reason of their own', () => {
  const hidden = requirements.filter(({ notRecorded }) => notRecorded !== undefined)
  expect(hidden.map(({ id }) => id).join(' ')).toBe('RETRY-5 RETRY-7 RETRY-8 RETRY-9 CALL-4 CALL-5')
  for (const { notRecorded } of hidden) expect(notRecorded?.split(' ').length).toBeGreaterThan(5)
})
