// Reports about streams of which every time is known: no right value is off, and a wrong one is.
import { expect, it } from 'vitest'
import { inFlight } from './in-flight.ts'
import { type FigureVerdict, judgeFigure } from './judge-figures.ts'
import type { Figure, ReportedFigure } from './reported-figures.ts'
import type { ServedStream } from './served-truth.ts'

/** A stream of two tokens, the first at this time and the second 10 ms later, which nothing delayed. */
function stream(ttftMs: number, arrivedMs = 0, openMs = 0): ServedStream {
  const step = { also: undefined, lateMs: 0, tokens: 0 }
  const steps = [
    { ...step, kind: 'content', tokens: 1, atMs: ttftMs },
    { ...step, kind: 'content', tokens: 1, atMs: ttftMs + 10 },
    { ...step, kind: 'finish', atMs: ttftMs + 10 },
    { ...step, kind: 'usage', atMs: ttftMs + 10 },
    { ...step, kind: 'done', atMs: ttftMs + 10 },
  ] as const
  return { script: 'test', arrivedMs, openMs, endedMs: arrivedMs + ttftMs + 10, status: 200, steps }
}

/** First tokens at 10, 20, … 100 ms. */
const ten = Array.from({ length: 10 }, (_, place) => stream(10 * (place + 1)))

function found(
  figure: Figure,
  values: ReportedFigure['values'],
  served: readonly ServedStream[] = ten,
): FigureVerdict {
  const tolerance = { ms: 3, percent: 10 }
  return judgeFigure({ script: 'test', figure, reported: { reading: undefined, values }, served, tolerance })
}

it.each([
  ['the nearest rank', { p90: 90 }, 'true'],
  ['an interpolation', { p90: 91 }, 'true'],
  ['the sample above', { p90: 100 }, 'true'],
  ['a sample below it', { p90: 80 }, 'off'],
  ['a median by the lower one of the middle', { p50: 50 }, 'true'],
  ['a median by the mean of the middle', { p50: 55 }, 'true'],
  ['a median by the higher one of the middle', { p50: 60 }, 'true'],
  ['a median below', { p50: 47 }, 'off'],
  ['a median above', { p50: 64 }, 'off'],
  ['a mean that is as late as it may be', { mean: 57.9 }, 'true'],
  ['a mean that is later', { mean: 58.1 }, 'off'],
  ['a mean that is too early', { mean: 52.9 }, 'off'],
  ['a late wake-up in the tail alone', { max: 140 }, 'not judged'],
  ['a late wake-up in the tail, and a right mean', { mean: 55, max: 140 }, 'true'],
  ['a maximum that is too low', { mean: 55, max: 97 }, 'off'],
  ['nothing', {}, 'not reported'],
] as const)('a percentile or a mean of %s is as it should be', (_, values, outcome) => {
  expect(found('ttft', values).found).toBe(outcome)
})

it('a time may count from the request, although its connection was open before', () => {
  const served = ten.map((one) => Object.assign({}, one, { openMs: 15 }))
  expect(found('ttft', { mean: 40 }, served).found).toBe('true')
  expect(found('ttft', { mean: 37 }, served).found).toBe('off')
})

it('a busy machine explains a time that is too high and no count', () => {
  expect(found('ttft', { mean: 90 }).isLate).toBe(true)
  expect(found('ttft', { mean: 20 }).isLate).toBe(false)
  expect(found('requests', { mean: 11 })).toMatchObject({ found: 'off', isLate: false })
})

it('counts the requests in flight by their beginnings and ends', () => {
  const served = [stream(90, 0), stream(90, 50), stream(90, 100)]
  expect(inFlight(served)).toEqual({ seconds: 0.2, most: 2, mean: 1.5, plateau: 1.5 })
})
