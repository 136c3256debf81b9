import { expect, test } from 'vitest'
import { CheckFailure, Inconclusive, NotApplicable } from '../contract/outcome.ts'
import { withFoundedReasons } from './named-judge.ts'
import { createResults } from '../contract/result.ts'

const TEXT = 'the stream did not come to its end'

/** The reasons of checks that ended with these reasons, beside one of STREAM-2 that fails or passes. */
function reasonsOf(ends: readonly Error[], isBroken: boolean) {
  const book = createResults({ strict: false })
  const judge = { id: 'stream.done-once', requirement: 'STREAM-2', title: 'the end' } as const
  const thrown = new CheckFailure({ expected: 'an end', actual: `none, which STREAM-1 judges` })
  const results = ends.map((end, at) =>
    book.of({ id: `test.${at}`, requirement: 'WIRE-1', title: 'a test' }, { thrown: end }),
  )
  return withFoundedReasons([...results, book.of(judge, isBroken ? { thrown } : {})])
    .slice(0, ends.length)
    .map(({ reason }) => reason)
}

const named = ['STREAM-2', '`stream.done-once`', 'STREAM-2'].map((judge) => `${TEXT}, which ${judge} judges`)
const ends = named.map((reason, at) => (at === 2 ? new NotApplicable(reason) : new Inconclusive(reason)))

test('a reason names the row or the check that judges it if that one fails', () => {
  expect(reasonsOf(ends, true)).toEqual(named)
})

test('a reason names no row and no check that holds, or that was not judged', () => {
  expect(reasonsOf(ends, false)).toEqual([TEXT, TEXT, TEXT])
  expect(reasonsOf([new Inconclusive(`${TEXT}, which CHAT-8 judges of an echo`)], true)).toEqual([TEXT])
})

test('any other reason stays as it is', () => {
  const others = ['interrupted', `STREAM-2, which STREAM-2 judges, failed`, `a key, which STREAM-2 judged`]
  expect(
    reasonsOf(
      others.map((reason) => new Inconclusive(reason)),
      false,
    ),
  ).toEqual(others)
})
