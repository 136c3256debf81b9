// A process whose connections could use up all of its file descriptors.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startServerProcess } from '../server-process.fixture.ts'

/** About twice of what the server opens without connections. */
const DESCRIPTORS = 64

async function startShort(settings: Readonly<Record<string, string>>) {
  const server = await startServerProcess(settings, [], DESCRIPTORS)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server[Symbol.dispose]()
  })
  const { hostname, port } = new URL(server.url)

  /** Opens connections that send nothing, more than the descriptors, until the server closes one of them. */
  async function attack(): Promise<void> {
    const { promise: refused, resolve } = Promise.withResolvers<void>()
    for (let count = 0; count < 2 * DESCRIPTORS; count += 1) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      sockets.push(socket)
      // The system accepts connections that the server has no descriptor for, up to its backlog.
      const closed = once(socket, 'close')
      void closed.then(() => resolve())
      await Promise.race([once(socket, 'connect'), closed])
    }
    // Before that, a busy server has not yet taken the connections that the system accepted for it.
    await refused
  }

  function relent(): void {
    for (const socket of sockets.splice(0)) socket.destroy()
  }
  return { ...server, attack, relent }
}

test('a new client is answered while idle connections exceed the descriptors', async () => {
  const { url, attack } = await startShort({})
  await attack()
  for (let count = 0; count < 5; count += 1) {
    const answer = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    expect(answer.status).toBe(200)
    await answer.text()
  }
})

test('a schema that no process can be started for is a 503, and is compiled after the shortage', async () => {
  const { url, attack, relent, createKey } = await startShort({
    MAX_CONNECTIONS: '1000',
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
  })
  const { secret } = await createKey()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())

  /** Sends on one connection, which is open before the attack. */
  async function send(path: string, body?: object) {
    const outgoing = request(`${url}${path}`, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    })
    outgoing.end(JSON.stringify(body))
    const [answer] = await once(outgoing, 'response')
    await answer.toArray()
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'] }
  }
  const chat = (schema: object) =>
    send('/v1/chat/completions', {
      model: 'svc-0.1-echo',
      messages: [{ role: 'user', content: 'hi' }],
      response_format: { type: 'json_schema', json_schema: { name: 'test', schema } },
    })

  expect(await send('/v1/models')).toMatchObject({ status: 200 })
  await attack()
  expect(await chat({ type: 'integer' })).toEqual({ status: 503, retryAfter: '5' })
  relent()
  await expect.poll(() => chat({ type: 'integer' })).toMatchObject({ status: 200 })
  expect(await chat({ type: 'nothing' })).toMatchObject({ status: 400 })
})
