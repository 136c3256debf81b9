// Every bad pair is refused for its own reason and no other: each is a good one with one change.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryRecord } from '../complete-report.fixture.ts'
import { type Pair, type Used, pairPath, readPairs } from '../pair-entry.ts'
import { WORKS, pairOf } from '../pair.fixture.ts'
import { jsonText } from '../public-record.ts'
import { checkPublicRecord } from './check-public-record.ts'

const now = new Date('2026-11-24T12:00:00Z')
const PATH = '2/pair/good-client@good-server.json'

/** The problems of a record with this pair alone, as lines. */
function problemsOf(pair: Pair, path = pairPath(pair)): readonly string[] {
  using folder = temporaryRecord()
  const file = join(folder.record, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, jsonText(pair))
  return checkPublicRecord(folder.record, now).problems.map(
    ({ file: of, place, received, expected }) =>
      `${of}: ${place}: received ${received}; expected ${expected}`,
  )
}

const { exchange: _shown, ...NOT_SHOWN } = WORKS
const DOCUMENTATION = 'https://docs.good-client.dev/images'
const fault = (members: Partial<Used>): Used => ({ ...WORKS, verdict: 'fails', side: 'client', ...members })

function withoutPlain(): Pair {
  const { plain: _plain, ...uses } = pairOf().uses
  return { ...pairOf(), uses }
}

test.each<[string, Pair]>([
  ['every use works', pairOf()],
  ['a fault of the server with its row', pairOf({ plain: fault({ side: 'server', requirement: 'WIRE-1' }) })],
  ['a fault of the client without a row', pairOf({ plain: fault({ verdict: 'works-with-a-defect' }) })],
  ['a fault behind an answer of the proxy', pairOf({ 'rate-limit': fault({ fromProxy: true }) })],
  ['a use that was not tried', pairOf({ call: { ...NOT_SHOWN, verdict: 'not-tried' } })],
  [
    'a use that the documentation of the client excludes',
    pairOf({ image: { ...NOT_SHOWN, verdict: 'not-offered', side: 'client', documentation: DOCUMENTATION } }),
  ],
  ['a use that the server refuses', pairOf({ image: { ...WORKS, verdict: 'not-offered', side: 'server' } })],
])('%s is accepted', (_, pair) => {
  expect(problemsOf(pair)).toEqual([])
})

test.each<[string, Pair, RegExp]>([
  ['a use without a verdict', withoutPlain(), /uses\.plain: received nothing; expected a verdict/],
  [
    'a fault of no side',
    pairOf({ plain: { ...WORKS, verdict: 'fails' } }),
    /uses\.plain\.side: received nothing/,
  ],
  [
    'a side of a use that works',
    pairOf({ plain: { ...WORKS, side: 'client' } }),
    /uses\.plain\.side: received client/,
  ],
  [
    'a row of a use that works',
    pairOf({ plain: { ...WORKS, requirement: 'WIRE-1' } }),
    /uses\.plain\.requirement: received WIRE-1/,
  ],
  [
    'a row that does not exist',
    pairOf({ plain: fault({ requirement: 'WIRE-999' }) }),
    /expected a row of the catalogue/,
  ],
  [
    'a use that works without evidence',
    pairOf({ plain: NOT_SHOWN }),
    /uses\.plain\.exchange: received nothing/,
  ],
  [
    'a fault of the server in an answer of the proxy',
    pairOf({ 'rate-limit': fault({ side: 'server', fromProxy: true }) }),
    /uses\.rate-limit\.side: received server/,
  ],
  [
    'a use that the client does not offer, without a page',
    pairOf({ image: { ...NOT_SHOWN, verdict: 'not-offered', side: 'client' } }),
    /uses\.image\.documentation: received nothing/,
  ],
  [
    'a page of a use that works',
    pairOf({ image: { ...WORKS, documentation: DOCUMENTATION } }),
    /uses\.image\.documentation: received https/,
  ],
  [
    'a key',
    pairOf({ plain: { ...WORKS, text: 'Bearer q8f3kd93jfk2' } }),
    /uses\.plain\.text: received a credential/,
  ],
  ['a future day', pairOf({}, { date: '2026-11-25' }), /date: received "2026-11-25"/],
  ['a future catalogue', pairOf({}, { catalogue: '99' }), /catalogue: received 99/],
])('%s is refused, for that reason alone', (_, pair, line) => {
  expect(problemsOf(pair)).toEqual([expect.stringMatching(line)])
})

test('a pair at the path of another is refused', () => {
  expect(problemsOf(pairOf(), '2/pair/good-client@other.json')).toEqual([
    expect.stringContaining(`received the pair of ${PATH}`),
  ])
})

test('the pairs of a record are read by the names of client and server', () => {
  using folder = temporaryRecord()
  const named = (name: string): Pair => pairOf({}, { client: { ...pairOf().client, name } })
  for (const pair of [named('b'), named('a')]) {
    const file = join(folder.record, pairPath(pair))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, jsonText(pair))
  }
  expect(readPairs(folder.record, '2').map(({ client }) => client.name)).toEqual(['a', 'b'])
  expect(readPairs(folder.record, '1')).toEqual([])
})

test('a call without JSON is shown as not tried if the model writes none, and recorded as it was judged', () => {
  using folder = temporaryRecord()
  const call = { ...WORKS, verdict: 'fails', side: 'server', requirement: 'TOOL-1' } as const
  const babble = { ...call, text: 'The arguments of a call are not a JSON object.' }
  const missing = { ...call, text: 'The answer ends with `tool_calls` and has no call that can be read.' }
  const of = (name: string, model: string): Pair =>
    pairOf({ call: babble, 'streamed-call': missing }, { server: { ...pairOf().server, name, model } })
  for (const pair of [of('babbles', 'svc-0.1-tiny, a model of syllables'), of('speaks', 'qwen-3')]) {
    const file = join(folder.record, pairPath(pair))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, jsonText(pair))
  }
  const shown = Object.fromEntries(
    readPairs(folder.record, '2').map(({ server, uses }) => [server.name, uses]),
  )
  expect(shown['babbles']?.call).toEqual({
    verdict: 'not-tried',
    text: 'The test model writes no JSON.',
    exchange: WORKS.exchange,
    repeat: WORKS.repeat,
  })
  expect(shown['babbles']?.['streamed-call']).toEqual(missing)
  expect(shown['speaks']?.call).toEqual(babble)
})
