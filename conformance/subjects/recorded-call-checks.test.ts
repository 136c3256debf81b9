// Which requests are attempts of one call, and whether they keep the retry rules.
import { expect, test } from 'vitest'
import { CARRIED, KEY, type Sent, clientRows } from './recording/recording.fixture.ts'

const at = (atMs: number, status: number, more: Partial<Sent> = {}): Sent => ({ atMs, status, ...more })
const after = (seconds: string) => ({ answerHeaders: [['Retry-After', seconds]] }) as const

test.each<[string, Sent[], string, string | undefined]>([
  ['a 400 and the same again', [at(0, 400), at(500, 200)], 'RETRY-2', 'fail'],
  ['a 400, and another text', [at(0, 400), at(500, 200, { text: 'b' })], 'RETRY-2', 'pass'],
  ['a 400, and the same a minute later', [at(0, 400), at(60_000, 200)], 'RETRY-2', 'pass'],
  ['the same while the first still runs', [at(0, 400, { ms: 900 }), at(500, 200)], 'RETRY-2', 'pass'],
  [
    'the same with another key',
    [at(0, 400), at(500, 200, { headers: [['Authorization', `Bearer ${KEY}x`], CARRIED[1]] })],
    'RETRY-2',
    'pass',
  ],
  ['a 502 and the same again', [at(0, 502), at(500, 200)], 'RETRY-1', 'fail'],
  ['a wait of 2 s', [at(0, 429, after('2')), at(2010, 200)], 'RETRY-3', 'pass'],
  ['a wait that is too short', [at(0, 429, after('2')), at(1500, 200)], 'RETRY-3', 'fail'],
  ['a back-off', [at(0, 500), at(1100, 500), at(3200, 200)], 'RETRY-4', 'pass'],
  ['a back-off that does not double', [at(0, 500), at(1100, 500), at(2200, 200)], 'RETRY-4', 'fail'],
  ['an unreadable Retry-After', [at(0, 429, after('soon')), at(100, 200)], 'RETRY-10', 'fail'],
  ['one attempt', [at(0, 500)], 'RETRY-4', undefined],
  ['six attempts', [0, 1010, 3020, 7030, 15_040, 31_050].map((atMs) => at(atMs, 500)), 'RETRY-6', 'fail'],
  [
    'waits that are all equal',
    Array.from({ length: 12 }, (_, nth) => [
      at(20_000 * nth, 500, { text: `${nth}` }),
      at(20_000 * nth + 1100, 200, { text: `${nth}` }),
    ]).flat(),
    'RETRY-11',
    'fail',
  ],
])('attempts of one call: %s', async (_, sent, row, outcome) => {
  expect((await clientRows(...sent))[row]).toBe(outcome)
})

test.each<[object, string]>([
  [{}, 'pass'],
  [{ tools: [] }, 'fail'],
  [{ tool_choice: 'none', parallel_tool_calls: false }, 'fail'],
  [{ max_tokens: 5, max_completion_tokens: 5 }, 'fail'],
])('a recorded request with %j', async (members, outcome) => {
  expect((await clientRows(at(0, 200, { members })))['CALL-7']).toBe(outcome)
})
