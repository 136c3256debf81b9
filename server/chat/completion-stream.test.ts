import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventStreamParser } from '../../spec/protocol/sse.ts'
import { completionOf } from './plain-completion.fixture.ts'
import type { Delta, Deltas, DeltaSource } from '../engines/engine.ts'
import { ApiError, unavailable } from '../http/api-error.ts'
import type { Sink } from '../http/call.ts'
import { Unread } from '../http/unread.ts'
import { type EventStreamOptions, writeEventStream } from './completion-stream.ts'

const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' }
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }

interface WriteOptions extends EventStreamOptions {
  /** Ends the generation; a reader that leaves aborts it too. */
  readonly clock: AbortController
}

function options(more: Partial<WriteOptions> = {}): WriteOptions {
  return {
    head,
    n: 1,
    includeUsage: false,
    keepAliveMs: 10_000,
    count() {},
    held: new Unread({ unreadBytesPerKey: Infinity, unreadBytes: Infinity }).open('key'),
    clock: new AbortController(),
    onEnd: () => {},
    ...more,
  }
}

/** The body as a fetch client reads it. */
function eventStream(
  deltas: AsyncIterable<Deltas>,
  { clock, ...more }: WriteOptions,
): ReadableStream<Uint8Array> {
  const generation = {
    deltas,
    signal: clock.signal,
    abandon: () => clock.abort(),
    abort() {},
  }
  const body = new Readable({ highWaterMark: 64 * 1024, read: () => void body.emit('room') })
  void writeEventStream(generation, more, sinkOf(body))
  return Readable.toWeb(body, { strategy: { highWaterMark: 0 } })
}

/** Writes to a stream as to the response of a request. */
function sinkOf(body: Readable): Sink {
  return {
    get hasLeft() {
      return body.destroyed
    },
    onLeave: (listener) => void body.once('close', () => body.readableEnded || listener()),
    write: (part) => body.push(part),
    get waitingBytes() {
      return body.readableLength
    },
    room: (signal) =>
      new Promise((resolve) => {
        body.once('room', resolve).once('close', resolve)
        signal?.addEventListener('abort', () => resolve())
      }),
    end(text) {
      body.push(text)
      body.push(null)
    },
    cut: () => void body.destroy(),
  }
}

/** The deltas, `atATime` in each step. */
async function* from(deltas: Deltas, atATime = deltas.length): AsyncGenerator<Deltas> {
  for (let at = 0; at < deltas.length; at += atATime) yield deltas.slice(at, at + atATime)
}

/** The deltas, all of them ready. */
function readyFrom(deltas: Deltas): DeltaSource {
  let isRead = false
  const next = (): IteratorResult<Deltas> => {
    if (isRead) return { done: true, value: undefined }
    isRead = true
    return { done: false, value: deltas }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

interface Chunk {
  id: string
  choices: {
    index: number
    delta: { role?: string; content?: string; tool_calls?: unknown[] }
    finish_reason: string | null
  }[]
  usage?: unknown
}

/** The data of all records: chunks as objects, then `[DONE]` as it is. */
async function records(
  stream: ReadableStream<Uint8Array>,
): Promise<{ chunks: Chunk[]; last: string | undefined; text: string }> {
  const text = await new Response(stream).text()
  const events = createEventStreamParser().push(text)
  const last = events.at(-1)?.data
  return { chunks: events.slice(0, -1).map(({ data }) => JSON.parse(data)), last, text }
}

/** Deltas of `n` choices as an engine may send them: interleaved, each choice finished once, usage last. */
const answer = fc.integer({ min: 1, max: 4 }).chain((n) =>
  fc
    .array(
      fc.record({
        type: fc.constant('text' as const),
        index: fc.nat(n - 1),
        text: fc.string({ unit: 'binary', minLength: 1 }),
      }),
      { maxLength: 30 },
    )
    .map((texts) => ({
      n,
      deltas: [
        ...texts,
        ...Array.from({ length: n }, (_, index) => ({
          type: 'finish' as const,
          index,
          reason: 'stop' as const,
        })),
        { type: 'usage' as const, usage },
      ] satisfies Delta[],
    })),
)

const parts = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }))

test('a streamed answer says what the plain one says (STREAM-6)', async () => {
  await fc.assert(
    fc.asyncProperty(answer, fc.boolean(), parts, async ({ n, deltas }, includeUsage, [one, other]) => {
      const plain = await completionOf(from(deltas, one), head, n)
      const { chunks, last } = await records(eventStream(from(deltas, other), options({ n, includeUsage })))
      expect(last).toBe('[DONE]')
      for (const choice of plain.choices) {
        const parts = chunks.flatMap((chunk) => chunk.choices).filter(({ index }) => index === choice.index)
        expect(parts.map(({ delta }) => delta.content ?? '').join('')).toBe(choice.message.content)
        expect(parts.filter(({ delta }) => delta.role !== undefined)).toEqual([parts[0]])
        expect(parts.map((part) => part.finish_reason).filter((reason) => reason !== null)).toEqual(['stop'])
        expect(parts.at(-1)?.finish_reason).toBe('stop')
      }
      expect(chunks.map((chunk) => chunk.usage).filter((value) => value != null)).toEqual(
        includeUsage ? [usage] : [],
      )
      expect(chunks.every((chunk) => 'usage' in chunk === includeUsage)).toBe(true)
    }),
  )
})

