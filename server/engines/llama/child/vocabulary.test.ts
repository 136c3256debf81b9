// The bytes of a part of a character are those that the vocabulary writes.
import { describe, expect, it } from 'vitest'
import { partialBytes } from './vocabulary.ts'

describe('partialBytes', () => {
  it('reads the alphabet of GPT-2', () => {
    const vocabulary = { kind: 'gpt2', tokens: ['Ċ', 'âĤ', 'Ġa', '<|end|> €'] }
    const bytes = [0, 1, 2, 3, 4].map((token) => partialBytes(vocabulary, token))
    expect(bytes).toEqual([
      Uint8Array.of(0x0a),
      Uint8Array.of(0xe2, 0x82),
      Uint8Array.of(0x20, 0x61),
      undefined,
      undefined,
    ])
  })

  it('reads byte tokens', () => {
    const vocabulary = { kind: 'llama', tokens: ['<0xE2>', '▁a'] }
    expect([0, 1].map((token) => partialBytes(vocabulary, token))).toEqual([Uint8Array.of(0xe2), undefined])
  })
})
