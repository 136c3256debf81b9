// Whatever the cut into tokens, the text is that of all bytes, and no piece holds a part of a character.
import { expect, it } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { createTokenText } from './token-text.ts'

type Token = readonly number[]

const detokenize = (tokens: readonly Token[]) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(tokens.flat()))

/** Well-formed text without U+FFFD, its bytes cut into tokens of 1 to 3 bytes. */
const tokenized = fc
  .tuple(
    fc.string({ unit: 'binary' }).filter((text) => !text.includes('\uFFFD')),
    fc.infiniteStream(fc.integer({ min: 1, max: 3 })),
  )
  .map(([text, lengths]) => {
    const bytes = [...Buffer.from(text, 'utf8')]
    const tokens: Token[] = []
    while (bytes.length > 0) tokens.push(bytes.splice(0, lengths.next().value ?? 1))
    return { text, tokens }
  })

function textOf(tokens: readonly Token[]): string[] {
  const text = createTokenText<Token>(detokenize)
  return [...tokens.map((token) => text.push(token)), text.flush()]
}

it('gives the text of all bytes in whole characters', () => {
  forAll(tokenized, ({ text, tokens }) => {
    const pieces = textOf(tokens)
    expect(pieces.join('')).toBe(text)
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
  })
})

it('gives a beginning of the text wherever it is cut', () => {
  forAll(tokenized, fc.nat(), ({ text, tokens }, seed) => {
    const cut = textOf(tokens.slice(0, seed % (tokens.length + 1))).join('')
    expect(text.startsWith(cut)).toBe(true)
  })
})

it('holds an unfinished character back and no longer', () => {
  const text = createTokenText<Token>(detokenize)
  const tokens = [[0x61, 0xf0], [0x9f], [0x98], [0x80], [0x62]]
  expect(tokens.map((token) => text.push(token))).toEqual(['a', '', '', '😀', 'b'])
})

it('shows invalid bytes instead of waiting for ever', () => {
  const pieces = textOf(Array.from({ length: 6 }, () => [0xff]))
  expect(pieces.slice(0, 4).join('')).toBe('\uFFFD'.repeat(4))
})

it('gives the detokenizer what came before', () => {
  const seen: (readonly number[])[] = []
  const text = createTokenText<number>((tokens, before) => (seen.push(before), tokens.join('')), [7, 8])
  text.push(1)
  text.push(2)
  expect(seen).toEqual([
    [7, 8],
    [7, 8, 1],
  ])
})
