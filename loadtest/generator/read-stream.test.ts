// A streamed answer, read while it arrives.
import { describe, expect, it } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { encodeComment, encodeRecord } from '../../spec/protocol/sse.ts'
import { createAnswerReader } from './read-stream.ts'

const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  encodeRecord(JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more }))
const END = chunk({}, 'stop') + encodeRecord('[DONE]')

/** Each text arrives at the time of its index. */
function read(texts: readonly string[], status = 200) {
  const reader = createAnswerReader(status)
  for (const [index, text] of texts.entries()) reader.chunk(Buffer.from(text), index)
  return reader.end()
}

describe('an event with output', () => {
  it.each<[kind: string, delta: object, isOutput: boolean, isVisible: boolean]>([
    ['content', { content: 'a' }, true, true],
    ['a refusal', { refusal: 'no' }, true, true],
    ['reasoning', { reasoning_content: 'a' }, true, false],
    ['reasoning of vLLM', { reasoning: 'a' }, true, false],
    ['a tool call', { tool_calls: [{ index: 0 }] }, true, false],
    ['a function call', { function_call: { name: 'f' } }, true, false],
    ['the role', { role: 'assistant', content: '' }, false, false],
    ['empty content', { content: '' }, false, false],
    ['null', { content: null, tool_calls: [] }, false, false],
  ])('%s', (_, delta, isOutput, isVisible) => {
    const { outputMs, ttfvMs, failure } = read(['', chunk(delta), END])
    expect([outputMs, ttfvMs, failure]).toEqual([isOutput ? [1] : [], isVisible ? 1 : undefined, undefined])
  })

  it('has the time of its last byte, wherever the pieces end', () => {
    const whole = encodeComment('wait') + chunk({ content: 'é' }) + chunk({ content: '日本' }) + END
    const bytes = Buffer.from(whole)
    const ends = ['"é"', '"日本"'].map((text) => {
      const start = whole.indexOf('\n\n', whole.indexOf(text))
      return Buffer.byteLength(whole.slice(0, start + 2))
    })
    const cuts = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }))
    forAll(cuts, (all) => {
      const reader = createAnswerReader(200)
      const places = [0, ...new Set(all.toSorted((a, b) => a - b)), bytes.length]
      for (const [index, start] of places.entries())
        reader.chunk(bytes.subarray(start, places[index + 1]), places[index + 1] ?? bytes.length)
      const due = ends.map((end) => places.find((place) => place >= end))
      expect(reader.end()).toMatchObject({ outputMs: due, text: 'é日本', failure: undefined })
    })
  })
})

describe('a stream that fails', () => {
  const some = chunk({ content: 'a' })
  it.each<[failure: string, texts: readonly string[], status: number]>([
    ['status', ['{"error":{}}'], 500],
    ['status', ['slow down'], 429],
    ['error-record', [some, encodeRecord('{"error":{"message":"no"}}'), END], 200],
    ['error-record', [encodeRecord('{"error":{"message":"no"}}')], 200],
    ['malformed', [some, encodeRecord('{"choices":'), END], 200],
    ['malformed', [encodeRecord('word'), END], 200],
    ['cut', [some], 200],
    ['cut', [some, chunk({}, 'stop')], 200],
    ['cut', [some, encodeRecord('[DONE]')], 200],
    ['cut', [], 200],
    ['cut', [some, 'data: [DONE]'], 200],
  ])('%s', (failure, texts, status) => {
    expect(read(texts, status).failure).toBe(failure)
  })

  it('does not fail by `error: null`, nor by records after [DONE]', () => {
    const usage = { usage: { completion_tokens: 1 }, error: null }
    const answer = read([
      chunk({ content: 'a' }, 'stop', usage),
      encodeRecord('[DONE]'),
      encodeRecord('word'),
    ])
    expect(answer).toMatchObject({ failure: undefined, usage: { completion_tokens: 1 }, outputMs: [0] })
  })

  it('says what was sent, within a bound', () => {
    expect(read(['x'.repeat(10_000)], 503).detail).toBe('x'.repeat(200))
  })
})
