// The environment of the programs of client libraries: for a reference server, and for a service of another operator.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { connectionOf } from '../../harness/http/connection.ts'
import { createProbe } from '../../harness/http/probe.ts'
import { type ReferenceServer, startReferenceServer } from '../../harness/reference-server.ts'
import { preflight } from '../facts/preflight.ts'
import { NO_KEY } from '../contract/target.ts'

const execute = promisify(execFile)

/** The limit of a key that is exhausted after one request. */
const ONE_REQUEST = '1/3600'

/** Calls `use` with the environment of the programs: an address, a key, a key whose limit is exhausted, and a model. */
export async function withReferenceServer<Result>(
  use: (env: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const settings = { RATE_LIMIT_REQUESTS: '1000000' }
  await using server = await startReferenceServer(new AbortController().signal, () => {}, undefined, settings)
  const limited = await createKey(server, '--limit', ONE_REQUEST)
  const models = new URL('/v1/models', server.baseUrl)
  await (await fetch(models, { headers: { authorization: `Bearer ${limited}` } })).text()
  return await use({
    ...environmentOf(server.baseUrl, await createKey(server), 'svc-0.1-echo'),
    LIMITED_KEY: limited,
    WRONG_KEY: 'svc_sk_wrong',
    ECHOES: '1',
  })
}

/** Makes a key, and returns its secret. */
async function createKey(server: ReferenceServer, ...options: readonly string[]): Promise<string> {
  const [program = '', ...words] = server.keyCommand.words
  const env = { ...process.env, ...server.keyCommand.env }
  const { stdout } = await execute(program, [...words, 'create', ...options], { env })
  return z.object({ secret: z.string() }).parse(JSON.parse(stdout)).secret
}

/** The time limit of the requests that find the model, in milliseconds: it may have to be loaded. */
const FIRST_ANSWER_MS = 120_000

interface Target {
  readonly baseUrl: string
  readonly model: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The variables that lead every program to a service: its own, and those that the official libraries read. */
function environmentOf(baseUrl: string, key: string, model: string) {
  const address = baseUrl.replace(/\/$/, '')
  const official = { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }
  return { BASE_URL: address, API_KEY: key, MODEL: model, ...official }
}

/** Finds the model of a service. Throws `UsageError` if it cannot be reached, or does not chat. */
export async function targetEnvironment({ baseUrl, model, environment }: Target, signal: AbortSignal) {
  const { CONFORMANCE_API_KEY: key = '', CONFORMANCE_LIMITED_KEY: limited } = environment
  const connection = connectionOf(environment)
  const probe = createProbe({ baseUrl, key, timeoutMs: FIRST_ANSWER_MS, connection })
  try {
    const found = await preflight({
      baseUrl,
      profile: 'wire',
      key,
      model,
      ask: (request) => probe.send(request, signal),
    })
    return {
      ...environmentOf(baseUrl, key === '' ? NO_KEY : key, found.model),
      ...(key === '' ? {} : { WRONG_KEY: 'svc_sk_wrong' }),
      ...(limited === undefined ? {} : { LIMITED_KEY: limited }),
    }
  } finally {
    probe.close()
  }
}
