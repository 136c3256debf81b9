// The contract of every `Storage` except its keys, as a model for fast-check: usage, audit log, sessions and password, in
// any order of events, on several storages of one database.
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { AUDIT_ACTIONS, type AuditEntry } from './stored-audit.ts'
import { MAX_SESSIONS, type SessionRecord } from './stored-sessions.ts'
import type { Storage } from './storage.ts'
import type { UsageRecord } from './stored-usage.ts'

export interface StorageModel {
  /** The counts of each minute and key. */
  readonly usage: Map<string, UsageRecord>
  readonly lastUsed: Map<string, number>
  /** The newest first. */
  audit: AuditEntry[]
  sessions: SessionRecord[]
  password: string | undefined
}

export const emptyModel = (): StorageModel => ({
  usage: new Map(),
  lastUsed: new Map(),
  audit: [],
  sessions: [],
  password: undefined,
})

/** The two storages, and a function that opens another on the same database. */
export interface Real {
  readonly stores: Storage[]
  readonly open: () => Storage | Promise<Storage>
}

/** Changes the storage and the model, or compares what they say. */
type Act<With, Model> = (
  of: With,
  storage: Storage,
  model: Model,
  reopen: () => Promise<void>,
) => Promise<void>

const keyId = fc.constantFrom<string[]>('key_a', 'key_b', 'key_Z')
const minute = fc.nat({ max: 5 })
const time = fc.nat({ max: 10 })
const idHash = fc.constantFrom('1f', '2f', '3f')

/** Commands of one kind, on either storage. */
export function command<With, Model extends object = StorageModel>(
  name: string,
  given: fc.Arbitrary<With>,
  act: Act<With, Model>,
): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return fc.tuple(fc.nat({ max: 1 }), given).map(([store, of]) => ({
    check: () => true,
    async run(model, { stores, open }) {
      const storage = stores[store]
      if (storage === undefined) throw new Error('no storage is open')
      async function reopen(): Promise<void> {
        await storage?.close()
        stores[store] = await open()
      }
      await act(of, storage, model, reopen)
    },
    toString: () => `${name} ${JSON.stringify(of)} in storage ${store}`,
  }))
}

const usageRecord: fc.Arbitrary<UsageRecord> = fc.record({
  keyId,
  minute,
  requests: fc.nat({ max: 1000 }),
  tokens: fc.maxSafeNat().map((tokens) => tokens % 2 ** 40),
  lastUsedAt: fc.maxSafeNat().map((at) => at % 2 ** 41),
})

function added(sum: UsageRecord | undefined, record: UsageRecord): UsageRecord {
  if (sum === undefined) return record
  return {
    ...record,
    requests: sum.requests + record.requests,
    tokens: sum.tokens + record.tokens,
    lastUsedAt: Math.max(sum.lastUsedAt, record.lastUsedAt),
  }
}

/** Sorts by minute, then by key. */
function inOrder(records: ReadonlyMap<string, UsageRecord>): UsageRecord[] {
  return [...records].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
}

const usage = [
  command('add usage', fc.array(usageRecord, { maxLength: 5 }), async (records, storage, model) => {
    await storage.usage.add(records)
    for (const record of records) {
      const name = `${record.minute} ${record.keyId}`
      model.usage.set(name, added(model.usage.get(name), record))
      model.lastUsed.set(record.keyId, Math.max(model.lastUsed.get(record.keyId) ?? 0, record.lastUsedAt))
    }
  }),
  command('usage since', fc.tuple(minute, fc.option(keyId)), async ([from, key], storage, model) => {
    const expected = inOrder(model.usage).filter(
      (record) => record.minute >= from && (key === null || record.keyId === key),
    )
    expect(await storage.usage.since(from, key ?? undefined)).toEqual(expected)
  }),
  command(
    'usage in spans',
    fc.tuple(minute, fc.integer({ min: 1, max: 3 }), fc.uniqueArray(keyId)),
    async ([from, minutes, keys], storage, model) => {
      const expected = new Map<string, UsageRecord>()
      for (const record of model.usage.values()) {
        if (record.minute < from || !keys.includes(record.keyId)) continue
        const span = from + Math.floor((record.minute - from) / minutes) * minutes
        const name = `${span} ${record.keyId}`
        expected.set(name, added(expected.get(name), { ...record, minute: span }))
      }
      expect(await storage.usage.sums(from, minutes, keys)).toEqual(inOrder(expected))
    },
  ),
  command('last used', fc.constant(null), async (_, storage, model) => {
    expect(await storage.usage.lastUsed()).toEqual(model.lastUsed)
  }),
  command('prune usage', minute, async (before, storage, model) => {
    await storage.usage.prune(before)
    for (const [name, record] of model.usage) if (record.minute < before) model.usage.delete(name)
  }),
]

