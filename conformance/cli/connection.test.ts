// The way to a target: through a real proxy, plain and in a tunnel, and to a service whose certificate a private
// authority has signed, for the probe and for the client library alike.
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { selfSigned } from '../../harness/certificate.fixture.ts'
import { KEY, refusal, runCli } from './cli.fixture.ts'
import { connectionOf } from '../../harness/http/connection.ts'
import { listening, sendJson } from '../../harness/http-server.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

/** A name that only the proxy knows. */
const HOST = 'judged.test'
const certificate = selfSigned([HOST, 'localhost'])
const authority = join(temporaryFolder(), 'authority.pem')
writeFileSync(authority, certificate.cert)

/** One check of the probe, and one through the client library. */
const checks = ['--only', 'auth.missing-header-models,sdk.models-list']

/** A service whose root has a path of its own. */
function service(request: http.IncomingMessage, response: http.ServerResponse): void {
  if (request.url !== '/team/api/v1/models') return sendJson(response, 404, refusal('not_found'))
  if (request.headers.authorization !== `Bearer ${KEY}`)
    return sendJson(response, 401, refusal('missing_api_key'))
  return sendJson(response, 200, { object: 'list', data: [{ id: 'm-1', object: 'model', owned_by: 'a' }] })
}

/** A proxy that connects every host to this port, and records each request. */
async function startProxy(port: number) {
  const asked: string[] = []
  const credentials = new Set<string | undefined>()
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    credentials.add(request.headers['proxy-authorization'])
    const { pathname } = new URL(request.url ?? '')
    const { method, headers } = request
    const onward = http.request({ port, host: '127.0.0.1', path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    asked.push(`CONNECT ${request.url}`)
    const tunnel = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(tunnel).pipe(socket)
    })
    for (const end of [socket, tunnel]) end.on('error', () => end.destroy())
    socket.on('close', () => tunnel.destroy())
  })
  return { asked, credentials, ...(await listening(server)) }
}

const ofBoth = /PASS {2}2 of \d+ MUST judged/

test('HTTP_PROXY leads to a plain service, NO_PROXY past it', async () => {
  await using target = await listening(http.createServer(service))
  await using proxy = await startProxy(target.port)
  const env = { HTTP_PROXY: `http://me:secret@127.0.0.1:${proxy.port}` }
  const { code, stdout, stderr } = await runCli(['--base-url', `http://${HOST}/team/api/v1`, ...checks], env)
  expect([code, stdout]).toEqual([0, expect.stringMatching(ofBoth)])
  expect(proxy.asked.length).toBeGreaterThanOrEqual(3)
  expect(new Set(proxy.asked)).toEqual(new Set([`GET http://${HOST}/team/api/v1/models`]))
  expect([...proxy.credentials]).toEqual([`Basic ${Buffer.from('me:secret').toString('base64')}`])
  expect(stdout + stderr).not.toContain('secret')

  const before = proxy.asked.length
  const direct = `http://127.0.0.1:${target.port}/team/api`
  expect((await runCli(['--base-url', direct, ...checks], { ...env, NO_PROXY: '127.0.0.1' })).code).toBe(0)
  expect(proxy.asked).toHaveLength(before)
})

test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
  'https_proxy leads through a tunnel to a service that %s makes known',
  { tags: 'slow' },
  async (variable) => {
    await using target = await listening(https.createServer(certificate, service))
    await using proxy = await startProxy(target.port)
    const env = { https_proxy: `http://127.0.0.1:${proxy.port}` }
    const args = ['--base-url', `https://${HOST}/team/api`, ...checks]
    const { code, stdout } = await runCli(args, { ...env, [variable]: authority })
    expect([code, stdout]).toEqual([0, expect.stringMatching(ofBoth)])
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${HOST}:443`]))
    // The judge refuses a certificate of an unknown authority.
    const unknown = await runCli(args, env)
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot be judged: .*self-signed/),
    })
  },
)

test('a proxy that is unreachable is one line', { tags: 'slow' }, async () => {
  const args = ['--base-url', `http://${HOST}`, ...checks]
  const { code, stderr } = await runCli(args, { HTTP_PROXY: 'http://127.0.0.1:9' })
  expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringContaining('refused')]])
})

test('a reference server that the judge started is reached without a proxy', { tags: 'slow' }, async () => {
  const { code } = await runCli(['--only', 'auth.missing-header-models'], {
    CONFORMANCE_API_KEY: '',
    HTTP_PROXY: 'http://127.0.0.1:9',
  })
  expect(code).toBe(0)
})

test('an SSL_CERT_FILE that cannot be read is a wrong use', () => {
  expect(() => connectionOf({ SSL_CERT_FILE: '/no/such/file' })).toThrow(
    /^SSL_CERT_FILE: .*cannot be read: the file does not exist$/,
  )
})
