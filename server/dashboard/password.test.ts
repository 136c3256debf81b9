import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadOperatorPassword, PASSWORD_FILE } from './password.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'touchstone-password-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const load = (configured?: string) => loadOperatorPassword({ dataDir, configured })
const path = () => join(dataDir, PASSWORD_FILE)

test('a configured password is the password, and nothing is stored', async () => {
  const password = await load('pässword 🔑')
  expect(password.generated).toBeUndefined()
  expect(await password.verify('pässword 🔑')).toBe(true)
  for (const wrong of ['', 'password', 'pässword 🔑 ', 'Pässword 🔑'])
    expect(await password.verify(wrong)).toBe(false)
  expect(readdirSync(dataDir)).toEqual([])
})

test('without one, a password is generated once and found again, never in clear', async () => {
  const first = await load()
  const { generated = '' } = first
  // 25 letters of 32: 125 bits.
  expect(generated).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){4}$/)
  expect(await first.verify(generated)).toBe(true)

  const second = await load('')
  expect(second.generated).toBeUndefined()
  expect(await second.verify(generated)).toBe(true)
  expect(await second.verify(generated.replaceAll('-', ''))).toBe(false)

  const stored = readFileSync(path(), 'utf8')
  expect(stored).toMatch(/^scrypt\$16384\$8\$1\$/)
  for (const part of generated.split('-')) expect(stored).not.toContain(part)
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir)).toEqual([PASSWORD_FILE])
})

test('a configured password takes the place of a generated one while it is configured', async () => {
  const { generated = '' } = await load()
  const configured = await load('configured')
  expect(await configured.verify(generated)).toBe(false)
  expect(await (await load()).verify(generated)).toBe(true)
})

test('two folders have two passwords', async () => {
  const { generated } = await load()
  const other = await loadOperatorPassword({ dataDir: join(dataDir, 'other'), configured: undefined })
  expect(other.generated).not.toBe(generated)
})

test('of several processes that start at once one generates the password, and all accept it', async () => {
  const passwords = await Promise.all(Array.from({ length: 6 }, () => load()))
  const [generated = '', ...others] = passwords.flatMap((password) => password.generated ?? [])
  expect(others).toEqual([])
  expect(await Promise.all(passwords.map((password) => password.verify(generated)))).toEqual(
    passwords.map(() => true),
  )
  expect(readdirSync(dataDir)).toEqual([PASSWORD_FILE])
})

test.each(['', 'nonsense', 'scrypt$16384$8$1$$', 'scrypt$2$8$1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaA'])(
  'a damaged file is refused by name: %j',
  async (content) => {
    writeFileSync(path(), content)
    await expect(load()).rejects.toThrow(`${path()} is damaged`)
  },
)
