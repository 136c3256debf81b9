// Which requests are attempts of one call, and whether they keep the retry rules.
import { describe, expect, test } from 'vitest'
import { CARRIED, KEY, type Sent, clientRows } from './recording.fixture.ts'

describe('attempts of one call', () => {
  const after = (seconds: string) => [['Retry-After', seconds]] as const

  test.each<[string, Sent[], string, string | undefined]>([
    [
      'a 400 and the same again',
      [
        { atMs: 0, status: 400 },
        { atMs: 500, status: 200 },
      ],
      'RETRY-2',
      'fail',
    ],
    [
      'a 400, and another text',
      [
        { atMs: 0, status: 400 },
        { atMs: 500, status: 200, text: 'b' },
      ],
      'RETRY-2',
      'pass',
    ],
    [
      'a 400, and the same a minute later',
      [
        { atMs: 0, status: 400 },
        { atMs: 60_000, status: 200 },
      ],
      'RETRY-2',
      'pass',
    ],
    [
      'the same while the first still runs',
      [
        { atMs: 0, status: 400, ms: 900 },
        { atMs: 500, status: 200 },
      ],
      'RETRY-2',
      'pass',
    ],
    [
      'the same with another key',
      [
        { atMs: 0, status: 400 },
        { atMs: 500, status: 200, headers: [['Authorization', `Bearer ${KEY}x`], CARRIED[1]] },
      ],
      'RETRY-2',
      'pass',
    ],
    [
      'a 502 and the same again',
      [
        { atMs: 0, status: 502 },
        { atMs: 500, status: 200 },
      ],
      'RETRY-1',
      'fail',
    ],
    [
      'a wait of 2 s',
      [
        { atMs: 0, status: 429, answerHeaders: after('2') },
        { atMs: 2010, status: 200 },
      ],
      'RETRY-3',
      'pass',
    ],
    [
      'a wait that is too short',
      [
        { atMs: 0, status: 429, answerHeaders: after('2') },
        { atMs: 1500, status: 200 },
      ],
      'RETRY-3',
      'fail',
    ],
    [
      'a back-off',
      [
        { atMs: 0, status: 500 },
        { atMs: 1100, status: 500 },
        { atMs: 3200, status: 200 },
      ],
      'RETRY-4',
      'pass',
    ],
    [
      'a back-off that does not double',
      [
        { atMs: 0, status: 500 },
        { atMs: 1100, status: 500 },
        { atMs: 2200, status: 200 },
      ],
      'RETRY-4',
      'fail',
    ],
    [
      'an unreadable Retry-After',
      [
        { atMs: 0, status: 429, answerHeaders: after('soon') },
        { atMs: 100, status: 200 },
      ],
      'RETRY-10',
      'fail',
    ],
    ['one attempt', [{ atMs: 0, status: 500 }], 'RETRY-4', undefined],
    [
      'six attempts',
      [0, 1010, 3020, 7030, 15_040, 31_050].map((atMs) => ({ atMs, status: 500 })),
      'RETRY-6',
      'fail',
    ],
    [
      'waits that are all equal',
      Array.from({ length: 12 }, (_, at) => [
        { atMs: 20_000 * at, status: 500, text: `${at}` },
        { atMs: 20_000 * at + 1100, status: 200, text: `${at}` },
      ]).flat(),
      'RETRY-11',
      'fail',
    ],
  ])('%s', async (_, sent, row, outcome) => {
    expect((await clientRows(...sent))[row]).toBe(outcome)
  })
})
