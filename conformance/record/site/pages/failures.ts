// The failures of an entry by cause: what the implementation does, what was expected, the classification and the threads
// about it, and the checks that fail by it.
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import { plural } from '../../../report/labels.ts'
import type { Implementation, classifications } from '../../results/result-entry.ts'
import { failuresIn } from '../../results/outcomes.ts'
import { entryKey } from '../../results/public-record.ts'
import { entryAddress } from '../addresses.ts'
import { CHECKS } from '../../results/check-index.ts'
import { MARKS, sign } from '../marks.ts'
import type { Judged } from '../boards.ts'
import { checkName, outside } from './parts.ts'

type Cause = Implementation['causes'][string]

const CLASSES: Readonly<Record<(typeof classifications)[number], string>> = {
  defect: 'defect',
  deliberate: 'deliberate: documented by its makers',
  debatable: 'debatable: the requirement allows two readings',
}

/** The failed checks of an entry, by the name of their cause; '' for those without one. */
export function failuresOf({ entry, about }: Judged): ReadonlyMap<string, readonly string[]> {
  const named = about.failed[entryKey(entry)] ?? {}
  return Map.groupBy(failuresIn(entry), (id) =>
    Object.hasOwn(about.causes, named[id] ?? '') ? (named[id] ?? '') : '',
  )
}

/** The causes of the failed checks of one requirement, as the entry explains them. */
export function causesOf(judged: Judged, row: string): readonly Cause[] {
  return [...failuresOf(judged)].flatMap(([name, ids]) => {
    const cause = causeOf(judged.about, name)
    return cause !== undefined && ids.some((id) => CHECKS.get(id)?.requirement === row) ? [cause] : []
  })
}

/** A cause by its name; undefined if the entry does not explain the failure yet. */
function causeOf({ causes }: Implementation, name: string): Cause | undefined {
  return Object.hasOwn(causes, name) ? causes[name] : undefined
}

/** Every failure with its cause, the cause with the most requirements first. */
export function renderFailures(judged: Judged): Markup {
  const groups = [...failuresOf(judged)].map(([name, ids]) => ({ name, ids, rows: rowsOf(ids) }))
  if (groups.length === 0) return markup`<p>No judged requirement fails.</p>`
  const sorted = groups.toSorted((a, b) => b.rows.length - a.rows.length || b.ids.length - a.ids.length)
  return markup`<ol class="causes">${sorted.map((group) => renderCause(judged, group))}</ol>`
}

interface Group {
  readonly name: string
  readonly ids: readonly string[]
  readonly rows: readonly string[]
}

export function rowsOf(ids: readonly string[]): readonly RequirementId[] {
  const own = [...CHECKS.values()].filter(({ id }) => ids.includes(id))
  return [...new Set(own.map(({ requirement }) => requirement))]
}

function renderCause(judged: Judged, { name, ids, rows }: Group): Markup {
  const cause = causeOf(judged.about, name)
  const address = entryAddress(judged)
  return markup`<li class="card">
${cause === undefined ? markup`<p class="what">Not explained yet</p>` : explanation(cause)}
<p class="small">${rows.map((row) => markup`<a class="id" href="${address}#${row}">${row}</a> `)}</p>
<details class="small"><summary>${plural(ids.length, 'check')}</summary><ul>${ids.map(
    (id) => markup`<li>${sign(MARKS[judged.entry.checks[id] ?? 'inconclusive'])} ${checkName(id)}</li>`,
  )}</ul></details>
</li>`
}

function explanation({ cause, classification, expected, received, issues = [] }: Cause): Markup {
  return markup`<p class="what">${prose(cause)}</p>
<p class="small"><span class="class ${classification}">${CLASSES[classification]}</span>${issues.map((issue) => markup` ${outside(issue)}`)}</p>
<dl><dt>expected</dt><dd>${prose(expected)}</dd><dt>received</dt><dd>${prose(received)}</dd></dl>`
}
