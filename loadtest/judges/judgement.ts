// Helpers of all scenario judges. An assertion passes, fails, or could not be judged.
import type { LoadPlan } from '../theory/load-plan.ts'
import type { LoadAnswer, LoadRecord } from '../k6/k6-record.ts'
import type { Counting } from '../theory/limiter-bounds.ts'

export interface Assertion {
  readonly id: string
  readonly outcome: 'pass' | 'fail' | 'not judged'
  readonly expected: string
  readonly actual: string
}

/** The numbers of the result line. If nothing may be refused, both bounds equal `offered`. */
export type Headline = ReturnType<typeof allAdmitted>

export interface Judgement {
  readonly headline: Headline
  readonly assertions: readonly Assertion[]
  /** Further sentences for the reader. */
  readonly notes?: readonly string[]
  /** The load that the plot of admissions shows, and the highest rate that its bound allows in the long run. */
  readonly shown: string
  /** Whether dropped requests are expected, because the service was slower than the load. */
  readonly dropsAreTheService?: boolean
}

/** The input of a judge. */
export interface LoadRun {
  readonly plan: LoadPlan
  readonly counting: Counting
  /** The expected maximum latency of an answer, in milliseconds. */
  readonly sloMs: number
  readonly record: LoadRecord
  /** The time at which the old key of a rotation was revoked, in seconds of Unix time, if known. */
  readonly revokedAt?: number | undefined
}

/** A judged assertion. */
export function assertion(id: string, holds: boolean, expected: string, actual: string): Assertion {
  return { id, outcome: holds ? 'pass' : 'fail', expected, actual }
}

/** An assertion that this run could not judge, with the reason. */
export function notJudged(id: string, expected: string, why: string): Assertion {
  return { id, outcome: 'not judged', expected, actual: why }
}

export const isAdmitted = ({ status }: LoadAnswer): boolean => status === 200
export const isRefused = ({ status }: LoadAnswer): boolean => status === 429

export function ofLoad({ record }: LoadRun, load: string): readonly LoadAnswer[] {
  return record.answers.filter((answer) => answer.load === load)
}

export function ofPhase({ record }: LoadRun, phase: string): readonly LoadAnswer[] {
  return record.answers.filter((answer) => answer.phase === phase)
}

export const milliseconds = ({ start, end }: LoadAnswer): number => (end - start) * 1000

/** Asserts that every answer has one of these statuses. */
export function statuses(id: string, answers: readonly LoadAnswer[], allowed: readonly number[]): Assertion {
  const others = answers.filter(({ status }) => !allowed.includes(status))
  return assertion(
    id,
    others.length === 0,
    `only ${allowed.join(', ')}`,
    others.length === 0 ? `${answers.length} answers` : countStatuses(others),
  )
}

/** `3 × 500, 1 × no answer`. */
export function countStatuses(answers: readonly LoadAnswer[]): string {
  return [...Map.groupBy(answers, ({ status }) => status)]
    .toSorted(([a], [b]) => a - b)
    .map(([status, { length }]) => `${length} × ${status === 0 ? 'no answer' : status}`)
    .join(', ')
}

const FAULTS = {
  form: 'an answer that is not a completion',
  answer: 'an answer to another question',
  refusal: 'a malformed 429 or 503',
} as const

/** Asserts that k6 found no fault in the content of an answer. */
export function inForm({ record }: LoadRun): Assertion {
  const found = Object.entries(FAULTS).flatMap(([what, words]) => {
    const count = record.faults[what] ?? 0
    return count === 0 ? [] : [`${count} × ${words}`]
  })
  return assertion(
    'in-form',
    found.length === 0,
    'every answer well-formed, and to its own question',
    found.length === 0 ? `${record.answers.length} answers` : found.join(', '),
  )
}

/** The headline of a scenario in which every request must be admitted. */
export function allAdmitted(answers: readonly LoadAnswer[]) {
  const offered = answers.length
  return {
    offered,
    admitted: answers.filter(isAdmitted).length,
    refused: answers.filter(isRefused).length,
    lower: offered,
    upper: offered,
  }
}
