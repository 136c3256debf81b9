// A wait is measured from the last byte of an answer to the arrival of a request, and a busy judge blames no client.
import { expect, test } from 'vitest'
import { CheckFailure, Inconclusive, NotApplicable } from '../../../contract/outcome.ts'
import type { Observed } from '../scenario.ts'
import type { Call } from '../../../../harness/scripted-service/call.ts'
import { attempt, observedWith } from '../observed.fixture.ts'
import { firstWaits, waitsAreDue, waitsOf, waitsVary } from './waits.ts'

function observed(busyMs: number, ...attempts: readonly Call[]): Observed {
  return observedWith({ attempts, busyMs: () => busyMs })
}

test('a wait begins with the last byte of the answer', () => {
  const [wait] = waitsOf(observed(0, attempt(0, 700, 500), attempt(1800, 1810, 200)))
  expect(wait).toMatchObject({ waitedMs: 1100, due: { leastMs: 1000, mostMs: 1250 }, status: 500 })
})

test('of requests that were sent together each has waited after the answer before both', () => {
  const waits = waitsOf(
    observed(0, attempt(0, 20, 429, '1'), attempt(1020, 1040, 429), attempt(1021, 1041, 429)),
  )
  expect(waits.map(({ waitedMs }) => waitedMs)).toEqual([1000, 1001])
})

test('too early is a failure, however busy the judge was', () => {
  for (const busyMs of [0, 500])
    expect(() => waitsAreDue(observed(busyMs, attempt(0, 20, 500), attempt(920, 930, 200)))).toThrow(
      CheckFailure,
    )
})

test('too late is a failure of a client, unless the judge was late as well', () => {
  const late = [attempt(0, 20, 500), attempt(1700, 1710, 200)] as const
  expect(() => waitsAreDue(observed(0, ...late))).toThrow(CheckFailure)
  expect(() => waitsAreDue(observed(60, ...late))).toThrow(Inconclusive)
  expect(() => waitsAreDue(observed(60, attempt(0, 20, 500), attempt(9000, 9010, 200)))).toThrow(CheckFailure)
})

test('without a retry there is nothing to judge', () => {
  expect(() => waitsAreDue(observed(0, attempt(0, 20, 500)))).toThrow(NotApplicable)
})

test('waits without jitter fail, even if a busy machine delays some, and a jitter of 100 ms passes', () => {
  const calls = (...jitters: readonly number[]): readonly number[] =>
    jitters
      .map((jitter) => observed(0, attempt(0, 20, 500), attempt(1020 + jitter, 1030 + jitter, 200)))
      .flatMap(firstWaits)
  expect(() => waitsVary(calls(0, 1, 2, 3, 4, 5, 6, 7, 8, 90))).toThrow(CheckFailure)
  expect(() => waitsVary(calls(0, 10, 20, 30, 40, 50, 60, 70, 80, 90))).not.toThrow()
  expect(() => waitsVary(calls(0, 0, 0))).toThrow(NotApplicable)
})
