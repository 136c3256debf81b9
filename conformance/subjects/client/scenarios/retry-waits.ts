// How long a program waits before a retry (RETRY-3, RETRY-4, RETRY-10).
import { answer, refuse } from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { sameBodies } from '../verify/request-rules.ts'
import { fallsBack, obeyedWaitsAreDue, waitsAreDue } from '../verify/actual-waits.ts'

/** A scenario whose refusals, before the good answer, are followed by waits that are due. */
function waits(requirement: 'RETRY-3' | 'RETRY-4', name: string, title: string) {
  return {
    after: (...refusals: readonly Step[]): Scenario =>
      scenario(`retry.${name}`, requirement, title)
        .with({ script: [...refusals, answer] })
        .verify(waitsAreDue),
  }
}

/** A longer wait than any that a value of RETRY-10 means here, so that a program which takes it has time for those. */
const USABLE = 'retry-after-2'
const ABSENT = 'retry-after-absent'

/** A longer wait than those of a second 429. */
const USABLE_LATER = 'retry-after-3-later'

/** A 429 with a value that a client need not obey, before the good answer, and a second one behind a 429 without a value. */
function fallingBack(name: string, title: string, refusal: Step): readonly Scenario[] {
  const value = (later: string, how: string) =>
    scenario(`retry.retry-after-${name}${later}`, 'RETRY-10', `${how} with ${title}`)
  return [
    value('', '429')
      .with({ beside: [USABLE, ABSENT], script: [refusal, answer] })
      .verify((observed, beside) => fallsBack(observed, beside(USABLE), beside(ABSENT))),
    value('-later', 'a second 429')
      .with({ beside: [USABLE_LATER, ABSENT], script: [refuse(429), refusal, answer] })
      .verify((observed, beside) => fallsBack(observed, beside(USABLE_LATER), beside(ABSENT), 1)),
  ]
}

const afterValue = (value: string): Step => refuse(429, { 'retry-after': value })

/** A date some seconds from now, with the date of the answer. */
const afterDate =
  (seconds: number): Step =>
  (asked) => {
    const now = Date.now()
    const [date, then] = [now, now + seconds * 1000].map((ms) => new Date(ms).toUTCString())
    return refuse(429, { date: date ?? '', 'retry-after': then ?? '' })(asked)
  }

const task: readonly Scenario[] = [
  ...['1', '2'].map((seconds) =>
    waits('RETRY-3', `retry-after-${seconds}`, `429 with \`Retry-After: ${seconds}\``).after(
      afterValue(seconds),
    ),
  ),
  waits('RETRY-3', 'retry-after-twice', '429 with `Retry-After: 1`, then with 2').after(
    refuse(429, { 'retry-after': '1' }),
    refuse(429, { 'retry-after': '2' }),
  ),
  waits(
    'RETRY-3',
    'retry-after-among-others',
    '429 with `Retry-After: 2`, among headers that name a shorter wait',
  ).after(
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
  waits('RETRY-4', 'backoff-500', 'a 500').after(refuse(500)),
  waits('RETRY-4', 'backoff-503', 'a 503').after(refuse(503)),
  waits('RETRY-4', 'backoff-mixed', 'a 503, then a 500').after(refuse(503), refuse(500)),
  ...Object.entries({ 'Retry-After': '3', 'retry-after-ms': '50' }).map(([name, value]) =>
    waits('RETRY-4', `backoff-500-${name.toLowerCase()}`, `500 with \`${name}: ${value}\``).after(
      refuse(500, { [name.toLowerCase()]: value }),
    ),
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
  ...Object.entries(UNREADABLE).flatMap(([name, value]) =>
    fallingBack(
      name,
      value === '' ? 'an empty `Retry-After`' : `\`Retry-After: ${value}\``,
      afterValue(value),
    ),
  ),
  ...fallingBack('1-5', '`Retry-After: 1.5`', afterValue('1.5')),
  ...fallingBack('0-5', '`Retry-After: 0.5`', afterValue('0.5')),
  ...fallingBack('date', 'a date 2 seconds ahead as `Retry-After`', afterDate(2)),
  ...fallingBack('past-date', 'a date that is over as `Retry-After`', afterDate(-60)),
  scenario(`retry.${ABSENT}`, 'RETRY-10', 'two 429s without `Retry-After`')
    .with({ beside: [USABLE], script: [refuse(429), refuse(429), answer] })
    .verify((observed, beside) => fallsBack(observed, beside(USABLE))),
  scenario(`retry.${USABLE_LATER}`, 'RETRY-3', 'a second 429 with `Retry-After: 3`')
    .with({ script: [refuse(429), refuse(429, { 'retry-after': '3' }), answer] })
    .verify(obeyedWaitsAreDue),
]

/** A retry has the same body: checked in a scenario with several attempts, if the program retries at all. */
const repeated = scenario('call.same-body', 'CALL-5', 'the body of a retry is that of the attempt before it')
  .with({ script: [refuse(500), refuse(429, { 'retry-after': '1' }), answer] })
  .verify(sameBodies)

export const scenarios: readonly Scenario[] = [...task, ...backedOff, ...unreadable, repeated]
