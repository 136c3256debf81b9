import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KeyCommandError, commandWords, createKeyMaker } from './key-command.ts'
import { temporaryFolder } from '../temporary-folder.fixture.ts'

const script = join(import.meta.dirname, 'key-command.fixture.ts')

function makerOf(fault = '', timeoutMs = 60_000) {
  const log = join(temporaryFolder(), 'log')
  writeFileSync(log, '')
  const secrets: string[] = []
  const maker = createKeyMaker({
    words: [process.execPath, script],
    env: { KEY_LOG: log, KEY_FAULT: fault },
    onSecret: (secret) => void secrets.push(secret),
    timeoutMs,
  })
  return { maker, secrets, log: () => readFileSync(log, 'utf8').trim().split('\n') }
}

test('creates keys, with a generous limit by default, and reports each secret', async () => {
  const { maker, secrets, log } = makerOf()
  const first = await maker.create()
  const second = await maker.create({ models: ['a', 'b'], limit: { requests: 5, windowSeconds: 2 } })
  expect(log()).toEqual(['create key_1 --limit 100000/60', 'create key_2 --models a,b --limit 5/2'])
  expect([first.secret, second.secret]).toEqual(secrets)
})

test('revokes every created key once at the end', async () => {
  const { maker, log } = makerOf()
  await maker.create()
  await maker.create()
  await maker.revoke('key_1')
  await maker.revokeAll()
  await maker.revokeAll()
  expect(log().filter((line) => line.startsWith('revoke'))).toEqual(['revoke key_1', 'revoke key_2'])
})

test('a pending key is revoked too', async () => {
  const { maker, log } = makerOf('slow')
  const making = maker.create()
  await maker.revokeAll()
  expect(log()).toContain('revoke key_1')
  await making
})

test.each([
  ['create-fails', undefined, /failed to create: exit 1 \(the store is unreachable\)/],
  ['create-hangs', 2_000, /failed to create: it took more than 2 s/],
  ['talkative', undefined, /failed to create: it printed too much/],
])('%s is a clear error', async (fault, timeoutMs, message) => {
  const { maker } = makerOf(fault, timeoutMs)
  const failure = maker.create()
  await expect(failure).rejects.toThrow(KeyCommandError)
  await expect(failure).rejects.toThrow(message)
})

test('an error does not repeat the output of the command', async () => {
  const failure = makerOf('no-json').maker.create()
  await expect(failure).rejects.toThrow(/did not print/)
  await expect(failure).rejects.not.toThrow(/svc_sk/)
})

test('an error names the key that cannot be revoked', async () => {
  const { maker } = makerOf('revoke-fails')
  await maker.create()
  await expect(maker.revokeAll()).rejects.toThrow(/could not revoke key_1: .*the store is unreachable/)
})

test('a program that does not exist is a clear error', async () => {
  const maker = createKeyMaker({ words: ['/no/such/program'], onSecret: () => {} })
  await expect(maker.create()).rejects.toThrow(/failed to create: spawn \/no\/such\/program ENOENT/)
})

test('a command is split at white space', () => {
  expect(commandWords('  node\tkeys.ts  --x ')).toEqual(['node', 'keys.ts', '--x'])
})
