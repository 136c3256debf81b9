// The contract of every `KeyStore`, as a model for fast-check: commands in any order, on several stores that share one
// database like several server processes.
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { isKeyForm, KEY_PREFIX } from '../../spec/protocol/key.ts'
import type { ApiKey, NewKey } from './key-store.ts'
import { command } from './storage-contract.fixture.ts'

interface ModelKey {
  readonly key: ApiKey
  readonly secret: string
  revoked: boolean
  deleted: boolean
}

/** All created keys, oldest first. */
export interface Model {
  readonly keys: ModelKey[]
}

/** Any text without a NUL, which the forms reject. */
const text = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))

const newKey: fc.Arbitrary<Required<NewKey>> = fc.record({
  name: text,
  models: fc.option(fc.array(text, { maxLength: 4 })),
  limit: fc.option(
    fc.record({ requests: fc.integer({ min: 1 }), windowSeconds: fc.integer({ min: 1, max: 86_400 }) }),
  ),
  concurrency: fc.option(fc.integer({ min: 1 })),
  tokensPerMinute: fc.option(fc.integer({ min: 1 })),
})

/** The key with this number, of any number; undefined if there is none. */
function pick({ keys }: Model, index: number): ModelKey | undefined {
  return keys[index % keys.length]
}

const create = command('create', newKey, async (wanted, { keys: store }, { keys }: Model) => {
  const { key, secret } = await store.create(wanted)
  keys.push({ key, secret, revoked: false, deleted: false })
  const { id, createdAt } = key
  expect([
    key,
    isKeyForm(secret),
    keys.filter((other) => other.secret === secret || other.key.id === id),
  ]).toEqual([
    { ...wanted, id, lastFour: secret.slice(-4), createdAt, revokedAt: null },
    true,
    keys.slice(-1),
  ])
})

const createOnce = command(
  'create once',
  fc.tuple(fc.constantFrom('key_a', 'key_b'), newKey),
  async ([id, wanted], { keys: store }, { keys }: Model) => {
    const isNew = keys.every(({ key }) => key.id !== id)
    const made = await store.createOnce(id, wanted)
    if (made !== undefined) keys.push({ ...made, revoked: false, deleted: false })
    expect(made?.key.id).toEqual(isNew ? id : undefined)
  },
)

const find = command('find', fc.nat(), async (index, { keys }, model: Model) => {
  const entry = pick(model, index)
  const byId = await keys.find(entry?.key.id ?? 'key_of_nobody')
  expect([await keys.findActive(entry?.secret ?? ''), byId && { ...byId, revokedAt: null }]).toEqual([
    entry?.revoked === false ? entry.key : undefined,
    entry?.deleted === false ? entry.key : undefined,
  ])
})

/** AUTH-8: a secret with one character changed, removed or added is not accepted. */
const findAltered = command(
  'find altered',
  fc.tuple(fc.nat(), fc.nat()),
  async ([index, position], { keys }, model: Model) => {
    const secret = pick(model, index)?.secret ?? KEY_PREFIX
    const at = KEY_PREFIX.length + (position % 43)
    const altered = secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1)
    const wrong = [altered, secret.slice(0, -1), `${secret}A`, secret.toUpperCase()]
    expect(await Promise.all(wrong.map((secret) => keys.findActive(secret)))).toEqual(
      wrong.map(() => undefined),
    )
  },
)

const revoke = command('revoke', fc.nat(), async (index, { keys }, model: Model) => {
  const entry = pick(model, index)
  const expected = entry?.revoked === false
  if (entry !== undefined) entry.revoked = true
  expect(await keys.revoke(entry?.key.id ?? 'key_of_nobody')).toEqual(expected)
})

const remove = command('delete', fc.nat(), async (index, { keys }, model: Model) => {
  const entry = pick(model, index)
  const expected = entry?.deleted === false
  if (entry !== undefined) entry.revoked = entry.deleted = true
  expect(await keys.delete(entry?.key.id ?? 'key_of_nobody')).toEqual(expected)
})

const changeUnknown = command<string, Model>(
  'change',
  fc.string({ unit: 'binary' }),
  async (id, { keys }) => {
    expect([await keys.revoke(id), await keys.delete(id)]).toEqual([false, false])
  },
)

const list = command('list', fc.constant(null), async (_, { keys: store }, { keys }: Model) => {
  const listed = await store.list()
  // The model does not know when a key was revoked.
  expect(listed.map((key) => [key.revokedAt !== null, key])).toEqual(
    keys
      .filter(({ deleted }) => !deleted)
      .toReversed()
      .map(({ key, revoked }, index) => [revoked, { ...key, revokedAt: listed[index]?.revokedAt }]),
  )
})

const reopen = command('reopen', fc.constant(null), (_, _storage, _model: Model, reopen) => reopen())

/** Orders of events to try, for `fc.asyncModelRun` with two stores. */
export const keyStoreCommands = fc.commands(
  [create, createOnce, find, findAltered, revoke, remove, changeUnknown, list, reopen],
  { size: 'medium' },
)
