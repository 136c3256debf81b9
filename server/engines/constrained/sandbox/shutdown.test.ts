// A worker that is busy with a hostile schema delays neither the shutdown of the server nor other requests.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServerProcess } from '../../../server-process.fixture.ts'
import { referenceChain } from './hostile-schemas.fixture.ts'

let server: ServerProcess
let secrets: readonly string[] = []

beforeAll(async () => {
  server = await startServerProcess({ SCHEMA_TIMEOUT_MS: '60000', SHUTDOWN_GRACE_SECONDS: '0' })
  secrets = [(await server.createKey()).secret, (await server.createKey()).secret]
})
afterAll(() => server[Symbol.dispose]())

async function chat(secret: string | undefined, content: string, schema?: object): Promise<Response> {
  const format = schema && { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } }
  return await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-0.1-echo', messages: [{ role: 'user', content }], ...format }),
  })
}

test(
  'other requests are answered meanwhile, and SIGTERM ends the busy one with a 503',
  { tags: 'slow' },
  async () => {
    const [attacker, other] = secrets
    expect((await chat(other, 'hi', { type: 'integer' })).status).toBe(200)
    const busy = chat(attacker, '"x"', { ...referenceChain(60, 2), not: false })
    await sleep(200)
    expect((await chat(attacker, 'hi')).status).toBe(200)
    expect((await chat(other, 'hi', { type: 'boolean' })).status).toBe(200)
    const exit = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    expect((await busy).status).toBe(503)
    expect(await exit).toEqual([0, null])
  },
)
