// Written calls are read as the same calls, whatever the chunks, and everything else is text.
import { describe, expect, it } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { begin, one } from './grammar/byte-grammar.ts'
import { anyObject } from './grammar/json-text-grammar.ts'
import { callsGrammar, createCallReader, plainTextGrammar, toolsPrompt } from './tool-calls.ts'

const names = ['get', 'set_all', 'a-b']
const calls = callsGrammar(
  names.map((name) => ({ name, argumentsGrammar: anyObject })),
  true,
)
const auto = one(plainTextGrammar(), calls)

interface Read {
  text: string
  readonly calls: { readonly name: string; arguments: string }[]
}

/** Reads `answer` in chunks of these lengths. */
function read(answer: string, lengths: readonly number[]): Read {
  const reader = createCallReader()
  const found: Read = { text: '', calls: [] }
  let at = 0
  const cuts = [...lengths, answer.length]
  const chunks = cuts.flatMap((length) => {
    const chunk = answer.slice(at, at + length)
    at += length
    return chunk === '' ? [] : reader.push(chunk)
  })
  for (const chunk of [...chunks, ...reader.flush()]) {
    if ('text' in chunk) found.text += chunk.text
    else if (chunk.name !== undefined) found.calls.push({ name: chunk.name, arguments: chunk.arguments })
    else {
      const call = found.calls[chunk.call]
      if (call === undefined) throw new Error('a call without a name')
      call.arguments += chunk.arguments
    }
  }
  return found
}

const written = (call: { name: string; arguments: string }) =>
  `<tool_call>\n{"name": "${call.name}", "arguments": ${call.arguments}}\n</tool_call>`
const cuts = fc.array(fc.integer({ min: 1, max: 9 }))

describe('calls', () => {
  it('are read as they are written', () => {
    const value = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.constant('}"\\{')))
    const call = fc.record({
      name: fc.constantFrom(...names),
      arguments: value.map((arguments_) => JSON.stringify(arguments_)),
    })
    forAll(fc.array(call, { minLength: 1, maxLength: 3 }), cuts, (made, lengths) => {
      expect(read(made.map(written).join('\n'), lengths)).toEqual({ text: '', calls: made })
    })
  })

  it('are the only thing that an answer with their marker can be', () => {
    const made = written({ name: 'get', arguments: '{"a":[1, {}]}' })
    expect(begin(calls).after(Buffer.from(`${made}\n${made}`))?.mayEnd).toBe(true)
    expect(begin(auto).after(Buffer.from(made))?.mayEnd).toBe(true)
    expect(begin(auto).after(Buffer.from('<tool_call>\n{"name": "other"'))).toBeUndefined()
    expect(begin(calls).after(Buffer.from('text'))).toBeUndefined()
    expect(
      begin(callsGrammar([{ name: 'get', argumentsGrammar: anyObject }], false)).after(Buffer.from(made))
        ?.mustEnd,
    ).toBe(true)
  })

  it('are described by their tools and an example', () => {
    expect(toolsPrompt([{ name: 'get' }])).toContain('{"name":"get"}\n')
  })
})

it('text is what does not begin with the marker, given as it is', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('<tool', '<tool_cal ', '<tool_calls', ' <tool_call>'),
  )
  forAll(text, cuts, (answer, lengths) => {
    fc.pre(!answer.startsWith('<tool_call>'))
    expect(read(answer, lengths)).toEqual({ text: answer, calls: [] })
    expect(begin(auto).after(Buffer.from(answer))?.mayEnd).toBe(true)
  })
})