const auditEntry: fc.Arbitrary<AuditEntry> = fc.record({
  at: time,
  action: fc.constantFrom(...AUDIT_ACTIONS),
  address: fc.ipV6(),
  keyId: fc.option(keyId),
  detail: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
})

const audit = [
  command('append', auditEntry, async (entry, storage, model) => {
    await storage.audit.append(entry)
    model.audit = [entry, ...model.audit]
  }),
  command('audit', fc.tuple(fc.nat({ max: 4 }), fc.option(keyId)), async ([limit, key], storage, model) => {
    const expected = model.audit.filter((entry) => key === null || entry.keyId === key).slice(0, limit)
    expect(await storage.audit.list({ limit, ...(key !== null && { keyId: key }) })).toEqual(expected)
  }),
]

const session: fc.Arbitrary<SessionRecord> = fc.record({
  idHash,
  csrf: fc.stringMatching(/^[\w-]{43}$/),
  startedAt: time,
  usedAt: time,
})

const sessions = [
  command('sign in', session, async (record, storage, model) => {
    const others = model.sessions.filter(({ idHash }) => idHash !== record.idHash)
    await storage.sessions.delete(record.idHash)
    await storage.sessions.insert(record)
    model.sessions = [...others, record].slice(-MAX_SESSIONS)
  }),
  command('session', idHash, async (id, storage, model) => {
    expect(await storage.sessions.find(id)).toEqual(model.sessions.find((one) => one.idHash === id))
  }),
  command('touch', fc.tuple(idHash, time), async ([id, usedAt], storage, model) => {
    await storage.sessions.touch(id, usedAt)
    model.sessions = model.sessions.map((one) => (one.idHash === id ? { ...one, usedAt } : one))
  }),
  command('sign out', idHash, async (id, storage, model) => {
    await storage.sessions.delete(id)
    model.sessions = model.sessions.filter((one) => one.idHash !== id)
  }),
  command('end all but', fc.option(idHash), async (except, storage, model) => {
    await storage.sessions.deleteAll(except ?? undefined)
    model.sessions = model.sessions.filter((one) => one.idHash === except)
  }),
  command('prune sessions', fc.tuple(time, time), async ([started, used], storage, model) => {
    await storage.sessions.prune(started, used)
    model.sessions = model.sessions.filter((one) => one.startedAt >= started && one.usedAt >= used)
  }),
]

const hash = fc.constantFrom('scrypt$a', 'scrypt$b')

const password = [
  command('password', fc.constant(null), async (_, storage, model) => {
    expect(await storage.password.read()).toEqual(model.password)
  }),
  command('first password', hash, async (wanted, storage, model) => {
    const expected = model.password === undefined
    model.password ??= wanted
    expect(await storage.password.createOnce(wanted)).toEqual(expected)
  }),
  command('new password', hash, async (wanted, storage, model) => {
    await storage.password.replace(wanted)
    model.password = wanted
  }),
]

/** Orders of events to try, for `fc.asyncModelRun` with two storages. */
export const storageCommands = fc.commands([...usage, ...audit, ...sessions, ...password], { size: 'medium' })
