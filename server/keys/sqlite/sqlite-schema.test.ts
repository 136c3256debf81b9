import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { closedAtEnd, temporaryFolder } from '../../test-resources.fixture.ts'
import { KEY_FILE, openSqliteStorage } from './sqlite-storage.ts'
import { migrate, migrations } from './sqlite-schema.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = temporaryFolder()
})

const open = () => new DatabaseSync(join(dataDir, KEY_FILE))
const versionOf = (database: DatabaseSync) => database.prepare('PRAGMA user_version').get()?.['user_version']

test('a migrated file keeps its keys', async () => {
  const store = openSqliteStorage({ dataDir })
  const { secret } = await store.keys.create({ name: 'old', models: null, limit: null })
  await store.close()

  const database = open()
  migrate(database, [...migrations, 'ALTER TABLE keys ADD COLUMN note TEXT', "UPDATE keys SET note = 'kept'"])
  expect(versionOf(database)).toBe(migrations.length + 2)
  expect(database.prepare('SELECT name, note FROM keys').all()).toEqual([{ name: 'old', note: 'kept' }])
  database.exec(`PRAGMA user_version = ${migrations.length}`)
  database.close()

  const reopened = closedAtEnd(openSqliteStorage({ dataDir }))
  expect(await reopened.keys.findActive(secret)).toMatchObject({ name: 'old' })
})

test('a migration that fails changes nothing', () => {
  const database = open()
  migrate(database, migrations)
  expect(() => migrate(database, [...migrations, 'CREATE TABLE more (a)', 'nonsense'])).toThrow(/nonsense/)
  expect(versionOf(database)).toBe(migrations.length)
  expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'more'").get()).toBeUndefined()
  database.close()
})

test('a file of a newer version is refused', () => {
  const database = open()
  database.exec('PRAGMA user_version = 99')
  database.close()
  expect(() => openSqliteStorage({ dataDir })).toThrow(/version 99/)
})

test('no statement reactivates a revoked or deleted key (KEY-5, KEY-12)', async () => {
  const store = closedAtEnd(openSqliteStorage({ dataDir }))
  const { key, secret } = await store.keys.create({ name: 'gone', models: null, limit: null })
  await store.keys.revoke(key.id)
  const database = open()
  const reactivate = () => database.exec('UPDATE keys SET revoked_at = NULL')
  expect(reactivate).toThrow(/revoked key/)
  expect(() => database.exec('UPDATE keys SET revoked_at = NULL, deleted_at = 1')).toThrow(/CHECK/)
  await store.keys.delete(key.id)
  expect(reactivate).toThrow(/revoked key/)
  expect(() => database.exec('UPDATE keys SET deleted_at = NULL')).toThrow(/revoked key/)
  database.close()
  expect(await store.keys.findActive(secret)).toBeUndefined()
})
