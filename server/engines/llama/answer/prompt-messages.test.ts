// Nothing of a conversation is lost on its way to the chat template, or it is refused by name.
import { describe, expect, it } from 'vitest'
import { toPrompt } from './prompt-messages.ts'

describe('toPrompt', () => {
  it('keeps texts and roles, developer as system', () => {
    const messages = toPrompt([
      { role: 'developer', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'b' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'c' },
          { type: 'text', text: ' d' },
        ],
      },
      { role: 'assistant', content: 'e' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'f' }] },
      { role: 'assistant', content: null, refusal: 'g' },
    ])
    expect(messages).toEqual([
      { role: 'system', text: 'a' },
      { role: 'system', text: 'b' },
      { role: 'user', text: 'c d' },
      { role: 'assistant', text: 'e', calls: [] },
      { role: 'assistant', text: 'f', calls: [] },
      { role: 'assistant', text: 'g', calls: [] },
    ])
  })

  it('gives each call the result that answers it, even if an id is repeated', () => {
    const ask = (id: string, input: string) => ({
      role: 'assistant' as const,
      tool_calls: [{ id, type: 'function' as const, function: { name: 'get', arguments: input } }],
    })
    const messages = toPrompt([
      ask('call_1', '{"day":1}'),
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      ask('call_1', 'not JSON'),
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'sun' }] },
      { role: 'assistant', tool_calls: [{ id: 'x', type: 'custom', custom: { name: 'run', input: '1' } }] },
    ])
    expect(messages).toEqual([
      { role: 'assistant', text: '', calls: [{ name: 'get', arguments: { day: 1 }, result: 'rain' }] },
      { role: 'assistant', text: '', calls: [{ name: 'get', arguments: 'not JSON', result: 'sun' }] },
      { role: 'assistant', text: '', calls: [{ name: 'run', arguments: 1 }] },
    ])
  })

  it('takes the older form of calls, each answered by name', () => {
    const messages = toPrompt([
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'x' },
      { role: 'assistant', content: 'and', function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: null },
      { role: 'assistant', content: null, function_call: { name: 'g', arguments: '{}' } },
    ])
    expect(messages).toEqual([
      { role: 'assistant', text: '', calls: [{ name: 'f', arguments: { a: 1 }, result: 'x' }] },
      { role: 'assistant', text: 'and', calls: [{ name: 'f', arguments: {}, result: '' }] },
      { role: 'assistant', text: '', calls: [{ name: 'g', arguments: {} }] },
    ])
  })

  it.each([
    ['messages[0].name', { role: 'function', name: 'f', content: 'x' }],
    ['messages[0].audio', { role: 'assistant', audio: { id: 'audio_1' } }],
  ] as const)('refuses %s by name', (param, message) => {
    expect(() => toPrompt([message])).toThrow(expect.objectContaining({ status: 400, param }))
  })
})
