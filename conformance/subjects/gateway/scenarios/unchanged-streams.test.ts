// The segments of a stream that is cut within characters, as a raw reader receives them.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startScriptedService } from '../../../../harness/scripted-service/scripted-service.ts'
import type { ScriptContext } from '../crossing.ts'
import { scenarios } from './unchanged-streams.ts'

const context: ScriptContext = {
  words: 'words',
  upstreamKey: '',
  upstreamAddress: '',
  longStreamMs: 0,
  received: async () => undefined,
}

/** Whether a piece of a chunked body ends within a character. */
const endsWithin = (piece: Buffer): boolean =>
  piece.toString().replace(/\r\n$/, '').endsWith('\uFFFD') && !piece.includes('\uFFFD')

test.each(['stream-within-characters', 'stream-call-within-characters'])(
  'segments of %s end within characters, and TCP does not join them',
  async (name) => {
    const script = scenarios.find((one) => one.name === name)?.script(context) ?? []
    const service = await startScriptedService()
    const path = `/s/${name}/v1/chat/completions`
    service.open({ name, path, key: '', text: 'words', model: 'm', together: 1 }, script)
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    const head = ['Host: raw', 'Connection: close', 'Content-Length: 15']
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{"stream":true}`)
    await once(socket, 'close')
    await service.close()
    expect(pieces.filter(endsWithin).length).toBeGreaterThan(2)
  },
)
