// The printed curl line sends what the judge sent: the method, the address, the headers and the body, as a server reads them.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createProbe, type RequestSpec } from '../../harness/http/probe.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { headerPairs } from '../../harness/http/exchange.ts'
import { EVIDENCE_CHARS, curlLine } from './show-exchange.ts'

const run = promisify(execFile)
const path = '/v1/chat/completions'
const body = '{"model":"m"}'

const requests: Readonly<Record<string, RequestSpec>> = {
  'a plain request': { path, body },
  'a charset': { path, body, headers: { 'content-type': 'application/json; charset=utf-8' } },
  'a chunked body': { path, body, headers: { 'content-length': '', 'transfer-encoding': 'chunked' } },
  'an expectation': { path, body, headers: { expect: '100-continue' } },
  'an upgrade': {
    path,
    body,
    headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAA' },
  },
  'no Accept': { path, body, headers: { accept: '' } },
  'another Accept': { path, body, headers: { accept: 'text/event-stream' } },
  'no content type': { path, body, headers: { 'content-type': '' } },
  'a header without a value': { path, body, authorization: '' },
  'two lines of one header': { path, body, authorization: ['Bearer a', 'Bearer b'] },
  'a library': { path, body, headers: { 'user-agent': 'OpenAI/JS 7.0.0' } },
  'a connection that ends': { path, body, headers: { connection: 'close' } },
  'a body of no bytes': { path, body: '' },
  'no body although one is due': { path, method: 'POST' },
  'a body that begins with an @': { path, body: '@/etc/hostname' },
  'a body that is not text': { path, body: Uint8Array.of(0, 255, 10) },
  'another method': { path, method: 'TRACE' },
  'a method with a body': { path, method: 'PATCH', body: '{}' },
  'dots in a path': { path: '/v1/models/../models/./x' },
  'brackets in a query': { path: '/v1/models?limit[]=1&a={b}' },
  'slashes in a path': { path: '/v1//models//' },
}

/** A server that keeps what it was sent. */
async function startRecorder() {
  const seen: object[] = []
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const { method, url, rawHeaders } = incoming
    const headers = headerPairs(rawHeaders)
      .map(([name, value]) => [name.toLowerCase(), value])
      .filter(([name, value]) => !(name === 'user-agent' && /^(curl\/|touchstone$)/.test(value ?? '')))
      .filter(([name, value]) => !(name === 'connection' && value === 'keep-alive'))
      .toSorted()
    seen.push({ method, url, headers, body: Buffer.concat(pieces).toString('hex') })
    outgoing.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { seen, baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() }
}

test.each(Object.entries(requests))('of %s', { tags: 'curl' }, async (_, spec) => {
  const { seen, baseUrl, close } = await startRecorder()
  const probe = createProbe({ baseUrl, key: '', timeoutMs: 30_000 })
  try {
    const { request } = await probe.send(spec, new AbortController().signal)
    const line =
      curlLine(request, new Map(), { redactor: createRedactor(), maxBodyChars: EVIDENCE_CHARS }) ?? ''
    await run('bash', ['-c', line])
    expect({ line, sent: seen[1] }).toEqual({ line, sent: seen[0] })
  } finally {
    probe.close()
    close()
  }
})
