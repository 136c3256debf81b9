// A process for postgres.test.ts: opens the database of its first argument and writes the number of keys.
import { writeSync } from 'node:fs'
import { openPostgresStorage } from './postgres-storage.ts'

const [url] = process.argv.slice(2)
if (url === undefined) throw new Error('usage: migrate.fixture.ts URL')

const storage = await openPostgresStorage({ url, connections: 1, timeoutMs: 20_000 })
writeSync(1, `${(await storage.keys.list()).length} keys\n`)
await storage.close()
