// The reference of the benchmark: plain `node:http`. It parses the same body and writes the same answer as the server
// under test: a stream in one write, or record by record with BARE_BY_RECORD=1.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerBare } from './bare-answer.ts'

const byRecord = process.env['BARE_BY_RECORD'] === '1'
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString())
    answerBare(response, byRecord)
  })
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
