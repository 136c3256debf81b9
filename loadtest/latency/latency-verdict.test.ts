// The verdict: good streams pass, too few fail, and a run that shows nothing about the service is neither.
import { describe, expect, it } from 'vitest'
import type { GeneratorRecord, StreamRecord } from '../generator/stream-record.ts'
import { plan, stream } from '../generator/stream.fixture.ts'
import { exitCodeOf } from '../judges/load-verdict.ts'
import { LEAST_SAMPLES, judgeLatency } from './latency-verdict.ts'

const whole: GeneratorRecord = {
  type: 'generator',
  segment: 1,
  segments: 1,
  startedAt: 1_000_000,
  utilization: 0.1,
  begun: 100,
  planned: 100,
  saturated: false,
}

/** Two generators, the second of which starts later by this number of milliseconds. */
const pair = (laterMs: number): readonly GeneratorRecord[] => [
  { ...whole, segments: 2 },
  { ...whole, segment: 2, segments: 2, startedAt: whole.startedAt + laterMs },
]

/** 100 streams, of which the first differ in this way. */
function streams(different = 0, more: Partial<StreamRecord> = {}): StreamRecord[] {
  return Array.from({ length: 100 }, (_, index) =>
    stream({ conversation: index, plannedAt: 1_000_000 + 100 * index, ...(index < different ? more : {}) }),
  )
}

const judge = (
  recorded: readonly StreamRecord[],
  generators: readonly GeneratorRecord[] = [whole],
  slo = {},
  sloShare = 0.99,
) => judgeLatency({ plan: plan(), record: { streams: recorded, generators }, slo, sloShare, cores: 2 })

describe('the verdict', () => {
  it.each([
    [1, 'pass', 0],
    [2, 'fail', 1],
  ])('with %i of 100 streams that fail is %s', (failing, verdict, exitCode) => {
    const judged = judge(streams(failing, { failure: 'status', status: 500, outputMs: [], detail: 'boom' }))
    expect(judged).toMatchObject({ verdict, valid: true, offered: 100, failed: failing })
    expect(judged.goodput).toBe(1 - failing / 100)
    expect(judged.failures).toEqual([{ kind: 'status 500', count: failing, example: 'boom' }])
    expect(exitCodeOf(judged)).toBe(exitCode)
  })

  it.each([
    [1, 'pass'],
    [2, 'fail'],
  ])('with %i of 100 streams that miss an objective is %s', (slow, verdict) => {
    const judged = judge(streams(slow, { outputMs: [1000, 1020, 1050] }), [whole], { ttft: 500 })
    expect(judged).toMatchObject({ verdict, completed: 100, failed: 0 })
  })

  it('does not count a stream that the measurement itself broke off', () => {
    expect(judge(streams(30, { failure: 'stopped' }))).toMatchObject({ verdict: 'pass', offered: 70 })
  })
})

describe('a run is not valid', () => {
  it.each<[string, readonly StreamRecord[], readonly GeneratorRecord[], RegExp]>([
    ['with too few requests', streams().slice(0, LEAST_SAMPLES - 1), [whole], /^9 requests ended/],
    ['sent too late', streams(2, { dispatchMs: 11 }), [whole], /^requests were sent too late: 11\.0 ms/],
    ['from a busy generator', streams(), [{ ...whole, utilization: 0.9 }], /busy 90 %.*--processes/],
    ['that was not sent in whole', streams(), [{ ...whole, begun: 99 }], /^generator 1 began 99 of 100/],
    ['without the end of its record', streams(), [], /^0 of 1 generators/],
    ['without one of two records', streams(), [{ ...whole, segments: 2 }], /^1 of 2 generators/],
    [
      'from generators that started at different times',
      streams(),
      pair(201),
      /^the generators started 0\.20 s/,
    ],
  ])('%s', (_, recorded, generators, why) => {
    const judged = judge(recorded, generators)
    expect(judged).toMatchObject({ verdict: 'invalid', valid: false })
    expect(judged.invalid).toEqual([expect.stringMatching(why)])
    expect(exitCodeOf(judged)).toBe(3)
  })

  it.each<[string, readonly StreamRecord[], readonly GeneratorRecord[]]>([
    ['one request in a hundred was late', streams(1, { dispatchMs: 1000 }), [whole]],
    ['the generators started within 2 % of its time', streams(), pair(200)],
    [
      'the lateness is small against the first token',
      streams(100, { dispatchMs: 40, outputMs: [900] }),
      [whole],
    ],
    [
      'it ended early because the service is over-saturated',
      streams(),
      [{ ...whole, begun: 50, saturated: true }],
    ],
  ])('but is where %s', (_, recorded, generators) => {
    expect(judge(recorded, generators).invalid).toEqual([])
  })
})

it('has the figures of each turn, if conversations have several', () => {
  const second = streams(100, { turn: 2, cachedTokens: 4 })
  const record = { streams: [...streams(), ...second], generators: [whole] }
  const judged = judgeLatency({ plan: plan({ turns: 2 }), record, slo: {}, sloShare: 1, cores: 2 })
  expect(judged.turns).toMatchObject([
    { turn: 1, offered: 100, cachedTokens: null },
    { turn: 2, offered: 100, cachedTokens: { mean: 4 } },
  ])
})
