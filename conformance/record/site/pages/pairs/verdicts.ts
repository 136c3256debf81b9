// The marks of uses, in the colours of the outcomes of checks, and the counts of a pair.
import { type Markup, markup } from '../../../../../harness/html/markup.ts'
import {
  type Pair,
  USE_IDS,
  type UseId,
  type Used,
  VERDICTS,
  type Verdict,
  isFault,
} from '../../../results/pair-entry.ts'
import { MARKS, type Mark, plate } from '../../marks.ts'

export const VERDICT_MARKS: Readonly<Record<Verdict, Mark>> = {
  works: { ...MARKS.pass, label: 'works' },
  'works-with-a-defect': { ...MARKS.warn, label: 'works with a defect' },
  fails: { ...MARKS.fail, label: 'fails' },
  'not-offered': { ...MARKS['not-applicable'], label: 'not offered' },
  'not-tried': { ...MARKS.inconclusive, label: 'not tried' },
}

type Uses = Pick<Pair, 'uses'>

/** The verdict on each use, in the order of `USE_IDS`. */
export function verdictsOf({ uses }: Uses): readonly Verdict[] {
  return USE_IDS.map((id) => uses[id]?.verdict ?? 'not-tried')
}

/** The uses that a side is at fault for. */
export function faultsOf({ uses }: Uses): readonly (readonly [UseId, Used])[] {
  return USE_IDS.flatMap((id) => {
    const used = uses[id]
    return used !== undefined && isFault(used.verdict) ? [[id, used] as const] : []
  })
}

/** The number of uses that work, also with a defect, and of those that were tried and are offered. */
export function workingUses(pairs: readonly Uses[]) {
  const verdicts = pairs.flatMap(verdictsOf)
  const count = (...wanted: readonly Verdict[]): number =>
    verdicts.filter((verdict) => wanted.includes(verdict)).length
  const work = count('works', 'works-with-a-defect')
  return { work, tried: work + count('fails') }
}

/** `18 of 20 uses`. */
export function usesLine(pairs: readonly Uses[]): string {
  const { work, tried } = workingUses(pairs)
  return `${work} of ${tried} uses`
}

/** The number of uses with each verdict that occurs, the best first. */
export function countsOf(pair: Uses) {
  const verdicts = Map.groupBy(verdictsOf(pair), (verdict) => verdict)
  return VERDICTS.map((verdict) => ({
    mark: VERDICT_MARKS[verdict],
    count: verdicts.get(verdict)?.length ?? 0,
  })).filter(({ count }) => count > 0)
}

export function countPlates(pair: Uses): Markup {
  return markup`<span class="counts">${countsOf(pair).map(({ mark, count }) => plate(mark, labelOf(mark, count)))}</span>`
}

/** `1 fails`, `2 fail`. */
function labelOf({ label }: Mark, count: number): string {
  return `${count} ${count === 1 ? label : label.replace(/^(work|fail)s/, '$1')}`
}
