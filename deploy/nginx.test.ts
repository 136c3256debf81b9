// The balancer's configuration, run by a real nginx before two instances on one key file: streams are not buffered, and
// every error is in the envelope.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorEnvelope } from '../spec/protocol/error.ts'
import { type Instance, startInstance } from './start-instance.ts'
import { runKeyCommand } from './start-cluster.ts'
import { type Nginx, startNginx } from './start-nginx.ts'

const DASHBOARD_PASSWORD = 'correct horse battery staple'

describe('nginx', { tags: ['slow', 'nginx'] }, () => {
  let folder = ''
  let balancer = ''
  let secret = ''
  const instances: Instance[] = []
  let nginx: Nginx | undefined

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-nginx-'))
    // One after the other: both use one key file.
    for (const name of ['one', 'two'])
      instances.push(
        await startInstance({
          name,
          env: { DATA_DIR: folder, DASHBOARD_PASSWORD, FAULTS: 'on', LOG_LEVEL: 'silent' },
          logFile: join(folder, `${name}.log`),
        }),
      )
    nginx = await startNginx(instances.map(({ port }) => port))
    balancer = nginx.url
    const operator = { DASHBOARD_URL: balancer, DASHBOARD_PASSWORD }
    ;({ secret } = JSON.parse(await runKeyCommand(operator, 'create')))
  }, 120_000)

  afterAll(async () => {
    await nginx?.end()
    await Promise.all(instances.map((instance) => instance.kill()))
    rmSync(folder, { recursive: true, force: true })
  })

  function chat(content: string, fields: object = {}): Promise<Response> {
    return fetch(`${balancer}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-0.1-echo', messages: [{ role: 'user', content }], ...fields }),
    })
  }

  /** Sends raw bytes; returns the answer when the connection closes or 5 s have passed. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(balancer).port), '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (data: string) => (text += data))
    socket.write(bytes)
    await Promise.race([once(socket, 'close'), sleep(5000)])
    socket.destroy()
    return text
  }

  test('a stream arrives while it is written, through either instance (STREAM-11)', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const stalled = await chat(`#fault stall=600000 at=2\n${'abcd'.repeat(8)}`, { stream: true })
      expect(stalled.headers.get('content-type')).toBe('text/event-stream')
      let text = ''
      for await (const chunk of stalled.body ?? []) {
        text += Buffer.from(chunk).toString()
        if (text.includes('"content":"a')) break
      }
      expect(text).not.toContain('[DONE]')
      expect(await (await chat('hello', { stream: true })).text()).toMatch(/data: \[DONE\]\n\n$/)
    }
  })

  test('a body over the limit of the service is refused in its own words', async () => {
    const answer = await chat('x'.repeat(5_000_000))
    expect(answer.status).toBe(400)
    expect(errorEnvelope.parse(await answer.json()).error.code).toBe('body_too_large')
  })

  test('a body over the balancer’s own limit and a malformed request are refused in the envelope (ERR-1)', async () => {
    const large = await chat('x'.repeat(9_000_000))
    expect(large.status).toBe(400)
    expect(errorEnvelope.parse(await large.json()).error.type).toBe('invalid_request_error')
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.0\r\nHost: x\r\n\r\n',
      'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
    ]) {
      const answer = await raw(bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
      expect(errorEnvelope.parse(body).error.type).toBe('invalid_request_error')
    }
  })

  test('an instance that is killed costs its connections; the other one answers', async () => {
    await instances[0]?.kill()
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await chat('hello')).status))
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    await expect.poll(async () => (await chat('hello')).status).toBe(200)
  })

  test('with no instance left every answer is a 503 in the envelope', async () => {
    await instances[1]?.kill()
    const answer = await chat('hello')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(errorEnvelope.parse(await answer.json()).error.type).toBe('service_unavailable')
  })

  test('no log has the path of a request, which may contain a key', async () => {
    // Unreachable instances, a long path and a large body each made nginx quote the request in its error log.
    const path = `/v1/models/${secret}`
    expect((await fetch(`${balancer}${path}`)).status).toBe(503)
    await raw(`GET ${path}${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await fetch(`${balancer}${path}`, { method: 'POST', body: 'x'.repeat(1_000_000) })
    const logs = ['access.log', 'error.log'].map((name) =>
      readFileSync(join(nginx?.folder ?? '', name), 'utf8'),
    )
    expect(logs[0]).toContain('GET 503')
    expect(logs.join('')).not.toContain(secret)
  })
})
