// A reference server for the programs of client libraries, and their environment.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { environmentOf } from './target-environment.ts'
import { type ReferenceServer, startReferenceServer } from '../../harness/reference-server.ts'

const execute = promisify(execFile)

/** The limit of a key that is exhausted after one request. */
const ONE_REQUEST = '1/3600'

/** Calls `use` with the environment of the programs: an address, a key, a key whose limit is exhausted, and a model. */
export async function withReferenceServer<Result>(
  use: (env: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const server = await startReferenceServer(new AbortController().signal, () => {}, undefined, {
    RATE_LIMIT_REQUESTS: '1000000',
  })
  try {
    const limited = await createKey(server, '--limit', ONE_REQUEST)
    const models = new URL('/v1/models', server.baseUrl)
    await (await fetch(models, { headers: { authorization: `Bearer ${limited}` } })).text()
    return await use({
      ...environmentOf(server.baseUrl, await createKey(server), 'svc-0.1-echo'),
      LIMITED_KEY: limited,
      WRONG_KEY: 'svc_sk_wrong',
      ECHOES: '1',
    })
  } finally {
    await server.stop()
  }
}

/** Makes a key, and returns its secret. */
async function createKey(server: ReferenceServer, ...options: readonly string[]): Promise<string> {
  const [program = '', ...words] = server.keyCommand.words
  const env = { ...process.env, ...server.keyCommand.env }
  const { stdout } = await execute(program, [...words, 'create', ...options], { env })
  return z.object({ secret: z.string() }).parse(JSON.parse(stdout)).secret
}
