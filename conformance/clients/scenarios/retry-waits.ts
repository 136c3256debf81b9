// How long a program waits before a retry (RETRY-3, RETRY-4, RETRY-10).
import { answer, refuse } from '../scripted-service/answers.ts'
import type { Step } from '../scripted-service/reply.ts'
import { type Scenario, withOneCheck } from '../scenario.ts'
import { sameBodies } from '../verify/requests.ts'
import { waitsAreDue } from '../verify/waits.ts'

function waits(
  requirement: 'RETRY-3' | 'RETRY-4' | 'RETRY-10',
  name: string,
  title: string,
  ...script: readonly Step[]
): Scenario {
  return withOneCheck({
    id: `retry.${name}`,
    requirement,
    title,
    verify: waitsAreDue,
    script: [...script, answer],
  })
}

/** A date some seconds from now, in the format of HTTP. */
function httpDate(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toUTCString()
}

const task: readonly Scenario[] = [
  waits('RETRY-3', 'retry-after-1', '429 with `Retry-After: 1`', refuse(429, { 'retry-after': '1' })),
  waits('RETRY-3', 'retry-after-2', '429 with `Retry-After: 2`', refuse(429, { 'retry-after': '2' })),
  waits('RETRY-3', 'retry-after-1-5', '429 with `Retry-After: 1.5`', refuse(429, { 'retry-after': '1.5' })),
  waits(
    'RETRY-3',
    'retry-after-twice',
    '429 with `Retry-After: 1`, then with 2',
    refuse(429, { 'retry-after': '1' }),
    refuse(429, { 'retry-after': '2' }),
  ),
  waits(
    'RETRY-3',
    'retry-after-among-others',
    '429 with `Retry-After: 2`, among headers that name a shorter wait',
    refuse(429, {
      'retry-after': '2',
      'retry-after-ms': '100',
      'x-should-retry': 'true',
      'x-ratelimit-reset-requests': '120ms',
      'x-ratelimit-remaining-requests': '0',
    }),
  ),
]

const backedOff: readonly Scenario[] = [
  waits('RETRY-4', 'backoff-500', 'a 500', refuse(500)),
  waits('RETRY-4', 'backoff-503', 'a 503', refuse(503)),
  waits('RETRY-4', 'backoff-mixed', 'a 503, then a 500', refuse(503), refuse(500)),
  waits(
    'RETRY-4',
    'backoff-500-retry-after',
    '500 with `Retry-After: 3`',
    refuse(500, { 'retry-after': '3' }),
  ),
  waits(
    'RETRY-4',
    'backoff-500-retry-after-ms',
    '500 with `retry-after-ms: 50`',
    refuse(500, { 'retry-after-ms': '50' }),
  ),
]

/** Values of `Retry-After` that are not a positive number of seconds, by the name of their check. */
const UNREADABLE = {
  zero: '0',
  'zero-point-zero': '0.0',
  negative: '-1',
  word: 'abc',
  'number-and-word': '5abc',
  empty: '',
} as const

const unreadable: readonly Scenario[] = [
  ...Object.entries(UNREADABLE).map(([name, value]) =>
    waits(
      'RETRY-10',
      `retry-after-${name}`,
      `429 with ${value === '' ? 'an empty `Retry-After`' : `\`Retry-After: ${value}\``}`,
      refuse(429, { 'retry-after': value }),
    ),
  ),
  waits('RETRY-10', 'retry-after-date', '429 with a date 6 seconds ahead as `Retry-After`', (asked) =>
    refuse(429, { 'retry-after': httpDate(6) })(asked),
  ),
  waits('RETRY-10', 'retry-after-past-date', '429 with a date that is over as `Retry-After`', (asked) =>
    refuse(429, { 'retry-after': httpDate(-60) })(asked),
  ),
  waits('RETRY-10', 'retry-after-absent', 'two 429s without `Retry-After`', refuse(429), refuse(429)),
]

/** A retry has the same body: checked in a scenario with several attempts, if the program retries at all. */
const repeated = withOneCheck({
  id: 'call.same-body',
  requirement: 'CALL-5',
  title: 'the body of a retry is that of the attempt before it',
  verify: sameBodies,
  script: [refuse(500), refuse(429, { 'retry-after': '1' }), answer],
})

export const scenarios: readonly Scenario[] = [...task, ...backedOff, ...unreadable, repeated]
