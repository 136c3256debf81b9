// The reference of the benchmark: plain `node:http` on a free port, which it prints. It parses the body and writes the answer of
// the server under test, which is JSON in BARE_ANSWER: a stream in one write, or record by record with BARE_BY_RECORD=1.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BareAnswer } from './bench-servers.ts'

const { contentType, pieces }: BareAnswer = JSON.parse(process.env['BARE_ANSWER'] ?? '')
const text = pieces.join('')
const byRecord = process.env['BARE_BY_RECORD'] === '1' && pieces.length > 1

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString())
    const length = byRecord ? {} : { 'content-length': Buffer.byteLength(text) }
    response.writeHead(200, { 'content-type': contentType, ...length })
    if (byRecord) for (const piece of pieces) response.write(piece)
    response.end(byRecord ? undefined : text)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
