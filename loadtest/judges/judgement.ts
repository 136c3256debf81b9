// What the judges of all scenarios share: an assertion is a sentence that holds, does not, or could not be judged.
import type { Plan } from '../theory/plan.ts'
import type { Answer, LoadRecord } from '../k6/record.ts'
import type { Counting } from '../theory/theory.ts'

export interface Assertion {
  readonly id: string
  readonly outcome: 'pass' | 'fail' | 'not judged'
  readonly expected: string
  readonly actual: string
}

/** The numbers of the verdict's line. Where nothing may be refused, both bounds are what was offered. */
export interface Headline {
  readonly offered: number
  readonly admitted: number
  readonly refused: number
  readonly lower: number
  readonly upper: number
}

export interface Judgement {
  readonly headline: Headline
  readonly assertions: readonly Assertion[]
  /** What a reader should know beside that, each a sentence. */
  readonly notes: readonly string[]
  /** The load that the plot of admissions shows, and the highest rate that its bound allows in the long run. */
  readonly shown: string
  /** Drops that the load is meant to cause: the service was slower than the load, not k6. */
  readonly dropsAreTheService?: boolean
}

/** A run as a judge gets it. */
export interface Run {
  readonly plan: Plan
  readonly counting: Counting
  /** An answer should take no longer, in milliseconds. */
  readonly sloMs: number
  readonly record: LoadRecord
  /** When the old key of a rotation had been revoked, in seconds of Unix time, where that is known. */
  readonly revokedAt?: number | undefined
}

/** An assertion whose outcome is known. */
export function assertion(id: string, holds: boolean, expected: string, actual: string): Assertion {
  return { id, outcome: holds ? 'pass' : 'fail', expected, actual }
}

/** One that this run could not judge, and why. */
export function notJudged(id: string, expected: string, why: string): Assertion {
  return { id, outcome: 'not judged', expected, actual: why }
}

export const isAdmitted = ({ status }: Answer): boolean => status === 200
export const isRefused = ({ status }: Answer): boolean => status === 429

export function ofLoad({ record }: Run, load: string): readonly Answer[] {
  return record.answers.filter((answer) => answer.load === load)
}

export function ofPhase({ record }: Run, phase: string): readonly Answer[] {
  return record.answers.filter((answer) => answer.phase === phase)
}

export const milliseconds = ({ start, end }: Answer): number => (end - start) * 1000

/** The value below which this part of the values lies; NaN where there are none. */
export function quantile(values: readonly number[], part: number): number {
  const inOrder = values.toSorted((a, b) => a - b)
  return (
    inOrder[Math.min(inOrder.length - 1, Math.ceil(part * inOrder.length) - 1)] ?? inOrder[0] ?? Number.NaN
  )
}

/** Only these statuses came. */
export function statuses(id: string, answers: readonly Answer[], allowed: readonly number[]): Assertion {
  const others = answers.filter(({ status }) => !allowed.includes(status))
  return assertion(
    id,
    others.length === 0,
    `only ${allowed.join(', ')}`,
    others.length === 0 ? `${answers.length} answers` : countStatuses(others),
  )
}

/** `3 × 500, 1 × no answer`. */
export function countStatuses(answers: readonly Answer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status === 0 ? 'no answer' : status}`)
    .join(', ')
}

const FAULTS = {
  form: 'an answer that is no completion',
  answer: 'an answer to another question',
  refusal: 'a 429 or 503 out of form',
} as const

/** The scenario found nothing wrong with what an answer says. */
export function inForm({ record }: Run): Assertion {
  const found = Object.entries(FAULTS).flatMap(([what, words]) => {
    const count = record.faults[what] ?? 0
    return count === 0 ? [] : [`${count} × ${words}`]
  })
  return assertion(
    'in-form',
    found.length === 0,
    'every answer in form, and to its own question',
    found.length === 0 ? `${record.answers.length} answers` : found.join(', '),
  )
}

/** The headline of a scenario in which everything is to be admitted. */
export function allAdmitted(answers: readonly Answer[]): Headline {
  const offered = answers.length
  return {
    offered,
    admitted: answers.filter(isAdmitted).length,
    refused: answers.filter(isRefused).length,
    lower: offered,
    upper: offered,
  }
}
