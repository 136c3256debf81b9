// Answers of the scripted service as a raw reader of its connection receives them: pieces that TCP does not join, and
// content codings for a client that accepts them.
import { once } from 'node:events'
import { connect } from 'node:net'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { decoderFor } from '../http/content-coding.ts'
import { answer, jsonReply, streamReply } from './scripted-answers.ts'
import { type Step, encoded, whole } from './scripted-reply.ts'
import { startScriptedService } from './scripted-service.ts'

/** Sends a request for this answer; `onBytes` gets all bytes so far, at each piece of them. Returns the whole answer. */
async function receive(step: Step, accept: string, onBytes: (all: Buffer) => void = () => {}) {
  const service = await startScriptedService()
  const path = '/s/raw/v1/chat/completions'
  service.open({ name: 'raw', path, key: '', text: 'words', model: 'm', together: 1 }, [step])
  const { port } = new URL(service.origin)
  const socket = connect(Number(port), '127.0.0.1')
  let all = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => onBytes((all = Buffer.concat([all, bytes]))))
  const head = ['Host: raw', 'Connection: close', `Accept-Encoding: ${accept}`, 'Content-Length: 2']
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{}`)
  await once(socket, 'close')
  await service.close()
  const end = all.indexOf('\r\n\r\n')
  return { head: all.subarray(0, end).toString('latin1').toLowerCase(), body: all.subarray(end + 4) }
}

/** The content of a chunked body, as far as it came. */
function unchunked(body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, end).toString('latin1'), 16)
    if (end === -1 || !(size > 0)) break
    pieces.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(pieces)
}

/** Cuts a character in two; the second piece waits until the reader has the first one. */
function cutCharacter() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [first, second] = [Buffer.from([0x5a, 0xc3]), Buffer.from([0xab])]
  const step: Step = () =>
    streamReply([
      { bytes: first, afterMs: 0 },
      { bytes: second, afterMs: 0, when: () => promise },
    ])
  return { first, resolve, step }
}

test('a piece reaches the reader before the next one is sent, also within a character', async () => {
  const { first, resolve, step } = cutCharacter()
  const { body } = await receive(step, 'identity', (all) => all.includes(first) && resolve())
  expect(unchunked(body).toString()).toBe('Zë')
})

test.each(['gzip', 'deflate', 'br', 'zstd'] as const)(
  'a plain answer in %s has its true length, and a piece of a stream can be decoded before the next one',
  async (coding) => {
    const plain: Step = () => jsonReply(200, { text: 'ha '.repeat(1_000) })
    const { head, body } = await receive(encoded(plain, coding), `identity;q=0.5, ${coding}`)
    expect(head).toContain(`\r\ncontent-encoding: ${coding}`)
    expect(head).toContain(`\r\ncontent-length: ${body.length}`)
    const decode = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, br: zlib.brotliDecompressSync }
    const decoded = coding === 'zstd' ? zlib.zstdDecompressSync(body) : decode[coding](body)
    expect(JSON.parse(decoded.toString())).toEqual({ text: 'ha '.repeat(1_000) })
    if (coding === 'zstd') return

    const { promise, resolve } = Promise.withResolvers<void>()
    const pieces = [
      ...whole('data: one\n\n'),
      { bytes: Buffer.from('data: two\n\n'), afterMs: 0, when: () => promise },
    ]
    let decoder: ReturnType<NonNullable<ReturnType<typeof decoderFor>>> | undefined
    let read = ''
    let given = 0
    await receive(
      encoded(() => streamReply(pieces), coding),
      coding,
      (all) => {
        const content = unchunked(all.subarray(all.indexOf('\r\n\r\n') + 4))
        if (content.length === given) return
        decoder ??= decoderFor(coding)?.(content)
        decoder?.on('data', (bytes: Buffer) => {
          read += bytes.toString()
          if (read === 'data: one\n\n') resolve()
        })
        decoder?.write(content.subarray(given))
        given = content.length
      },
    )
    expect(read.startsWith('data: one\n\n')).toBe(true)
  },
)

test.each(['identity', '', 'gzip;q=0, br;q=0.0'])(
  'an answer to a client that accepts "%s" is not encoded',
  async (accept) => {
    const { head } = await receive(encoded(answer, 'gzip', 'br'), accept)
    expect(head).not.toContain('content-encoding')
  },
)
