// The style of an outcome in every form of a report: a sign and a label; colour is never the only difference.
import type { Outcome } from '../contract/outcome.ts'
import { type Markup, markup } from '../../harness/html/markup.ts'
import type { Style } from '../../harness/cli/pen.ts'

/** An outcome of a report, or `not-covered` for a requirement without a check. */
export type Shown = Outcome | 'not-covered'

export interface OutcomeStyle {
  readonly sign: string
  readonly label: string
  /** The colour on a terminal. */
  readonly style: Style
}

/** The most important first. */
export const STYLES: Readonly<Record<Shown, OutcomeStyle>> = {
  error: { sign: '‼', label: 'error', style: 'red' },
  fail: { sign: '✗', label: 'failed', style: 'red' },
  warn: { sign: '!', label: 'warned', style: 'yellow' },
  inconclusive: { sign: '?', label: 'not judged', style: 'yellow' },
  'not-covered': { sign: '○', label: 'no check yet', style: 'yellow' },
  'not-applicable': { sign: '–', label: 'not applicable', style: 'gray' },
  pass: { sign: '✓', label: 'passed', style: 'green' },
}

/** The style of a verdict by exit code; `kind` is the outcome with the same colours. */
export const VERDICTS = {
  0: { sign: '✓', label: 'Pass', kind: 'pass', phrase: 'passes' },
  1: { sign: '✗', label: 'Fail', kind: 'fail', phrase: 'fails' },
  2: { sign: '‼', label: 'No verdict', kind: 'error', phrase: 'has no verdict' },
  3: { sign: '?', label: 'Incomplete', kind: 'inconclusive', phrase: 'is incomplete' },
} as const

/** The style of an outcome, also of one that this version does not know. */
export function outcomeStyle(outcome: string): OutcomeStyle {
  return isShown(outcome) ? STYLES[outcome] : { sign: '·', label: 'not checked', style: 'gray' }
}

/** An outcome as a plate. */
export function plate(outcome: string): Markup {
  return plateOf({ ...outcomeStyle(outcome), kind: isShown(outcome) ? outcome : 'absent' })
}

/** A sign and words in the colours of an outcome. */
export function plateOf({
  kind,
  sign,
  label,
}: Pick<OutcomeStyle, 'sign' | 'label'> & { readonly kind: string }) {
  return markup`<span class="plate ${kind}"><span class="sign" aria-hidden="true">${sign}</span>${label}</span>`
}

function isShown(outcome: string): outcome is Shown {
  return Object.hasOwn(STYLES, outcome)
}