test('the bytes of a stream are counted exactly, whatever its characters are', async () => {
  const name = fc.constantFrom('m', 'mödel', 'x'.repeat(100))
  await fc.assert(
    fc.asyncProperty(answer, name, fc.boolean(), async ({ n, deltas }, model, isReady) => {
      let counted = 0
      const body: string[] = []
      const generation = {
        deltas: isReady ? readyFrom(deltas) : from(deltas, 3),
        signal: new AbortController().signal,
        abandon() {},
        abort() {},
      }
      const own = options({ n, head: { ...head, model }, count: (bytes) => (counted += bytes) })
      await writeEventStream(generation, own, {
        ...sinkOf(new Readable({ read() {} })),
        hasLeft: false,
        write: (part) => body.push(String(part)) > 0,
        end(text, bytes) {
          body.push(text)
          expect(bytes).toBe(Buffer.byteLength(text))
        },
      })
      expect(counted).toBe(Buffer.byteLength(body.join('')))
    }),
  )
})

test('the first delta of a call has no content, as the plain answer', async () => {
  const call: Delta = { type: 'tool-call', index: 0, call: 0, id: 'call_1', name: 'f', arguments: '{}' }
  const finish: Delta = { type: 'finish', index: 0, reason: 'tool_calls' }
  const first = async (deltas: Deltas) =>
    (await records(eventStream(from(deltas), options()))).chunks[0]?.choices[0]?.delta
  expect(await first([call, finish])).toEqual({ role: 'assistant', content: null, refusal: null })
  expect(await first([finish])).toEqual({ role: 'assistant', content: '', refusal: null })
})

describe('a failure after the first delta (ERR-6)', () => {
  async function* failing(error: unknown): AsyncGenerator<Deltas> {
    yield [{ type: 'text', index: 0, text: 'so far' }]
    throw error
  }

  test('is one last record with the envelope, and no [DONE]', async () => {
    const seen: unknown[] = []
    const error = new ApiError(503, 'service_unavailable', 'gone')
    const { last, text } = await records(eventStream(failing(error), options({ onEnd: (e) => seen.push(e) })))
    expect(JSON.parse(last ?? '')).toEqual(JSON.parse(error.toJson()))
    expect(text.endsWith('\n\n')).toBe(true)
    expect(text).not.toContain('[DONE]')
    expect(seen).toEqual([error])
  })

  test('does not send internal details of an error (ERR-4)', async () => {
    const { last } = await records(eventStream(failing(new Error('/etc/passwd svc_sk_secret')), options()))
    expect(JSON.parse(last ?? '')).toMatchObject({ error: { type: 'api_error', code: 'internal_error' } })
    expect(last).not.toMatch(/passwd|secret/)
  })
})

test('what an engine has ready leaves in few pieces, what it has not is not waited for', async () => {
  let release = (): void => {}
  async function* halting(): AsyncGenerator<Deltas> {
    for (let count = 0; count < 20; count += 1) yield [{ type: 'text', index: 0, text: 'x' }]
    await new Promise<void>((resolve) => (release = resolve))
    yield [{ type: 'finish', index: 0, reason: 'stop' }]
  }
  const reader = eventStream(halting(), options()).getReader()
  const first = new TextDecoder().decode((await reader.read()).value)
  expect(createEventStreamParser().push(first)).toHaveLength(21)
  release()
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('[DONE]')
})

test('a reader that stops reading stops the engine, within a bound (back-pressure)', async () => {
  let produced = 0
  async function* endless(): AsyncGenerator<Deltas> {
    for (;;) {
      produced += 1
      yield [{ type: 'text', index: 0, text: 'x'.repeat(1000) }]
    }
  }
  const clock = new AbortController()
  const ended = Promise.withResolvers<unknown>()
  const reader = eventStream(endless(), options({ clock, onEnd: ended.resolve })).getReader()
  await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(produced).toBeLessThan(200)
  const before = produced
  await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(produced).toBeGreaterThan(before)

  await reader.cancel()
  expect(await ended.promise).toBe(clock.signal.reason)
  expect(clock.signal.aborted).toBe(true)
  const atEnd = produced
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(produced).toBe(atEnd)
})

test('a long silence is broken by comments, which no reader takes for data (STREAM-9)', async () => {
  async function* slow(): AsyncGenerator<Deltas> {
    yield [{ type: 'text', index: 0, text: 'a' }]
    // Each comment has a turn of the clock, so that a busy machine delays both alike.
    for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setTimeout(resolve, 25))
    yield [{ type: 'finish', index: 0, reason: 'stop' }]
  }
  const { text, chunks, last } = await records(eventStream(slow(), options({ keepAliveMs: 20 })))
  expect(text.match(/^: keep-alive$/gm)?.length).toBeGreaterThan(1)
  expect(chunks).toHaveLength(3)
  expect(last).toBe('[DONE]')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('for a reader that stalls nothing is queued, and the end of the generation is waited for no longer', async () => {
  const clock = new AbortController()
  const ended = Promise.withResolvers<unknown>()
  let asked = 0
  async function* endless(): AsyncGenerator<Deltas> {
    for (;;) {
      clock.signal.throwIfAborted()
      asked += 1
      yield [{ type: 'text', index: 0, text: 'x'.repeat(10_000) }]
    }
  }
  const stream = eventStream(endless(), options({ keepAliveMs: 1, clock, onEnd: ended.resolve }))
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2))
  const stalledAt = asked
  clock.abort(unavailable('too late', 1))
  expect(await ended.promise).toMatchObject({ message: 'too late' })
  expect(asked).toBeLessThanOrEqual(stalledAt)
  const { text, last } = await records(stream)
  expect(text).not.toContain(': keep-alive')
  expect(text.length).toBeLessThan(200_000)
  expect(JSON.parse(last ?? '')).toMatchObject({ error: { message: 'too late' } })
})
