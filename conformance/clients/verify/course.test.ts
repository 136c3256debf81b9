// What presses harder is told by the programs that were started, which the flag may have allowed fewer of.
import { expect, test } from 'vitest'
import { CheckFailure, NotApplicable } from '../../runner/outcomes.ts'
import type { Attempt, ProgramEnd, Seen } from '../scenario.ts'
import { seenWith } from '../seen.fixture.ts'
import { slowsDown } from './course.ts'

const end: ProgramEnd = { exitCode: 1, signal: null, isOverdue: false, stdout: '', stderr: '' }

/** An attempt that arrives and is refused at these times. */
function refused(arrivedMs: number, lastByteMs: number): Attempt {
  return {
    arrivedMs,
    hungUpMs: undefined,
    request: { method: 'POST', url: 'http://127.0.0.1/', path: '/', headers: [] },
    reply: {
      status: 429,
      headers: [],
      body: new Uint8Array(),
      end: 'complete',
      firstByteMs: lastByteMs,
      lastByteMs,
    },
  }
}

function seen(programs: number, ...attempts: readonly Attempt[]): Seen {
  const scenario = { name: 'made', script: [], checks: [], clients: 16 }
  return seenWith({ scenario, attempts, ends: Array.from({ length: programs }, () => end) })
}

test('of two programs more than two in flight press harder, also where 16 are wanted', () => {
  const first = [refused(0, 10), refused(1, 10)] as const
  expect(() => slowsDown(seen(2, ...first, refused(1000, 1010), refused(1001, 1010)))).not.toThrow()
  const pressing = [refused(1000, 1010), refused(1001, 1010), refused(1002, 1010)]
  expect(() => slowsDown(seen(2, ...first, ...pressing))).toThrow(CheckFailure)
})

test('programs that do not retry are not judged, and those that the judge did not start are as many as are wanted', () => {
  expect(() => slowsDown(seen(2, refused(0, 10), refused(1, 10)))).toThrow(NotApplicable)
  expect(() => slowsDown(seen(0, refused(0, 10), refused(1, 10), refused(1000, 1010)))).toThrow(NotApplicable)
})
