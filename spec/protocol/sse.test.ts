// The parser reads everything that the encoder writes, however the text is cut, and everything that the standard allows.
import { describe, expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../property.fixture.ts'
import { type ServerSentEvent, createEventStreamParser, encodeComment, encodeRecord } from './sse.ts'

function parse(pieces: readonly string[]): { events: ServerSentEvent[]; rest: string } {
  const parser = createEventStreamParser()
  const events = pieces.flatMap((piece) => parser.push(piece))
  return { events, rest: parser.rest() }
}

/** Any text in which line ends, colons, fields and blank lines are frequent. */
const stream = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'data', 'data:', 'data: ', 'event: x', ':', ' ', '\uFEFF'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

/** A text, and the same text cut into pieces, empty ones included. */
const cut = fc
  .tuple(stream, fc.array(fc.nat(60), { maxLength: 8 }))
  .map(([text, places]): [string, string[]] => {
    const ends = [...places.toSorted((a, b) => a - b), text.length]
    return [text, ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))]
  })

/** The standard's own words as a program: lines first, then fields. Slow, and without state between pieces. */
function reference(text: string): ServerSentEvent[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  // The text after the last line end is not a complete line.
  lines.pop()
  const events: ServerSentEvent[] = []
  let event: string | undefined
  let data = ''
  for (const line of lines) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/su.exec(line) ?? []
    if (line === '') {
      if (data !== '') events.push({ ...(event !== undefined && { event }), data: data.slice(0, -1) })
      event = undefined
      data = ''
    } else if (field === 'data') data += `${value}\n`
    else if (field === 'event') event = value
  }
  return events
}

describe('any stream', () => {
  test('is parsed as the standard says', () => {
    forAllWith({ numRuns: 1000 }, stream, (text) => {
      expect(parse([text]).events).toEqual(reference(text))
    })
  })

  test('is parsed the same in any pieces', () => {
    forAllWith({ numRuns: 1000 }, cut, ([text, pieces]) => {
      expect(pieces.join('')).toBe(text)
      expect(parse(pieces)).toEqual(parse([text]))
    })
  })
})

test('records and comments that are encoded come back as events, in order, with nothing left', () => {
  const data = fc.json().filter((text) => !/[\r\n]/.test(text))
  forAll(fc.array(fc.oneof(data, fc.constant(undefined))), (items) => {
    const text = items.map((item) => (item === undefined ? encodeComment('alive') : encodeRecord(item)))
    const events = items.filter((item) => item !== undefined).map((item) => ({ data: item }))
    expect(parse(text)).toEqual({ events, rest: '' })
  })
})

describe('the edges', () => {
  test.each([
    ['data lines are joined', 'data: a\ndata: b\n\n', [{ data: 'a\nb' }]],
    [
      'one space after the colon is not data, a second one is',
      'data:a\n\ndata:  b\n\n',
      [{ data: 'a' }, { data: ' b' }],
    ],
    ['a field without a colon', 'data\n\n', [{ data: '' }]],
    [
      'an event has its name, the next one has not',
      'event: x\ndata: a\n\ndata: b\n\n',
      [{ event: 'x', data: 'a' }, { data: 'b' }],
    ],
    ['an event without data is none', 'event: x\n\nid: 1\n\n: comment\n\n', []],
    ['CR alone ends lines, the last one too', 'data: a\r\r', [{ data: 'a' }]],
    ['a byte order mark at the start only', '\uFEFFdata: a\n\n\uFEFFdata: b\n\n', [{ data: 'a' }]],
  ])('%s', (_, text, events) => {
    expect(parse([text]).events).toEqual(events)
  })

  test.each([
    ['data: a\n\ndata: b\n', 'data: b'],
    ['data: a\n\ndata: b', 'data: b'],
    ['data: a\n\n', ''],
    ['data: a\n\n: comm', ': comm'],
  ])('what was not ended is left over: %j', (text, rest) => {
    expect(parse([text])).toEqual({ events: [{ data: 'a' }], rest })
  })

  test('a long line in many pieces takes time in proportion', () => {
    const piece = 'x'.repeat(64)
    const parser = createEventStreamParser()
    parser.push('data: ')
    for (let count = 0; count < 100_000; count++) parser.push(piece)
    expect(parser.push('\n\n')).toEqual([{ data: piece.repeat(100_000) }])
  })
})
