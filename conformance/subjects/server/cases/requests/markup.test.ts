// Every marker is found in every text of an answer, plain and split over the deltas of a stream, unless the request has it
// (WIRE-27).
import { describe, expect, test } from 'vitest'
import { madeExchange } from '../../../../../harness/exchange.fixture.ts'
import { fc, forAll } from '../../../../../spec/property.fixture.ts'
import { encodeRecord } from '../../../../../spec/protocol/sse.ts'
import { AT_ENDS, FAMILIES } from './markers.ts'
import { markupIn } from './markup.ts'

const inner = fc.constantFrom(...Object.values(FAMILIES).flat())
const any = fc.oneof(inner, fc.constantFrom(...AT_ENDS))
const text = fc.stringMatching(/^[a-z ,.]{1,20}$/)
const places = ['content', 'reasoning_content', 'reasoning', 'arguments'] as const
const place = fc.constantFrom(...places)

/** The member of a message or a delta that has a text. */
const holder = (where: (typeof places)[number], value: string): object =>
  where === 'arguments' ? { tool_calls: [{ index: 0, function: { arguments: value } }] } : { [where]: value }

function answers(where: (typeof places)[number], value: string, prompt: string) {
  const messages = [{ role: 'user', content: prompt }]
  const cuts = Array.from(value)
  const streamed = cuts.map((delta) =>
    encodeRecord(JSON.stringify({ choices: [{ index: 0, delta: holder(where, delta) }] })),
  )
  return [
    madeExchange({
      requestBody: JSON.stringify({ messages }),
      body: { choices: [{ index: 0, message: holder(where, value) }] },
    }),
    madeExchange({
      requestBody: JSON.stringify({ messages, stream: true }),
      headers: [['content-type', 'text/event-stream']],
      body: streamed.join(''),
    }),
  ]
}

describe('a marker', () => {
  test('is found anywhere in a text', () => {
    forAll(inner, text, text, place, (marker, before, after, where) => {
      for (const answer of answers(where, before + marker + after, 'hello'))
        expect(markupIn(answer)).toContain(marker)
    })
  })

  test('is found at the start and at the end of a text', () => {
    forAll(any, text, place, fc.boolean(), (marker, other, where, isFirst) => {
      for (const answer of answers(where, isFirst ? marker + other : other + marker, 'hello'))
        expect(markupIn(answer)).toContain(marker)
    })
  })

  test('does not count if the prompt has it', () => {
    forAll(any, text, place, (marker, other, where) => {
      for (const answer of answers(where, marker + other, `Write ${marker} first.`))
        expect(markupIn(answer)).toBeUndefined()
    })
  })

  test('that is ordinary text, too, does not count within a text', () => {
    forAll(fc.constantFrom(...AT_ENDS), text, text, place, (marker, before, after, where) => {
      for (const answer of answers(where, before + marker + after, 'hello'))
        expect(markupIn(answer)).toBeUndefined()
    })
  })
})

test('a marker is found in arguments that are well-formed JSON', () => {
  const value = JSON.stringify({ word: 'stone<|"|>' }).replace('stone', String.raw`\u0073tone`)
  for (const answer of answers('arguments', value, 'hello')) expect(markupIn(answer)).toBe('<|"|>')
})
