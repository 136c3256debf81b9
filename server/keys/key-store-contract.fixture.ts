// The contract of every `KeyStore`, as a model for fast-check: commands in any order, on several stores that share one
// database like several server processes.
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { isKeyForm, KEY_PREFIX } from '../../spec/protocol/key.ts'
import type { ApiKey, KeyStore, NewKey } from './key-store.ts'
import type { Storage } from './storage.ts'

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

/** The storages, and a function that opens another on the same keys. */
export interface Real {
  readonly stores: Storage[]
  readonly open: () => Storage | Promise<Storage>
}

type Command = fc.AsyncCommand<Model, Real>

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

/** A command on one of the stores. `act` returns the answer of the store and the expected one. */
function command(
  name: string,
  store: number,
  act: (store: KeyStore, model: Model) => Promise<{ said: unknown; expected: unknown }>,
): Command {
  return {
    check: () => true,
    async run(model, real) {
      const asked = real.stores[store % real.stores.length]
      if (asked === undefined) throw new Error('no store is open')
      const { said, expected } = await act(asked.keys, model)
      expect(said).toEqual(expected)
    },
    toString: () => `${name} in store ${store}`,
  }
}

function create(store: number, wanted: NewKey): Command {
  return command(`create ${JSON.stringify(wanted)}`, store, async (store, { keys }) => {
    const { key, secret } = await store.create(wanted)
    keys.push({ key, secret, revoked: false, deleted: false })
    const { id, createdAt } = key
    return {
      said: [key, isKeyForm(secret), keys.filter((other) => other.secret === secret || other.key.id === id)],
      expected: [
        { ...wanted, id, lastFour: secret.slice(-4), createdAt, revokedAt: null },
        true,
        keys.slice(-1),
      ],
    }
  })
}

function createOnce(store: number, id: string, wanted: NewKey): Command {
  return command(`create ${id} once`, store, async (store, { keys }) => {
    const isNew = keys.every(({ key }) => key.id !== id)
    const made = await store.createOnce(id, wanted)
    if (made !== undefined) keys.push({ ...made, revoked: false, deleted: false })
    return { said: made?.key.id, expected: isNew ? id : undefined }
  })
}

function find(store: number, index: number): Command {
  return command(`find ${index}`, store, async (store, { keys }) => {
    const entry = pick(keys, index)
    const byId = await store.find(entry?.key.id ?? 'key_of_nobody')
    return {
      said: [await store.findActive(entry?.secret ?? ''), byId && { ...byId, revokedAt: null }],
      expected: [
        entry?.revoked === false ? entry.key : undefined,
        entry?.deleted === false ? entry.key : undefined,
      ],
    }
  })
}

/** AUTH-8: a secret with one character changed, removed or added is not accepted. */
function findAltered(store: number, index: number, position: number): Command {
  return command(`find ${index}, altered at ${position}`, store, async (store, { keys }) => {
    const secret = pick(keys, index)?.secret ?? KEY_PREFIX
    const at = KEY_PREFIX.length + (position % 43)
    const altered = secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1)
    const wrong = [altered, secret.slice(0, -1), `${secret}A`, secret.toUpperCase()]
    return {
      said: await Promise.all(wrong.map((secret) => store.findActive(secret))),
      expected: wrong.map(() => undefined),
    }
  })
}

function revoke(store: number, index: number): Command {
  return command(`revoke ${index}`, store, async (store, { keys }) => {
    const entry = pick(keys, index)
    const expected = entry?.revoked === false
    if (entry !== undefined) entry.revoked = true
    return { said: await store.revoke(entry?.key.id ?? 'key_of_nobody'), expected }
  })
}

function remove(store: number, index: number): Command {
  return command(`delete ${index}`, store, async (store, { keys }) => {
    const entry = pick(keys, index)
    const expected = entry?.deleted === false
    if (entry !== undefined) entry.revoked = entry.deleted = true
    return { said: await store.delete(entry?.key.id ?? 'key_of_nobody'), expected }
  })
}

function changeUnknown(store: number, id: string): Command {
  return command(`change ${JSON.stringify(id)}`, store, async (store) => ({
    said: [await store.revoke(id), await store.delete(id)],
    expected: [false, false],
  }))
}

function list(store: number): Command {
  return command('list', store, async (store, { keys }) => {
    const listed = await store.list()
    return {
      said: listed.map((key) => [key.revokedAt !== null, key]),
      // The model does not know when a key was revoked.
      expected: keys
        .filter(({ deleted }) => !deleted)
        .toReversed()
        .map(({ key, revoked }, index) => [
          revoked,
          Object.assign({}, key, { revokedAt: listed[index]?.revokedAt }),
        ]),
    }
  })
}

function reopen(store: number): Command {
  return {
    check: () => true,
    async run(_model, real) {
      const at = store % real.stores.length
      await real.stores[at]?.close()
      real.stores[at] = await real.open()
    },
    toString: () => `reopen store ${store}`,
  }
}

function pick(keys: readonly ModelKey[], index: number): ModelKey | undefined {
  return keys[index % keys.length]
}

const store = fc.nat({ max: 1 })

/** Orders of events to try, for `fc.asyncModelRun` with two stores. */
export const keyStoreCommands = fc.commands(
  [
    fc.tuple(store, newKey).map((of) => create(...of)),
    fc.tuple(store, fc.constantFrom('key_a', 'key_b'), newKey).map((of) => createOnce(...of)),
    fc.tuple(store, fc.nat()).map((of) => find(...of)),
    fc.tuple(store, fc.nat(), fc.nat()).map((of) => findAltered(...of)),
    fc.tuple(store, fc.nat()).map((of) => revoke(...of)),
    fc.tuple(store, fc.nat()).map((of) => remove(...of)),
    fc.tuple(store, fc.string({ unit: 'binary' })).map((of) => changeUnknown(...of)),
    store.map(list),
    store.map(reopen),
  ],
  { size: 'medium' },
)
