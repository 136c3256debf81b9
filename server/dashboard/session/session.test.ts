import { expect, test } from 'vitest'
import { openSqliteStorage } from '../../keys/sqlite/sqlite-storage.ts'
import { createSessions } from './session.ts'

const limits = { idleMs: 100, lifetimeMs: 250 }

function openSessions() {
  const clock = { time: 1000 }
  const records = openSqliteStorage({ path: ':memory:' }).sessions
  const open = () => createSessions(records, () => clock.time, limits)
  return { clock, records, sessions: open(), elsewhere: open() }
}

test('every instance finds a session by its id and by no other', async () => {
  const { sessions, elsewhere } = openSessions()
  const { id, session } = await sessions.start()
  expect(await sessions.find(id)).toEqual(session)
  expect(await elsewhere.find(id)).toEqual(session)
  for (const other of ['', id.slice(1), `${id}A`, id.toLowerCase(), session.idHash])
    expect(await sessions.find(other)).toBeUndefined()
})

test('ids and tokens are 256 random bits, unique, and no id is stored', async () => {
  const { sessions, records } = openSessions()
  const started = [await sessions.start(), await sessions.start()]
  const tokens = started.flatMap(({ id, session }) => [id, session.csrf])
  expect(new Set(tokens).size).toBe(4)
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  for (const { id, session } of started)
    expect(JSON.stringify(await records.find(session.idHash))).not.toContain(id)
})

test('an idle session ends, and use extends a session up to its lifetime', async () => {
  const { clock, sessions, elsewhere } = openSessions()
  const { id: resting } = await sessions.start()
  const { id: used, session } = await sessions.start()
  for (clock.time of [1099, 1198, 1249]) expect(await elsewhere.find(used)).toEqual(session)
  expect(await sessions.find(resting)).toBeUndefined()
  clock.time = 1250
  expect(await sessions.find(used)).toBeUndefined()
})

test('the next sign-in deletes ended sessions', async () => {
  const { clock, sessions, records } = openSessions()
  const { session } = await sessions.start()
  clock.time = 1101
  await sessions.start()
  expect(await records.find(session.idHash)).toBeUndefined()
})
