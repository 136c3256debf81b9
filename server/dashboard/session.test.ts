import { expect, test } from 'vitest'
import { createSessionStore, isTokenOf } from './session.ts'

const limits = { idleMs: 100, lifetimeMs: 250, sessions: 3 }

function openStore() {
  const clock = { time: 0 }
  return { clock, sessions: createSessionStore({ now: () => clock.time, limits }) }
}

test('a session is found by its id and by no other', () => {
  const { sessions } = openStore()
  const { id, session } = sessions.start()
  expect(sessions.find(id)).toBe(session)
  for (const other of ['', id.slice(1), `${id}A`, id.toLowerCase()])
    expect(sessions.find(other)).toBeUndefined()
})

test('ids and tokens are 256 random bits, different each time', () => {
  const { sessions } = openStore()
  const started = [sessions.start(), sessions.start()]
  const tokens = started.flatMap(({ id, session }) => [id, session.csrf])
  expect(new Set(tokens).size).toBe(4)
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
})

test('a session ends when it rests, and its use keeps it alive up to its lifetime', () => {
  const { clock, sessions } = openStore()
  const { id: resting } = sessions.start()
  const { id: used, session } = sessions.start()
  for (clock.time of [99, 198, 249]) expect(sessions.find(used)).toBe(session)
  expect(sessions.find(resting)).toBeUndefined()
  clock.time = 250
  expect(sessions.find(used)).toBeUndefined()
})

test('a session that was ended is found no more, and ending it again harms no other', () => {
  const { sessions } = openStore()
  const { id } = sessions.start()
  const { id: other, session } = sessions.start()
  sessions.end(id)
  sessions.end(id)
  expect(sessions.find(id)).toBeUndefined()
  expect(sessions.find(other)).toBe(session)
})

test('over the bound the session that was used longest ago ends', () => {
  const { sessions } = openStore()
  const [a, b, c] = [sessions.start(), sessions.start(), sessions.start()]
  sessions.find(a.id)
  const d = sessions.start()
  expect([a, b, c, d].map(({ id }) => sessions.find(id) !== undefined)).toEqual([true, false, true, true])
})

test('a token is of the session that it was made for', () => {
  const { sessions } = openStore()
  const { session } = sessions.start()
  expect(isTokenOf(session, session.csrf)).toBe(true)
  for (const other of ['', session.csrf.slice(1), sessions.start().session.csrf])
    expect(isTokenOf(session, other)).toBe(false)
})

test('a session remembers a bounded number of things and gives each secret once', () => {
  const { session } = openStore().sessions.start()
  for (let number = 0; number < 25; number += 1) session.secrets.set(`key_${number}`, `secret ${number}`)
  expect(session.secrets.take('key_4')).toBeUndefined()
  expect(session.secrets.take('key_5')).toBe('secret 5')
  expect(session.secrets.take('key_5')).toBeUndefined()
})
