// The quantities with which the cost of a request may grow, and the requests that show it.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { OurServer } from '../contenders.ts'
import { closeStreams, openStreams } from '../limits.ts'
import { runLoad } from '../load.ts'
import { MODEL, rawRequest, stalled, type Workload } from '../workloads.ts'

export interface Curve {
  readonly name: string
  /** The unit of a size. */
  readonly unit: string
  readonly sizes: readonly number[]
  /** Added to the environment of the server. */
  readonly env?: Readonly<Record<string, string>>
  /** The body of the measured request; default: a short one. */
  readonly body?: (size: number) => Readonly<Record<string, unknown>>
  /** Brings the server to a size, from the size before. Returns a function that ends what it started, if anything. */
  readonly prepare?: (server: OurServer, size: number) => Promise<(() => Promise<unknown>) | void>
}

const user = (content: string) => ({ role: 'user', content })
const short = { model: MODEL, messages: [user('Hello')] }

const tool = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: 'Returns the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
})

export const curves: readonly Curve[] = [
  {
    name: 'body',
    unit: 'bytes',
    sizes: [1024, 4096, 16_384, 65_536, 262_144, 1_048_576],
    // One token, so that the answer does not grow too.
    body: (size) => ({ ...short, messages: [user('x'.repeat(size))], max_tokens: 1 }),
  },
  {
    name: 'messages',
    unit: 'messages',
    sizes: [1, 10, 100, 1000],
    body: (size) => ({ ...short, messages: Array.from({ length: size }, () => user('Hello')) }),
  },
  {
    name: 'tools',
    unit: 'tools',
    sizes: [1, 8, 32, 128],
    body: (size) => ({ ...short, tools: Array.from({ length: size }, (_, at) => tool(`weather_${at}`)) }),
  },
  {
    name: 'streams',
    unit: 'streams in flight',
    sizes: [1, 10, 100, 1000],
    async prepare({ port, key }, size) {
      const streams = await openStreams(port, rawRequest(stalled, key), size)
      return () => closeStreams(streams)
    },
  },
  {
    name: 'keys',
    unit: 'keys in the store',
    sizes: [10, 1000, 100_000, 1_000_000],
    // Every request reads the store.
    env: { KEY_LEASE_MS: '0' },
    prepare: async ({ dataDir }, size) => addKeys(dataDir, size),
  },
  {
    name: 'lines',
    unit: 'log lines before',
    sizes: [1000, 10_000, 100_000, 300_000],
    async prepare({ port, key }, size) {
      const request = requestOf(undefined, size, key)
      // One line for each request.
      for (let lines = 0; lines < size;) lines += await runLoad({ port, connections: 8, seconds: 1, request })
    },
  },
]

/** The bytes of the measured request. */
export function requestOf(body: Curve['body'], size: number, key: string): Buffer {
  const workload: Workload = {
    name: '',
    unit: '',
    method: 'POST',
    path: '/v1/chat/completions',
    body: body?.(size) ?? short,
  }
  return rawRequest(workload, key)
}

/** Copies a key of the file until it has `size` keys. The copies have hashes of no secret. */
function addKeys(dataDir: string, size: number): void {
  const database = new DatabaseSync(join(dataDir, 'keys.sqlite'))
  database.exec('PRAGMA busy_timeout = 10000')
  database
    .prepare(
      `WITH RECURSIVE copies(at) AS (
         SELECT (SELECT count(*) FROM keys) + 1 UNION ALL SELECT at + 1 FROM copies WHERE at < ?
       )
       INSERT INTO keys (hash, id, name, last_four, created_at)
       SELECT randomblob(32), 'key_copy_' || at, name, last_four, created_at
       FROM copies, (SELECT * FROM keys LIMIT 1)`,
    )
    .run(size)
  database.close()
}
