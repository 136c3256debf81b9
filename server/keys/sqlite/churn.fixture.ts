// A process for sqlite.test.ts to kill: creates and revokes keys, and writes a line for each answer, `created ID SECRET` or
// `revoked ID`.
import { writeSync } from 'node:fs'
import { openSqliteStorage } from './sqlite-storage.ts'

const [dataDir] = process.argv.slice(2)
if (dataDir === undefined) throw new Error('usage: sqlite-churn.fixture.ts DIR')

const store = openSqliteStorage({ dataDir }).keys
const active: string[] = []
for (let round = 0; ; round += 1) {
  const { key, secret } = await store.create({ name: `round ${round}`, models: ['a'], limit: null })
  writeSync(1, `created ${key.id} ${secret}\n`)
  active.push(key.id)
  // Every third key stays active.
  const id = round % 3 === 0 ? undefined : active.shift()
  if (id !== undefined && (await store.revoke(id))) writeSync(1, `revoked ${id}\n`)
}
