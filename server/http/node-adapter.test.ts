// A stream that is written part by part arrives whole, whatever its characters are: each chunk says its length in bytes.
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventStreamParser, DONE } from '../../spec/protocol/sse.ts'
import { createTestService } from '../app.fixture.ts'
import type { Engine } from '../engines/engine.ts'

let texts: readonly string[] = []
/** Resolves when the client has the head of the answer. */
let arrived = Promise.withResolvers<void>()

/** Gives `texts`, the first of them before the client has the head, with a pause after each. */
const engine: Engine = {
  models: [{ id: 'slow', created: 0, ownedBy: 'test' }],
  async *generate() {
    for (const text of texts) {
      yield [{ type: 'text', index: 0, text }]
      // An answer that is ready before its head is sent is written in one piece, with its length.
      await arrived.promise
      await sleep(2)
    }
    yield [{ type: 'finish', index: 0, reason: 'stop' }]
    yield [{ type: 'usage', usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }]
  },
  async close() {},
}

test('a stream that is written part by part arrives whole', async () => {
  const { server, send } = await createTestService({ engines: [engine] })
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('é', '😀', '\r\n', 'a'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
      texts = parts
      arrived = Promise.withResolvers()
      const body = { model: 'slow', messages: [{ role: 'user', content: '' }], stream: true }
      const answer = await send('POST', '/v1/chat/completions', body)
      arrived.resolve()
      expect(answer.headers.get('transfer-encoding')).toBe('chunked')
      const records = createEventStreamParser().push(await answer.text())
      expect(records.at(-1)?.data).toBe(DONE)
      const chunks = records.slice(0, -1).map(({ data }) => JSON.parse(data))
      expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe(parts.join(''))
    }),
    { numRuns: 50 },
  )
  server.close()
})
