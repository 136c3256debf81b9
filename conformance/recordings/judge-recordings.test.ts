// Which rows a recording decides, for services and for the programs that call them.
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../harness/redact.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import type { Report } from '../report/schema.ts'
import { createCaptureFile } from './capture-file.ts'
import { type RecordingOptions, judgeRecordings } from './judge-recordings.ts'
import type { RecordedExchange } from './recording.ts'

const folder = temporaryFolder()
let files = 0

const KEY = 'svc_sk_0123456789abcdefghij'
const ERROR = { error: { message: 'No.', type: 'api_error', param: null, code: 'internal_error' } }

interface Sent {
  readonly atMs: number
  readonly status: number
  readonly text?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly answerHeaders?: readonly (readonly [string, string])[]
  readonly url?: string
  readonly ms?: number
}

const CARRIED = [
  ['Authorization', `Bearer ${KEY}`],
  ['Content-Type', 'application/json'],
] as const

function exchange(sent: Sent): RecordedExchange {
  const { atMs, status, text = 'hello', headers = CARRIED, answerHeaders = [], ms = 10 } = sent
  const url = sent.url ?? 'http://x/v1/chat/completions'
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] })
  return {
    startedAtMs: 1_000_000 + atMs,
    request: { method: 'POST', url, path: new URL(url).pathname, headers, body: Buffer.from(body) },
    response: {
      status,
      headers: [['content-type', 'application/json'], ...answerHeaders],
      body: Buffer.from(JSON.stringify(ERROR)),
      chunks: [],
      end: 'complete',
    },
    timings: { firstByteMs: ms, totalMs: ms },
  }
}

async function judge(sent: readonly Sent[], options: Partial<RecordingOptions> = {}): Promise<Report> {
  files += 1
  const path = `${folder}/${files}.jsonl`
  const file = createCaptureFile(path, 'http://x', { flag: '--out' })
  for (const one of sent) file.write(exchange(one))
  file.close()
  const none = { only: undefined, seed: 1, baseline: undefined, baseUrl: undefined }
  return judgeRecordings(
    { ...none, files: [path], profile: 'wire', strict: true, allowIncomplete: true, ...options },
    createRedactor(),
  )
}

/** The outcomes of the rows of clients that were decided. */
async function clientRows(...sent: readonly Sent[]): Promise<Readonly<Record<string, string>>> {
  const { requirements } = await judge(sent, { subject: 'client' })
  const decided = requirements.filter(({ outcome }) => outcome !== 'not-applicable')
  return Object.fromEntries(decided.map(({ id, outcome }) => [id, outcome]))
}

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

describe('keys', () => {
  test.each<[string, Partial<Sent>, string, string | undefined]>([
    ['as it should be', {}, 'CALL-1', 'pass'],
    ['in quotes', { headers: [['Authorization', `Bearer "${KEY}"`], CARRIED[1]] }, 'CALL-1', 'fail'],
    ['two spaces', { headers: [['Authorization', `Bearer  ${KEY}`], CARRIED[1]] }, 'CALL-1', 'fail'],
    ['in the address too', { url: `http://x/v1/chat/completions?key=${KEY}` }, 'CALL-2', 'fail'],
    ['in another header too', { headers: [...CARRIED, ['X-Mine', KEY]] }, 'CALL-2', 'fail'],
    ['in the body too', { text: `my key is ${KEY}` }, 'CALL-2', 'fail'],
    ['no header in any request', { headers: [CARRIED[1]] }, 'CALL-1', undefined],
  ])('%s', async (_, sent, row, outcome) => {
    expect((await clientRows({ atMs: 0, status: 200, ...sent }))[row]).toBe(outcome)
  })

  test('the place of the evidence is in the report, and its row can be judged again', async () => {
    const { checks } = await judge([
      { atMs: 0, status: 200 },
      { atMs: 1, status: 200, text: KEY },
    ])
    const check = checks.find(({ id }) => id === 'call.key-in-body')
    expect(check?.place).toBe('line 3')
    expect(check?.rerun).toMatch(/--only call\.key-in-body --seed 1$/)
    expect(checks.find(({ id }) => id === 'chat.every-content')).toMatchObject({
      place: 'line 2',
      rerun: expect.stringMatching(/--only chat\.every-content --seed 1$/),
    })
  })

  test('a service that answers without a key', async () => {
    const sent = [
      { atMs: 0, status: 500 },
      { atMs: 1, status: 500, headers: [CARRIED[1]] },
    ]
    const { requirements } = await judge(sent, { profile: 'service', subject: 'server' })
    const outcomeOf = (row: string) => requirements.find(({ id }) => id === row)?.outcome
    expect(['AUTH-1', 'AUTH-2', 'AUTH-3', 'AUTH-4'].map(outcomeOf)).toEqual([
      'fail',
      'not-applicable',
      'fail',
      'not-applicable',
    ])
  })
})

test('every row has a result, with a reason unless it passes', async () => {
  const { checks, coverage, subject, target } = await judge([{ atMs: 0, status: 200 }])
  expect(subject).toBe('recording')
  expect(target).toMatchObject({ baseUrl: 'http://x', model: 'm' })
  expect(coverage.notCovered).toEqual([])
  expect(checks.filter(({ outcome, reason }) => outcome !== 'pass' && reason === undefined)).toEqual([])
})

test('one service is judged: the first, or the one that is named', async () => {
  const sent = [
    { atMs: 0, status: 200, url: 'http://a/v1/chat/completions' },
    { atMs: 1, status: 200, url: 'http://b/team/v1/chat/completions' },
    { atMs: 2, status: 200, url: 'http://b/other' },
  ]
  const first = await judge(sent)
  expect(first.target.baseUrl).toBe('http://a')
  expect(first.target.facts).toContainEqual(
    expect.objectContaining({ name: 'requests to other addresses, not judged', value: 2 }),
  )
  expect((await judge(sent, { baseUrl: 'http://b/team' })).target.baseUrl).toBe('http://b/team')
  await expect(judge(sent, { baseUrl: 'http://c' })).rejects.toThrow(/no request of http:\/\/c was recorded/)
})

test('a HAR whose entries are not of a service', async () => {
  const path = `${folder}/empty.har`
  writeFileSync(path, JSON.stringify({ log: { version: '1.2', entries: [] } }))
  await expect(judge([], { files: [path] })).rejects.toThrow(/no request under `\/v1` was recorded/)
})
