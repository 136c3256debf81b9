import { beforeEach, expect, test } from 'vitest'
import { passwordFile } from '../../keys/password-file.ts'
import type { PasswordRecord } from '../../keys/storage.ts'
import { temporaryFolder } from '../../test-resources.fixture.ts'
import { loadOperatorPassword } from './operator-password.ts'

let record: PasswordRecord
beforeEach(() => {
  record = passwordFile(temporaryFolder())
})

/** Cheap: what the cost does is the same at each. */
const COST = 1024

/** Loads the password as a start does, and creates one if none exists. */
async function load(configured?: string, cost = COST) {
  const password = await loadOperatorPassword({ record, configured, cost })
  return { ...password, generated: await password.makeFirst() }
}

test('a configured password is accepted, not recorded and not changeable', async () => {
  const password = await load('pässword 🔑')
  expect(password.generated).toBeUndefined()
  expect(password.change).toBeUndefined()
  expect(await password.verify('pässword 🔑')).toBe(true)
  for (const wrong of ['', 'password', 'pässword 🔑 ', 'Pässword 🔑'])
    expect(await password.verify(wrong)).toBe(false)
  expect(await record.read()).toBeUndefined()
})

test('without a configured password, one is generated once and never stored in clear', async () => {
  const first = await load()
  const { generated = '' } = first
  // 25 letters of 32: 125 bits.
  expect(generated).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){4}$/)
  expect(await first.verify(generated)).toBe(true)

  const second = await load('')
  expect(second.generated).toBeUndefined()
  expect(await second.verify(generated)).toBe(true)
  expect(await second.verify(generated.replaceAll('-', ''))).toBe(false)

  const recorded = (await record.read()) ?? ''
  expect(recorded).toMatch(/^scrypt\$1024\$8\$1\$/)
  for (const part of generated.split('-')) expect(recorded).not.toContain(part)
})

test('a changed password replaces the old one on every instance', async () => {
  const first = await load()
  const other = await load()
  await first.change?.('another password')
  for (const password of [first, other, await load()]) {
    expect(await password.verify('another password')).toBe(true)
    expect(await password.verify(first.generated ?? '')).toBe(false)
  }
  expect(await record.read()).not.toContain('another')
})

test('before the first password exists, no password is accepted', async () => {
  const password = await loadOperatorPassword({ record, configured: undefined, cost: COST })
  expect(await record.read()).toBeUndefined()
  expect(await password.verify('')).toBe(false)
  expect(await password.makeFirst()).toBeDefined()
  expect(await password.makeFirst()).toBeUndefined()
})

test('a hash of lower cost is accepted, and replaced at the next successful sign-in', async () => {
  const { generated = '' } = await load()
  const costlier = await load(undefined, 2 * COST)
  expect(await costlier.verify('wrong')).toBe(false)
  expect(await record.read()).toMatch(/^scrypt\$1024\$/)
  expect(await costlier.verify(generated)).toBe(true)
  expect(await record.read()).toMatch(/^scrypt\$2048\$/)
  expect(await costlier.verify(generated)).toBe(true)
})

test('the default cost is 2 to the 17th', async () => {
  await (await loadOperatorPassword({ record, configured: undefined })).makeFirst()
  expect(await record.read()).toMatch(/^scrypt\$131072\$8\$1\$/)
})

test('a configured password works if the recorded one is lost', async () => {
  const { generated = '' } = await load()
  const configured = await load('configured')
  expect(await configured.verify('configured')).toBe(true)
  expect(await configured.verify(generated)).toBe(false)
  expect(await (await load()).verify(generated)).toBe(true)
})

test('one of several concurrent processes generates the password, and all accept it', async () => {
  const passwords = await Promise.all(Array.from({ length: 6 }, () => load()))
  const [generated = '', ...others] = passwords.flatMap((password) => password.generated ?? [])
  expect(others).toEqual([])
  expect(await Promise.all(passwords.map((password) => password.verify(generated)))).toEqual(
    passwords.map(() => true),
  )
})

test.each([
  '',
  'nonsense',
  'scrypt$16384$8$1$$',
  'scrypt$3000$8$1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
  'scrypt$2$8$1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaA',
])('an invalid record is refused: %j', async (content) => {
  await record.replace(content)
  await expect(load()).rejects.toThrow('password is invalid')
})
