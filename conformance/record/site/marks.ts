// The marks of rows and checks on the site: a sign and words; colour is never the only difference.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import { STYLES } from '../../report/outcome-style.ts'
import type { Outcome } from '../../contract/outcome.ts'

export interface Mark {
  /** The class of the style, short because a matrix has many. */
  readonly css: 'p' | 'f' | 'w' | 'n' | 'q'
  readonly sign: string
  readonly label: string
}

const OPEN: Mark = { css: 'q', sign: STYLES.inconclusive.sign, label: 'not judged' }

/** The mark of each outcome. A fault of the judge itself leaves a row not judged. */
export const MARKS: Readonly<Record<Outcome, Mark>> = {
  fail: { css: 'f', sign: STYLES.fail.sign, label: 'does not hold' },
  warn: { css: 'w', sign: STYLES.warn.sign, label: 'SHOULD does not hold' },
  inconclusive: OPEN,
  error: OPEN,
  'not-applicable': { css: 'n', sign: STYLES['not-applicable'].sign, label: 'not offered' },
  pass: { css: 'p', sign: STYLES.pass.sign, label: 'holds' },
}

/** The marks that differ, the most important first. */
export const DISTINCT_MARKS: readonly Mark[] = [...new Set(Object.values(MARKS))]

export function markOf(outcome: Outcome | undefined): Mark {
  return outcome === undefined ? { css: 'n', sign: '·', label: 'no such check' } : MARKS[outcome]
}

/** A sign with its words for screen readers. */
export function sign({ css, sign, label }: Mark): Markup {
  return markup`<span class="sign ${css}" aria-hidden="true">${sign}</span><span class="vh">${label}</span>`
}

/** A sign with visible words. */
export function plate({ css, sign, label }: Mark, text: string = label): Markup {
  return markup`<span class="mark ${css}"><span class="sign" aria-hidden="true">${sign}</span>${text}</span>`
}

/** How many rows have each mark, the most important first; marks without a row are left out. */
export function countMarks(outcomes: readonly Outcome[]) {
  const marks = outcomes.map((outcome) => MARKS[outcome])
  return DISTINCT_MARKS.map((mark) => ({ mark, count: marks.filter((one) => one === mark).length })).filter(
    ({ count }) => count > 0,
  )
}
