// Pieces are whole tokens with their entries, in order, and nothing is lost or given twice.
import { expect, it } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { createLogprobText } from './logprob-text.ts'

it('gives whole tokens, however the text is held back', () => {
  const token = fc.record({ text: fc.stringMatching(/^[a-z]{0,4}$/), shown: fc.nat(9) })
  forAll(fc.array(token), (tokens) => {
    const logprobs = createLogprobText<string>()
    let all = ''
    let given = 0
    const pieces = tokens.map(({ text, shown }) => {
      all += text
      logprobs.token(text, all.length)
      const piece = all.slice(given, given + shown)
      given += piece.length
      return logprobs.push(piece)
    })
    pieces.push(logprobs.push(all.slice(given)), logprobs.end())
    for (const { text, entries } of pieces) expect(entries.join('')).toBe(text)
    // A token without text belongs to the text that follows it.
    const texts = tokens.map(({ text }) => text)
    const withText = texts.slice(0, texts.findLastIndex((text) => text !== '') + 1)
    expect(pieces.flatMap(({ entries }) => entries)).toEqual(withText)
  })
})

it('leaves out what begins after a cut, and keeps a token that is cut in two', () => {
  const logprobs = createLogprobText<string>()
  logprobs.token('ab', 2)
  logprobs.token('cd', 4)
  logprobs.token('ef', 6)
  expect(logprobs.push('abc')).toEqual({ text: 'ab', entries: ['ab'] })
  expect(logprobs.end()).toEqual({ text: 'c', entries: ['cd'] })
})
