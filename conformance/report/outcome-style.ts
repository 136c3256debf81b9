// How an outcome is shown wherever a person reads it: a sign and a word, and a colour beside them, never alone.
import type { Outcome } from '../runner/case.ts'
import { type Markup, markup } from '../../harness/html/markup.ts'
import type { Style } from '../../harness/cli/pen.ts'

/** An outcome of a report, or a requirement that no check stands for. */
export type Shown = Outcome | 'not-covered'

export interface Look {
  readonly sign: string
  readonly word: string
  readonly style: Style
}

/** In the order in which a reader wants them. */
export const LOOKS: Record<Shown, Look> = {
  error: { sign: '‼', word: 'error', style: 'red' },
  fail: { sign: '✗', word: 'failed', style: 'red' },
  warn: { sign: '!', word: 'warned', style: 'yellow' },
  inconclusive: { sign: '?', word: 'not judged', style: 'yellow' },
  'not-covered': { sign: '○', word: 'no check yet', style: 'yellow' },
  'not-applicable': { sign: '–', word: 'not applicable', style: 'gray' },
  pass: { sign: '✓', word: 'passed', style: 'green' },
}

/** The look of an outcome that a report names, and of one that it does not have. */
export function lookOf(outcome: string): Look {
  return isShown(outcome) ? LOOKS[outcome] : { sign: '·', word: 'not checked', style: 'gray' }
}

/** The same as a small plate. */
export function plate(outcome: string): Markup {
  const { sign, word } = lookOf(outcome)
  const kind = isShown(outcome) ? outcome : 'absent'
  return markup`<span class="plate ${kind}"><span class="sign" aria-hidden="true">${sign}</span>${word}</span>`
}

function isShown(outcome: string): outcome is Shown {
  return Object.hasOwn(LOOKS, outcome)
}
