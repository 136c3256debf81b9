// The history of an implementation on one board: from each version to the next, every check that changed, in both
// directions. Each line names both versions.
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { stepId } from '../addresses.ts'
import { type Change, TURNS, type Turn, changesBetween, stepsOf, turnOf } from '../changes.ts'
import { plate, markOf } from '../marks.ts'
import type { Judged } from '../boards.ts'
import { checkName, nameOf, requirementLink } from './parts.ts'

const TURN_TITLES: Readonly<Record<Turn, string>> = {
  broke: 'Passed before, fails now',
  fixed: 'Failed before, passes now',
  other: 'Other changes',
}

/** A longer list of changes is folded. */
const OPEN_CHANGES = 15

/** The steps between entries, which are given with the newest first. */
export function renderHistory(entries: readonly Judged[]): Markup {
  const steps = stepsOf(entries)
  if (steps.length === 0) return markup`<p class="quiet">One version was judged so far.</p>`
  return markup`${steps.map(({ before, after }) => renderStep(before, after))}`
}

function renderStep(before: Judged, after: Judged): Markup {
  const changes = changesBetween(before, after)
  const groups = Map.groupBy(changes, turnOf)
  const [was, is] = [before.entry, after.entry]
  return markup`<section class="step" id="${stepId(before, after)}">
<h4>${nameOf(before)} <span aria-hidden="true">→</span><span class="visually-hidden">to</span> ${nameOf(after)} <span class="small quiet">judged ${was.date} and ${is.date}</span></h4>
${was.model !== is.model && markup`<p class="note small">Another model answered: ${was.model ?? 'none named'} for ${was.version}, ${is.model ?? 'none named'} for ${is.version}.</p>`}
${changes.length === 0 && markup`<p>No check changed from ${was.version} to ${is.version}.</p>`}
${TURNS.map((turn) => renderTurn(turn, groups.get(turn) ?? [], was.version, is.version))}
</section>
`
}

function renderTurn(turn: Turn, changes: readonly Change[], was: string, is: string): Markup | undefined {
  if (changes.length === 0) return undefined
  return markup`<details class="turn ${turn}"${turn !== 'other' && changes.length <= OPEN_CHANGES && markup` open`}><summary>${TURN_TITLES[turn]} <span class="quiet">${changes.length}</span></summary>
<ul>${changes.map((change) => renderChange(change, was, is))}</ul></details>`
}

function renderChange({ check, requirement, before, after }: Change, was: string, is: string): Markup {
  return markup`<li data-change="${check}">${requirementLink(requirement)} <span>${checkName(check)}</span>
<span class="from">${plate(markOf(before), `${was}: ${WORDS[before ?? 'absent']}`)} <span aria-hidden="true">→</span> ${plate(markOf(after), `${is}: ${WORDS[after ?? 'absent']}`)}</span></li>
`
}

const WORDS = {
  pass: 'passed',
  fail: 'failed',
  warn: 'failed, a SHOULD',
  'not-applicable': 'not offered',
  inconclusive: 'not judged',
  error: 'not judged',
  absent: 'no such check',
} as const
