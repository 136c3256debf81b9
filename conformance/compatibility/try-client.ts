// One client library against a reference server of its own: its program tries each use of the library and says of each
// whether it worked.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type ReferenceServer, startReferenceServer } from '../../harness/reference-server.ts'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)

/** The most that one program may take, in milliseconds: large libraries take seconds to start. */
const TIMEOUT_MS = 300_000

/** What a library is used for, in the order of the table, and how the table calls it. */
export const USES = {
  plain: 'plain',
  streamed: 'streamed',
  tools: 'tools, two turns',
  structured: 'structured output',
  errors: '401, 404, 429',
  concurrent: '20 at once',
  replayed: 'own messages sent back',
} as const

export type Use = keyof typeof USES

const line = z.object({ use: z.string(), error: z.string().optional() })

/** For each use that was tried, undefined where it worked, or what went wrong. */
export type Tried = ReadonlyMap<string, string | undefined>

/** Runs `command`, words from the root of the project. Throws where the program itself fails. */
export async function tryClient(command: readonly string[]): Promise<Tried> {
  const server = await startReferenceServer(new AbortController().signal, () => {})
  try {
    const [program = '', ...args] = command
    const { stdout } = await execute(program === 'node' ? process.execPath : program, args, {
      cwd: root,
      timeout: TIMEOUT_MS,
      env: { ...process.env, ...(await environment(server)) },
    })
    const lines = stdout.split('\n').filter((text) => text.startsWith('{"use"'))
    return new Map(lines.map((text) => line.parse(JSON.parse(text))).map(({ use, error }) => [use, error]))
  } finally {
    await server.stop()
  }
}

async function environment(server: ReferenceServer): Promise<Record<string, string>> {
  const limited = await createKey(server, '--limit', '1/3600')
  const models = new URL('/v1/models', server.baseUrl)
  await (await fetch(models, { headers: { authorization: `Bearer ${limited}` } })).text()
  return {
    OPENAI_BASE_URL: `${server.baseUrl.replace(/\/$/, '')}/v1`,
    OPENAI_API_KEY: await createKey(server),
    LIMITED_KEY: limited,
    OPENAI_MODEL: 'svc-0.1-echo',
  }
}

/** A key of the server: its secret. */
async function createKey(server: ReferenceServer, ...options: readonly string[]): Promise<string> {
  const [program = '', ...words] = server.keyCommand.words
  const env = { ...process.env, ...server.keyCommand.env }
  const { stdout } = await execute(program, [...words, 'create', ...options], { env })
  return z.object({ secret: z.string() }).parse(JSON.parse(stdout)).secret
}
