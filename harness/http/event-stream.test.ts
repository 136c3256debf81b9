import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { anyText } from '../../conformance/generate/hostile-text.ts'
import { readStream } from './event-stream.ts'
import { madeExchange } from '../exchange.fixture.ts'

const read = (body: string | Uint8Array) => readStream(madeExchange({ body }))
const chunk = (choices: readonly unknown[], more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', choices, ...more })}\n\n`
const delta = (index: number, content: string) => ({ index, delta: { content }, finish_reason: null })

test('texts come back whole, however they are split over chunks and choices', () => {
  const pieces = fc.array(fc.record({ index: fc.nat({ max: 2 }), content: anyText() }))
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  forAll(pieces, lineEnd, (parts, end) => {
    const body = `${parts.map(({ index, content }) => chunk([delta(index, content)])).join('')}data: [DONE]\n\n`
    const reading = read(body.replaceAll('\n', end))
    expect(reading).toMatchObject({ wellFormed: true, doneCount: 1, afterDone: 0, rest: '', errors: [] })
    for (const index of [0, 1, 2]) {
      const own = parts.filter((part) => part.index === index)
      const folded = reading.choices.find((choice) => choice.index === index)
      if (own.length > 0) expect(folded?.content).toBe(own.map(({ content }) => content).join(''))
      else expect(folded).toBeUndefined()
    }
  })
})

test('reports faults of framing and does not judge them', () => {
  expect(read('data: {"a":1}\n\ndata: [DONE]\n\ndata: {"b":2}\n\n')).toMatchObject({
    doneCount: 1,
    afterDone: 1,
  })
  expect(read('data: [DONE]\n\ndata: [DONE]\n\n')).toMatchObject({ doneCount: 2, afterDone: 1 })
  expect(read('data: {"a":1}\n\ndata: [DONE]\n')).toMatchObject({ doneCount: 1, rest: 'data: [DONE]' })
  expect(read('data: {\n\n').records).toEqual([undefined])
  expect(read(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a])).wellFormed).toBe(false)
  expect(read(': keep-alive\n\ndata:{"a":1}\n\n').records).toEqual([{ a: 1 }])
})

test('errors are kept apart from chunks', () => {
  const reading = read(`${chunk([delta(0, 'a')])}data: {"error":{"message":"No."}}\n\n`)
  expect([reading.chunks.length, reading.errors]).toEqual([1, [{ error: { message: 'No.' } }]])
})

test('finish reasons, refusals, usage and tool calls are folded', () => {
  const call = (fragment: object) => ({ index: 0, delta: { tool_calls: [fragment] } })
  const body = [
    chunk([{ index: 0, delta: { role: 'assistant', refusal: 'No' } }], { usage: null }),
    chunk([call({ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } })]),
    chunk([call({ index: 0, function: { arguments: '{"a"' } }), { index: 0, delta: { refusal: '.' } }]),
    chunk([call({ index: 0, function: { arguments: ':1}' } })]),
    chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
    chunk([], { usage: { total_tokens: 3 } }),
  ].join('')
  const reading = read(body)
  expect(reading.usage).toEqual({ total_tokens: 3 })
  expect(reading.choices).toMatchObject([
    {
      index: 0,
      content: null,
      refusal: 'No.',
      finishReasons: ['tool_calls'],
      toolCalls: [{ index: 0, id: 'call_1', name: 'f', arguments: '{"a":1}' }],
    },
  ])
})

test('records on adjacent lines are records, and one record on several lines stays one', () => {
  const adjacent = read('data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n\n')
  expect([adjacent.records, adjacent.doneCount]).toEqual([[{ a: 1 }, { b: 2 }], 1])
  expect(read('data: {"a":\ndata: 1}\n\n').records).toEqual([{ a: 1 }])
})
