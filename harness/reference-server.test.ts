import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StartError, startReferenceServer } from './reference-server.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

const folder = temporaryFolder()

/** A program that replaces the server. */
function entry(source: string): string {
  const file = join(folder, `${Math.random()}.mjs`)
  writeFileSync(file, source)
  return file
}

const signal = new AbortController().signal

/** A server that is not ready immediately, and slow to stop if so configured. */
const SERVER = `
  import http from 'node:http'
  let asked = 0
  const server = http.createServer((request, response) => {
    if (request.url === '/readyz') return response.writeHead((asked += 1) > 3 ? 200 : 503).end()
    response.end(JSON.stringify({ env: process.env, pid: process.pid, asked }))
  })
  server.listen(Number(process.env.PORT), process.env.HOST, () => {
    console.log('http://127.0.0.1:' + server.address().port)
    console.log('another line http://example.org')
  })
  process.on('SIGTERM', () => process.env.DEAF || process.exit())
`

interface Started {
  readonly env: Record<string, string>
  readonly pid: number
  readonly asked: number
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('starts on any port with an empty folder and a password, waits until ready, and clears away', async () => {
  const secrets: string[] = []
  process.env['CONFORMANCE_API_KEY'] = 'not for the server'
  const server = await startReferenceServer(signal, (secret) => void secrets.push(secret), {
    entry: entry(SERVER),
  })
  delete process.env['CONFORMANCE_API_KEY']
  const { env, pid, asked } = (await (await fetch(server.baseUrl)).json()) as Started
  expect(asked).toBeGreaterThan(3)
  expect(env).toMatchObject({ PORT: '0', HOST: '127.0.0.1' })
  expect(env['CONFORMANCE_API_KEY']).toBeUndefined()
  expect(existsSync(env['DATA_DIR'] ?? '')).toBe(true)
  expect(secrets).toEqual([env['DASHBOARD_PASSWORD']])
  expect(server.keyCommand.env).toEqual({
    DASHBOARD_URL: server.baseUrl,
    DASHBOARD_PASSWORD: env['DASHBOARD_PASSWORD'],
  })
  await server.stop()
  expect(isAlive(pid)).toBe(false)
  expect(existsSync(env['DATA_DIR'] ?? '')).toBe(false)
})

test('a server that does not stop is ended', { tags: 'slow' }, async () => {
  process.env['DEAF'] = '1'
  const server = await startReferenceServer(signal, () => {}, { entry: entry(SERVER) })
  delete process.env['DEAF']
  const { pid } = (await (await fetch(server.baseUrl)).json()) as Started
  await server.stop()
  expect(isAlive(pid)).toBe(false)
})

test('a server that ends is a clear error with the end of its log', async () => {
  const broken = entry(`console.error('port is taken'); process.exit(7)`)
  const failure = startReferenceServer(signal, () => {}, { entry: broken })
  await expect(failure).rejects.toThrow(StartError)
  await expect(failure).rejects.toThrow(/^the reference server ended with exit 7\nport is taken$/)
})

test('a server that listens can be used before it is ready, and says why it ended', async () => {
  const failing = entry(`${SERVER}
    server.on('request', ({ url }) => url === '/end' && (console.error('a model cannot be loaded'), process.exit(2)))`)
  await using server = await startReferenceServer(signal, () => {}, { entry: failing, until: 'listening' })
  expect(await (await fetch(server.baseUrl)).json()).toMatchObject({ asked: 0 })
  await fetch(`${server.baseUrl}/end`).catch(() => undefined)
  await expect(server.ended).rejects.toThrow(/^the reference server ended with exit 2\na model cannot be/)
})

test('an interrupted start leaves nothing behind', async () => {
  const controller = new AbortController()
  const reason = new Error('interrupted')
  setTimeout(() => controller.abort(reason), 500)
  const silent = entry(`setInterval(() => {}, 1000)`)
  await expect(startReferenceServer(controller.signal, () => {}, { entry: silent })).rejects.toBe(reason)
})
