// A worker that is busy with a hostile schema delays neither the shutdown of the server nor other requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServerProcess } from '../../../server-process.fixture.ts'
import { referenceChain, withSchema } from './hostile-schemas.fixture.ts'

test('others are answered meanwhile, and SIGTERM ends the busy one by a 503', { tags: 'slow' }, async () => {
  using server = await startServerProcess({ SCHEMA_TIMEOUT_MS: '60000', SHUTDOWN_GRACE_SECONDS: '0' })
  const [attacker, other] = [await server.createKey(), await server.createKey()]
  const chat = (key: { readonly secret: string }, content: string, format: object = {}) =>
    server.chat(key.secret, { model: 'svc-0.1-echo', messages: [{ role: 'user', content }], ...format })

  expect((await chat(other, 'hi', withSchema({ type: 'integer' }))).status).toBe(200)
  const busy = chat(attacker, '"x"', withSchema({ ...referenceChain(60, 2), not: false }))
  await sleep(200)
  expect((await chat(attacker, 'hi')).status).toBe(200)
  expect((await chat(other, 'hi', withSchema({ type: 'boolean' }))).status).toBe(200)
  const ended = server.end('SIGTERM')
  expect((await busy).status).toBe(503)
  expect(await ended).toBe(0)
})
