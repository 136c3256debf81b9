// A worker that is busy with a hostile schema holds up neither the end of the server nor its other requests.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { referenceChain } from './hostile-schemas.fixture.ts'

const root = new URL('../../../..', import.meta.url)
const DASHBOARD_PASSWORD = 'correct horse battery staple'

let dataDir = ''
let server: ChildProcess
let url = ''
let secrets: readonly string[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'touchstone-schemas-'))
  server = spawn(process.execPath, ['server/main.js'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: dataDir,
      DASHBOARD_PASSWORD,
      LLAMA_TINY: 'off',
      SCHEMA_TIMEOUT_MS: '60000',
      SHUTDOWN_GRACE_SECONDS: '0',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  ;[url] = await once(createInterface(server.stdout ?? process.stdin), 'line')
  secrets = [await createKey(), await createKey()]
})
afterAll(() => {
  server.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

async function createKey(): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create'],
    { cwd: root, env: { ...process.env, DASHBOARD_URL: url, DASHBOARD_PASSWORD } },
  )
  const key: { secret: string } = JSON.parse(stdout)
  return key.secret
}

async function chat(secret: string | undefined, content: string, schema?: object): Promise<Response> {
  const format = schema && { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } }
  return await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-0.1-echo', messages: [{ role: 'user', content }], ...format }),
  })
}

test('other keys are answered meanwhile, and SIGTERM ends it with a 503', { tags: 'slow' }, async () => {
  const [attacker, other] = secrets
  expect((await chat(other, 'hi', { type: 'integer' })).status).toBe(200)
  const busy = chat(attacker, '"x"', { ...referenceChain(60, 2), not: false })
  await sleep(200)
  expect((await chat(attacker, 'hi')).status).toBe(200)
  expect((await chat(other, 'hi', { type: 'boolean' })).status).toBe(200)
  const exit = once(server, 'exit')
  server.kill('SIGTERM')
  expect((await busy).status).toBe(503)
  expect(await exit).toEqual([0, null])
})
