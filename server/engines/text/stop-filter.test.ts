// The filter is compared with a direct implementation of the rule: generation ends at the first character that completes a
// stop string, and the text is cut at the start of that stop string.
import { expect, it } from 'vitest'
import { fc, forAll, forAllWith } from '../../../spec/property.fixture.ts'
import { createStopFilter } from './stop-filter.ts'

/** Few letters, so that stop strings occur, overlap and begin again; an astral one, so that pairs could split. */
const letters = fc.constantFrom('a', 'b', 'c', '😀')
const textOf = (minLength: number, maxLength: number) =>
  fc.array(letters, { minLength, maxLength }).map((parts) => parts.join(''))

/** The rule without any cleverness: look at every beginning of the whole text. */
function cutAtStop(text: string, stops: readonly string[]): { text: string; stopped: boolean } {
  const characters = Array.from(text)
  for (let length = 1; length <= characters.length; length += 1) {
    const beginning = characters.slice(0, length).join('')
    const starts = stops.map((stop) => beginning.indexOf(stop)).filter((start) => start >= 0)
    if (starts.length > 0) return { text: beginning.slice(0, Math.min(...starts)), stopped: true }
  }
  return { text, stopped: false }
}

function run(pieces: readonly string[], stops: readonly string[]) {
  const filter = createStopFilter(stops)
  const shown: string[] = []
  for (const piece of pieces) {
    const { text, stopped } = filter.push(piece)
    shown.push(text)
    if (stopped) return { shown, text: shown.join(''), stopped }
  }
  shown.push(filter.flush())
  return { shown, text: shown.join(''), stopped: false }
}

it('cuts as the rule says, however the text is cut into pieces', () => {
  forAllWith(
    { numRuns: 2000 },
    fc.array(textOf(0, 5), { maxLength: 12 }),
    fc.array(textOf(1, 4), { minLength: 1, maxLength: 4 }),
    (pieces, stops) => {
      const { text, stopped } = run(pieces, stops)
      expect({ text, stopped }).toEqual(cutAtStop(pieces.join(''), stops))
    },
  )
})

it('holds back only what may still become a stop string', () => {
  forAll(textOf(0, 20), fc.array(textOf(1, 4), { minLength: 1, maxLength: 4 }), (text, stops) => {
    const { text: shown, stopped } = createStopFilter(stops).push(text)
    if (stopped) return
    const held = text.slice(shown.length)
    expect(held === '' || stops.some((stop) => stop.startsWith(held))).toBe(true)
  })
})

it('never splits a surrogate pair, not even for a stop string that is half of one', () => {
  const { shown, text } = run(['a😀', 'b'], ['\uDE00', '\uD83D'])
  expect(text).toBe('a😀b')
  expect(shown.every((piece) => piece.isWellFormed())).toBe(true)
})

it('shows nothing after the stop', () => {
  const filter = createStopFilter(['.'])
  expect(filter.push('a.b')).toEqual({ text: 'a', stopped: true })
  expect(filter.push('c')).toEqual({ text: '', stopped: true })
  expect(filter.flush()).toBe('')
})

it('lets everything through if there is no stop string', () => {
  for (const stops of [[], ['']])
    expect(createStopFilter(stops).push('text')).toEqual({ text: 'text', stopped: false })
})

it('ends on a stop string that almost matches everywhere', () => {
  // A search that compares the held text again for each character does not end here.
  const filter = createStopFilter([`${'a'.repeat(20_000)}b`])
  for (let index = 0; index < 40_000; index += 1) filter.push('a')
  expect(filter.flush()).toHaveLength(20_000)
})
