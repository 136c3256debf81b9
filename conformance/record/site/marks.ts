// The marks of rows and checks on the site: a sign and words; colour is never the only difference.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import { type OutcomeStyle, STYLES, plateOf } from '../../report/outcome-style.ts'
import type { Outcome } from '../../contract/outcome.ts'

export type Mark = Pick<OutcomeStyle, 'sign' | 'label'> & {
  /** The outcome whose colours the mark has: its class in the style. */
  readonly kind: Outcome
}

const OPEN = { kind: 'inconclusive', sign: STYLES.inconclusive.sign, label: 'not judged' } as const

/** The mark of each outcome. A fault of the judge itself leaves a row not judged. */
export const MARKS: Readonly<Record<Outcome, Mark>> = {
  fail: { kind: 'fail', sign: STYLES.fail.sign, label: 'does not hold' },
  warn: { kind: 'warn', sign: STYLES.warn.sign, label: 'SHOULD does not hold' },
  inconclusive: OPEN,
  error: OPEN,
  'not-applicable': { kind: 'not-applicable', sign: STYLES['not-applicable'].sign, label: 'not offered' },
  pass: { kind: 'pass', sign: STYLES.pass.sign, label: 'holds' },
}

/** The marks that differ, the most important first. */
export const DISTINCT_MARKS: readonly Mark[] = [...new Set(Object.values(MARKS))]

export function markOf(outcome: Outcome | undefined): Mark {
  return outcome === undefined
    ? { kind: 'not-applicable', sign: '·', label: 'no such check' }
    : MARKS[outcome]
}

/** Returns whether a mark is a failure, which has a cause to link to. */
export function isFailed({ kind }: Mark): boolean {
  return kind === 'fail' || kind === 'warn'
}

/** A sign with its words for screen readers. */
export function sign({ kind, sign, label }: Mark): Markup {
  return markup`<span class="sign ${kind}" aria-hidden="true">${sign}</span><span class="visually-hidden">${label}</span>`
}

/** A sign with visible words. */
export function plate(mark: Mark, label: string = mark.label): Markup {
  return plateOf({ ...mark, label })
}

/** Counts the rows with each mark, the most important mark first; marks without a row are left out. */
export function countMarks(outcomes: readonly Outcome[]) {
  const marks = Map.groupBy(outcomes, (outcome) => MARKS[outcome])
  return DISTINCT_MARKS.map((mark) => ({ mark, count: marks.get(mark)?.length ?? 0 })).filter(
    ({ count }) => count > 0,
  )
}
