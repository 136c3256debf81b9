// A part of what `npx touchstone fuzz --objective judge` runs: always the same seeds, and with the tag `slow` other ones each day.
import { expect, test } from 'vitest'
import { createRedactor } from '../../../../harness/secrets/redact.ts'
import { readOptions } from '../fuzz-flags.ts'
import { fuzzJudge } from './fuzz-judge.ts'
import { renderJudgeReport } from './render-judge-report.ts'
import { chancesOf } from './chances.ts'

async function expectNoViolation(seed: number, runs: number): Promise<void> {
  const options = readOptions(
    `--objective judge --seed ${seed} --requests ${runs} --seconds 3600 --connections 2`.split(' '),
  )
  const { signal } = new AbortController()
  const report = await fuzzJudge({ options, redactor: createRedactor(), signal, onProgress: () => undefined })
  // The text has the commands that repeat each violation.
  expect(renderJudgeReport(report, { color: false, columns: 100 })).toMatch(/PASS no violation\n$/)
  expect(report.runs).toBe(runs)
}

test('the judge withstands hostile targets', { timeout: 600_000 }, () => expectNoViolation(20261128, 3))

test('the judge withstands more hostile targets', { tags: 'slow', timeout: 1_800_000 }, () =>
  expectNoViolation(20_261_128, 20),
)

test('the choices for a request depend on nothing but the seed and the request', () => {
  const drawn = (...parts: readonly (string | number)[]): readonly number[] => {
    const chances = chancesOf(...parts)
    return Array.from({ length: 20 }, () => chances.below(1_000))
  }
  expect(drawn('a', 1)).toEqual(drawn('a', 1))
  expect(drawn('a', 1)).not.toEqual(drawn('a', 2))
  expect(new Set(drawn('b', 1)).size).toBeGreaterThan(10)
})
