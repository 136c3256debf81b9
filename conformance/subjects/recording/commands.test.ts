// `capture` and `recorded` as their users run them: a process that records, is stopped or killed, and one that judges.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { expect, test, vi } from 'vitest'
import { selfSigned } from '../../../harness/certificate.fixture.ts'
import { listening, startTestServer } from '../../../harness/http-server.fixture.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { KEY, runCli, startCli } from '../../cli/cli.fixture.ts'

const folder = temporaryFolder()

/** A service that answers, and streams without end under one path. */
const startService = () =>
  startTestServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.setHeader('x-request-id', randomUUID())
    if (request.url !== '/v1/endless')
      return response.end(JSON.stringify({ echo: request.headers.authorization }))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"n":1}\n\n')
  })

/** Starts `capture`, and returns its address when it listens. */
async function startCapture(out: string, given?: string, env: Readonly<Record<string, string>> = {}) {
  const baseUrl = given ?? (await startService()).baseUrl
  const running = startCli(['capture', '--base-url', `${baseUrl}/v1/`, '--listen', '0', '--out', out], env)
  const address = await vi.waitFor(() => {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(running.printed())?.[0]
    if (found === undefined) throw new Error('it does not listen')
    return found
  }, 10_000)
  return { running, address }
}

async function callBoth(address: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` }
  const plain = await fetch(`${address}/v1/models`, { headers })
  expect(await plain.json()).toEqual({ echo: `Bearer ${KEY}` })
  const stream = await fetch(`${address}/v1/endless`, { headers })
  await stream.body?.getReader().read()
}

const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a capture with all that it saw', async (signal) => {
  const out = `${folder}/${signal}.jsonl`
  const { running, address } = await startCapture(out)
  await callBoth(address)
  running.interrupt(signal)
  const { code, stdout, stderr } = await running.ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/2 exchanges recorded\n$/)
  const [head, plain, endless] = linesOf(out)
  expect(head).toMatchObject({ schema: 'touchstone.capture/1' })
  expect(plain).toMatchObject({ request: { path: '/v1/models' }, response: { status: 200, end: 'complete' } })
  expect(endless).toMatchObject({ response: { body: 'data: {"n":1}\n\n', end: 'hung-up' } })
  expect(readFileSync(out, 'utf8')).not.toContain(KEY.slice(7, 20))
  expect(plain).toMatchObject({ response: { body: expect.stringMatching(/^\{"echo":"Bearer key-1-+"\}$/) } })
})

test('a capture that was killed has the exchange that had ended, and can be judged', async () => {
  const out = `${folder}/killed.jsonl`
  const { running, address } = await startCapture(out)
  await callBoth(address)
  running.interrupt('SIGKILL')
  await running.ended
  expect(linesOf(out)).toHaveLength(2)
  const { code, stdout } = await runCli(['recorded', out, '--profile', 'wire'])
  // No completion is in it, so that it shows too little to be green.
  expect(code).toBe(3)
  expect(stdout).toMatch(/checks, 1 request,[^]*The recording\n +1 {2}entries/)
})

test('a service with TLS, of an authority that is known or not', async () => {
  const certificate = selfSigned(['localhost'])
  const authority = `${folder}/authority.pem`
  writeFileSync(authority, certificate.cert)
  await using service = await listening(
    https.createServer(certificate, (request, response) => response.end(request.headers.host)),
    'localhost',
  )
  const host = `localhost:${service.port}`
  for (const [env, expected] of [
    [{ SSL_CERT_FILE: authority }, { response: { status: 200, body: host } }],
    [{}, { response: null, error: expect.stringContaining('self-signed') }],
  ] as const) {
    const out = `${folder}/tls-${Object.keys(env).length}.jsonl`
    const { running, address } = await startCapture(out, `https://${host}`, env)
    await fetch(`${address}/v1/models`).catch(() => {})
    running.interrupt('SIGINT')
    await running.ended
    expect(linesOf(out)[1]).toMatchObject(expected)
  }
})

test('wrong usage is one line and exit code 2, and leaves no file', async () => {
  const service = await startService()
  const { port } = new URL(service.baseUrl)
  const out = `${folder}/unused.jsonl`
  const cut = `${folder}/cut.har`
  writeFileSync(cut, '{"log":{"entries":[')
  const base = ['--base-url', service.baseUrl]
  const usages = [
    [['capture', '--out', out], '--base-url: capture needs the address of a service'],
    [['capture', ...base], '--out: capture needs a file to write to'],
    [['capture', ...base, '--out', out, '--listen', port], `--listen ${port}: port ${port} is in use`],
    [
      ['capture', ...base, '--out', cut, '--listen', '0'],
      `--out ${cut}: the file exists; a capture never replaces one`,
    ],
    [['recorded'], 'recorded: expected the files to judge'],
    [['recorded', cut], `${cut}: after entry 0: the file ends before the JSON does`],
  ] as const
  for (const [args, message] of usages) {
    const { code, stdout, stderr } = await runCli(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^[^\n]*\n$/)
    expect(stderr).toContain(`conformance: ${message}`)
  }
  expect(existsSync(out)).toBe(false)
})
